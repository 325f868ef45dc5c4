"""How Chinese sentences join."""

from typing import Final

from erstwhile.language.sentences import Sentences

SENTENCES: Final = Sentences(said="[说說道问問][:：，]? ?")
