"""How Spanish sentences join."""

from typing import Final

from erstwhile.language.sentences import Sentences

SENTENCES: Final = Sentences(clauses="pero|y")
