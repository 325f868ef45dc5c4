"""What to look for in a sentence, as one small set of patterns per language. The extractive writer judges by them.

Every pattern is bounded: no quantifier inside a quantifier over the same characters, so hostile text stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

NEVER: Final = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What makes a statement concrete, one pattern per kind."""

    day: re.Pattern[str] = NEVER
    """A day, date or time that can be looked up later: "Friday the 12th", "since 2018"."""
    recent: re.Pattern[str] = NEVER
    """Only today's way to say when: "last night", "tomorrow"."""
    amount: re.Pattern[str] = NEVER
    """A number with what it counts or costs."""
    name: re.Pattern[str] = NEVER
    kin: re.Pattern[str] = NEVER
    matter: re.Pattern[str] = NEVER
    """Words of money, health, homes, work, travel and occasions: what people come back to."""


@dataclass(frozen=True, slots=True)
class Signals:
    """`primary` says how strongly a sentence asks to be kept: 3 and more by itself, 2 with evidence. The first ones
    below speak against it."""

    filler: re.Pattern[str]
    """Words of greeting, thanks, laughter and agreement: a sentence of nothing else is left out."""
    opening: re.Pattern[str]
    """What a sentence can lose at its start without losing anything."""
    question: re.Pattern[str]
    unreal: re.Pattern[str]
    """Wishes, hypotheses, advice, requests: nothing that is so."""
    vague: re.Pattern[str]
    """Looks like a statement and says nothing: "I love it", "I'll let you know"."""
    primary: tuple[tuple[int, re.Pattern[str]], ...]
    evidence: Evidence = Evidence()
    settled: re.Pattern[str] = NEVER
    """What makes an assistant's sentence worth keeping: it booked, confirmed, noted or promised something."""
    confirmation: re.Pattern[str] = NEVER
    """An assistant's "Noted.", which is about the sentence after it."""
    addressed: re.Pattern[str] = NEVER
    """Speaks to the other one: often a compliment or comfort, seldom news."""
    dependent: re.Pattern[str] = NEVER
    """Opens with a pronoun that only the sentence before explains."""
    fragment: re.Pattern[str] = NEVER
    """No sentence by itself: an answer, or a part of the sentence before it."""
    asking: re.Pattern[str] = NEVER
    """A question that wants to know something, so that a number or a date after it is its answer."""
    occasion: re.Pattern[str] = NEVER
    """What people name dates for, one after the other: birthdays."""
    agreement: re.Pattern[str] = NEVER
    """How a yes to a proposal starts."""
    before_question: re.Pattern[str] = NEVER
    """A statement and, after it, a question in the same sentence: the two groups."""
    fewest_terms: int = 2
    fewest_words: int = 0
    formal: Callable[[str], str] = str
    """Chat spelling as the patterns expect it."""


def words(pattern: str) -> re.Pattern[str]:
    """A pattern blind to case. Line breaks and indentation are for the reader and no part of it."""
    return re.compile(unfolded(pattern), re.IGNORECASE)


def exact(pattern: str) -> re.Pattern[str]:
    """The same where case tells names from words."""
    return re.compile(unfolded(pattern))


def unfolded(pattern: str) -> str:
    return "".join(line.strip() for line in pattern.splitlines())


# Digits and shapes that mean the same everywhere.
NUMBERS: Final = words(r"""
    [$€£¥₩]\s?\d|\d\s?(?:€|%|km\b|kg\b|cm\b|m[gl]\b|mins?\b|hours?\b|hrs?\b|miles?\b|people\b|usd\b|eur\b|k\b)
    |\b\d{1,2}:\d{2}\b|\b\d{1,2}\s?(?:am|pm)\b|\b\d{2,4}[- ]\d{3,4}[- ]\d{3,4}\b
    |\b[\w.]{1,40}@[\w-]{1,40}\.\w{2,10}\b
""")

# A capital after a small letter, in languages that write only names with one.
NAMED: Final = re.compile(r"[a-zà-ÿ,] (?!I\b)[A-ZÀ-Þ][\w'-]+")
