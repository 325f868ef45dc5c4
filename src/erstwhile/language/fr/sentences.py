"""How French sentences join."""

from typing import Final

from erstwhile.language.sentences import Sentences

SENTENCES: Final = Sentences(clauses="et|mais")
