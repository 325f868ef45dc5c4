"""Choose the section of a plain sentence about a person by its words
(`language/<code>/sections.py`)."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from erstwhile.layers.facts import classify

# The first match counts. Without a match, the category decides.
_ORDER: Final = ("opinions", "relationships", "skills", "interests", "bio")
_BY_CATEGORY: Final = {"relation": "relationships", "preference": "interests", "place": "bio"}


def guess(text: str) -> str:
    said = text[:2000]
    category = classify.category(said)
    if category == "relation":
        return "relationships"
    found = next((name for name in _ORDER if _pattern(name).search(said)), None)
    if category == "preference" and found != "opinions":  # "hates" and "is allergic to" are preferences too
        return "interests"
    return found or _BY_CATEGORY.get(category, "other")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(classify.words("sections", name), re.IGNORECASE)
