"""What to look for in a sentence, as one small set of patterns per language. The extractive writer judges by them.

Every pattern is bounded: no quantifier inside a quantifier over the same characters, so hostile text stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from erstwhile.language import Language

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
    below are reasons not to keep it."""

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


def ending_in(final: int) -> str:
    """All Korean syllables with one final consonant, as a character class. A syllable is 0xAC00 + 28 · k + final."""
    return "[" + "".join(chr(0xAC00 + 28 * k + final) for k in range(399)) + "]"


# Parts that every language may use. Digits and shapes mean the same everywhere.
SHARED: Final = {
    "NUMBERS": (
        r"[$€£¥₩]\s?\d|\d\s?(?:€|%|km\b|kg\b|cm\b|m[gl]\b|mins?\b|hours?\b|hrs?\b|miles?\b|people\b|usd\b|eur\b|k\b)"
        r"|\b\d{1,2}:\d{2}\b|\b\d{1,2}\s?(?:am|pm)\b|\b\d{2,4}[- ]\d{3,4}[- ]\d{3,4}\b"
        r"|\b[\w.]{1,40}@[\w-]{1,40}\.\w{2,10}\b"
    ),
    # A capital after a small letter, in languages that write only names with one.
    "NAMED": r"(?-i:[a-zà-ÿ,] (?!I\b)[A-ZÀ-Þ][\w'-]+)",
    "ENDS_IN_L": ending_in(8),  # ㄹ: 할, 갈, 볼
    "ENDS_IN_SS": ending_in(20),  # ㅆ: 했, 갔, 샀
}
_PART: Final = re.compile(r"\{([A-Z][A-Z0-9_]*)\}")


class Parts:
    """The named parts of a file's patterns. A pattern names a part as `{NAME}`; a part may name those above it."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        self._parts = dict(SHARED)
        for name, pattern in parts.items():
            self._parts[name] = self.fill(pattern)

    def fill(self, pattern: str) -> str:
        return _PART.sub(lambda match: self._parts[match[1]], pattern)

    def compile(self, pattern: str) -> re.Pattern[str]:
        """A pattern blind to case, but for what stands in `(?-i:…)`."""
        return re.compile(self.fill(pattern), re.IGNORECASE)


def read(language: Language) -> Signals:
    """Read the signals of a language from its `facts.toml`."""
    data = language.data("facts")
    parts = Parts(data.pop("parts", {}))
    made: dict[str, Any] = {
        "primary": tuple((rule["weight"], parts.compile(rule["pattern"])) for rule in data.pop("primary")),
        "evidence": Evidence(**{name: parts.compile(each) for name, each in data.pop("evidence", {}).items()}),
        "formal": _respell(data.pop("spelling", {})),
    }
    for name, value in data.items():
        made[name] = parts.compile(value) if isinstance(value, str) else value
    return Signals(**made)


def _respell(words: Mapping[str, str]) -> Callable[[str], str]:
    if not words:
        return str
    written = re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)
    return lambda text: written.sub(lambda match: words[match[0].lower()], text)
