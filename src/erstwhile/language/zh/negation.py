"""How Chinese says that something is not so."""

from typing import Final

from erstwhile.language.negation import Negation

NEGATION: Final = Negation(denial="[不没沒]|曾经|曾經|以前", negated="不|没|沒|讨厌|討厭|别", negator="不再?|没|沒")
