"""How Korean sentences join."""

from typing import Final

from erstwhile.language.sentences import Sentences

SENTENCES: Final = Sentences(
    clause_endings=r"(?<=[고서데지만])\s", laughter_letters="ㅋㅎㅠㅜ", quoted=" ?(?:이?라고|이?라며|이?라면서|하고|고)"
)
