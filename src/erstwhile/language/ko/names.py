"""What Korean writes to a name."""

from typing import Final

from erstwhile.language.names import Names

NAMES: Final = Names(particles="은는이가의을를도", subject_particles="은는이가의도", endings="이|가|은|는|씨|님")
