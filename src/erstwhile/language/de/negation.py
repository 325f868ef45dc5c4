"""How German says that something is not so."""

from typing import Final

from erstwhile.language.negation import Negation

NEGATION: Final = Negation(denial=r"\b(?:nicht|kein\w*|nie|niemals|früher|ehemalig\w*|ohne)\b")
