"""How German sentences end and join."""

from typing import Final

from erstwhile.language.sentences import Sentences

SENTENCES: Final = Sentences(abbreviations="nr ca bzw z.b d.h usw bspw", can_end="usw", clauses="und|aber")
