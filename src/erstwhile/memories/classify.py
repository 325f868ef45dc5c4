"""Give a fact a category and an importance, by rules over its text
(`language/<code>/categories.py`).

The category is the first one of `_WORTH` whose words are found. The importance (1 to 5) is the
worth of the category, plus one for what makes it concrete or personal; 5 for what can harm.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final, Literal

from erstwhile.language import languages
from erstwhile.text.lines import unlabelled

CATEGORIES: Final = (
    "date",
    "place",
    "preference",
    "relation",
    "promise",
    "plan",
    "decision",
    "event",
    "number",
    "other",
)

_LONGEST: Final = 2000  # characters that are looked at
# What each category is worth, in the order in which they are looked for: "Promised to visit his sister in Busan on
# Friday" is a promise, not a relation, place or date.
_WORTH: Final = {
    "promise": 4,
    "decision": 4,
    "plan": 3,
    "preference": 3,
    "relation": 3,
    "place": 3,
    "event": 2,
    "date": 3,
    "number": 2,
}
_OTHER: Final = 1


@lru_cache(maxsize=256)  # the importance follows from it
def category(text: str) -> str:
    said = unlabelled(text)[:_LONGEST]
    # "His sister's birthday is on 3 March" is about the day.
    if all(_pattern(each).search(said) for each in ("whose date", "number")):
        return "date"
    return next((name for name in _WORTH if _pattern(name).search(said)), "other")


def importance(text: str) -> int:
    said = unlabelled(text)[:_LONGEST]
    if _pattern("harm").search(said):
        return 5
    found = category(text)
    dated = found != "date" and _pattern("date").search(said)
    return min(5, _WORTH.get(found, _OTHER) + bool(_pattern("weighty").search(said)) + bool(dated))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    digits = r"\d" if name == "number" else ""
    return re.compile("|".join(filter(None, [digits, words("categories", name)])), re.IGNORECASE)


def words(subject: Literal["categories", "sections"], name: str) -> str:
    """Return a pattern with the words of all languages for an entry. In Latin script, they match
    whole words; in others, also parts of words."""
    spaced: list[str] = []
    other: list[str] = []
    for each in languages():
        found = getattr(each, subject).get(name)
        if found:
            (spaced if each.script == "latin" else other).append(found)
    return "|".join(filter(None, [rf"\b(?:{'|'.join(spaced)})\b" if spaced else "", *other]))
