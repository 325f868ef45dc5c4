"""What a fact is about, and how much it matters, by plain rules over its text (`language/<code>/categories.py`).

The first category whose words are found is it, from what binds people (a promise) down to what is only counted (a number). Importance is
what its category is worth by itself, one more for what makes it concrete or personal, and the most for what can harm: 1 to 5.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

from erstwhile.language import languages

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


_LABEL: Final = re.compile(r"^[^:：]{1,60}[:：]\s*")  # "Mina (3 Mar 2026): " says who and when, not what

# From what binds to what is merely counted: "promised to visit his sister in Busan on Friday" is a promise.
_ORDER: Final = ("promise", "decision", "plan", "preference", "relation", "place", "event", "date", "number")
_WORTH: Final = {
    "promise": 4,
    "decision": 4,
    "plan": 3,
    "preference": 3,
    "relation": 3,
    "place": 3,
    "date": 3,
    "event": 2,
    "number": 2,
    "other": 1,
}


def category(text: str) -> str:
    said = _said(text)
    if _about_a_date(said):
        return "date"
    return next((name for name in _ORDER if _pattern(name).search(said)), "other")


def importance(text: str) -> int:
    said = _said(text)
    if _pattern("harm").search(said):
        return 5
    found = category(text)
    dated = found != "date" and _pattern("date").search(said)
    return min(5, _WORTH[found] + bool(_pattern("weighty").search(said)) + bool(dated))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    digits = r"\d" if name == "number" else ""
    return re.compile("|".join(filter(None, [digits, words("categories", name)])), re.IGNORECASE)


def words(subject: Literal["categories", "sections"], name: str) -> str:
    """The words of all languages for one of a subject's entries. Of languages that space words, at their start and end; of
    those that inflect by what is written to a word, or don't space them, anywhere."""
    spaced: list[str] = []
    other: list[str] = []
    for each in languages():
        found = getattr(each, subject).get(name)
        if found:
            (spaced if each.script == "latin" else other).append(found)
    return "|".join(filter(None, [rf"\b(?:{'|'.join(spaced)})\b" if spaced else "", *other]))


def _about_a_date(said: str) -> bool:
    """ "His sister's birthday is on 3 March" is about the day, not about the sister."""
    return _pattern("whose date").search(said) is not None and _pattern("number").search(said) is not None


def _said(text: str) -> str:
    return _LABEL.sub("", text, count=1)[:2000]  # rules look at what a person would read first
