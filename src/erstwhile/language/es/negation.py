"""How Spanish says that something is not so."""

from typing import Final

from erstwhile.language.negation import Negation

NEGATION: Final = Negation(denial=r"\b(?:nunca|jamás|ya no|dejó de|antiguo|sin)\b")
