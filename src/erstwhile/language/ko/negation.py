"""How Korean says that something is not so."""

from typing import Final

from erstwhile.language.negation import Negation

NEGATION: Final = Negation(
    denial=r"(?:^|\s)[안못]\s|않|없|아니|더 이상|예전|그만",
    negated=r"(?:^|\s)(?:안|못) ?\S|지 (?:않|못)|싫어|없",
    negator=r"(?:^|(?<=\s))(?:안|못) (?=\S)|(?:^|(?<=\s))못(?=[해하한합먹])|지 (?:않|못하)\S*|없",
    kept={"없": "있"},
)
