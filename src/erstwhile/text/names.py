"""Find words that are names: of people, places and things."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from erstwhile.base.later import late_pattern
from erstwhile.text import analyse

MOST: Final = 3  # of one message
_LOOKED_AT: Final = 2000  # characters
# A capital inside a sentence; in Japanese what is written in katakana, three characters or more.
# It begins with the letter, and then looks at what is before it: so it is found much faster.
_NAME: Final = late_pattern(
    r"[A-ZÀ-ÖØ-Þァ-ヺー]"
    r"(?:(?<=[^\W\d_] [A-ZÀ-ÖØ-Þ])(?:[a-zß-öø-ÿ]{2,}|[A-Z]+)\b|(?<=[ァ-ヺー])[ァ-ヺー]{2,})"
)


def name_terms(text: str, others: Container[str]) -> list[str]:
    """Return the terms of the first names in a text, without `others` (in lower case). Languages that write no capitals
    have none. German has every noun: how rare a name is tells whether it links anything."""
    words = _NAME.findall(text[:_LOOKED_AT])
    found = dict.fromkeys(word for word in words if word.lower() not in others)
    if not found:
        return []
    return list(dict.fromkeys(analyse.terms(" ".join(found))))[:MOST]


def spelled(text: str) -> Iterator[tuple[str, str]]:
    """Yield each name in a text with each of its terms."""
    for word in dict.fromkeys(_NAME.findall(text[:_LOOKED_AT])):
        for term in analyse.terms(word):
            yield term, word
