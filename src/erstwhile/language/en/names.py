"""What English writes to a name."""

from typing import Final

from erstwhile.language.names import Names

NAMES: Final = Names(possessive="['’]s")
