"""How Japanese says that something is not so."""

from typing import Final

from erstwhile.language.negation import Negation

NEGATION: Final = Negation(denial="ない|ません|なかった")
