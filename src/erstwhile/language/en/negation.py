"""How English says that something is not so."""

from typing import Final

from erstwhile.language.negation import Negation

NEGATION: Final = Negation(
    denial=(
        r"\b(?:no|not|never|nor|neither|none|cannot|without|used to|former(?:ly)?|stopped|quit)\b|n['’]t\b"
        r"|\b(?:(?:do|does|did|is|are|was|were|ca|wo|has|have|had)nt)\b"
    ),
    negated=(r"\b(?:not|never|no longer|neither|nor|without|hates?|dislikes?|stopped|cannot|quit)\b|n['’]t\b"),
    negator=(
        r"\b(?:do|does|did|is|are|was|were|has|have|had|could|would|should|must)n['’]t\b|\b(?:ca|wo)n['’]t\b"
        r"|\bcannot\b|\b(?:does not|do not|did not|not|never|no longer)\b"
    ),
    kept={"ca": "can", "can": "can", "wo": "will", "has": "have", "do": "", "does": "", "did": ""},
    ending=r"n['’]t\Z|(?<=can)not\Z",
)
