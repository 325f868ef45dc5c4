"""How French says that something is not so."""

from typing import Final

from erstwhile.language.negation import Negation

NEGATION: Final = Negation(denial=r"\bn['’]|\b(?:ne|pas|jamais|ancien(?:ne)?|sans)\b")
