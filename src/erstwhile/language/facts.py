"""Patterns of what to look for in a sentence, per language. Used by the extractive writer.

Every pattern is bounded: no quantifier inside a quantifier over the same characters, so that
hostile text takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass
from erstwhile.language import Language

NEVER: Final = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What makes a statement concrete, one pattern per kind."""

    day: re.Pattern[str] = NEVER
    """A day, date or time that can be looked up later: "Friday the 12th", "since 2018"."""
    recent: re.Pattern[str] = NEVER
    """A time relative to today: "last night", "tomorrow"."""
    amount: re.Pattern[str] = NEVER
    """A number with what it counts or costs."""
    name: re.Pattern[str] = NEVER
    kin: re.Pattern[str] = NEVER
    matter: re.Pattern[str] = NEVER
    """Words of money, health, homes, work, travel and occasions: subjects people return to."""


@dataclass(frozen=True, slots=True)
class Useful:
    """How likely readers find a fact useful, as a logarithm of odds: the sum of what its signs
    weigh. `training/usefulness/weights.py` fits the weights."""

    base: float
    score: float
    """Weight of each point of the network's score."""
    byte: float
    weights: Mapping[str, float]
    patterns: Mapping[str, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class Signals:
    """`primary`: how strongly a sentence asks to be kept: 3 or more by itself, 2 with evidence. The
    first patterns below are reasons not to keep it."""

    filler: re.Pattern[str]
    """Greetings, thanks, laughter and agreement. A sentence of nothing else is left out."""
    opening: re.Pattern[str]
    """Words at the start of a sentence that can be removed."""
    question: re.Pattern[str]
    unreal: re.Pattern[str]
    """Wishes, hypotheses, advice, requests: nothing that is a fact."""
    vague: re.Pattern[str]
    """Looks like a statement and says nothing: "I love it", "I'll let you know"."""
    primary: tuple[tuple[int, re.Pattern[str]], ...]
    evidence: Evidence = Evidence()
    settled: re.Pattern[str] = NEVER
    """An assistant's sentence worth keeping: it booked, confirmed, noted or promised something."""
    confirmation: re.Pattern[str] = NEVER
    """An assistant's "Noted.", which refers to the sentence after it."""
    addressed: re.Pattern[str] = NEVER
    """Addresses the other person: often a compliment or comfort, rarely news."""
    dependent: re.Pattern[str] = NEVER
    """Starts with a pronoun that only the sentence before explains."""
    lost: re.Pattern[str] = NEVER
    """Names something that only the lines before say, or is no news: "now it's Saturday", "the other one"."""
    fleeting: re.Pattern[str] = NEVER
    """An offer, or what is over in a few days: "I'll bring salad", "tonight", "on Friday"."""
    thin: re.Pattern[str] = NEVER
    """Understood by those who were there, or over soon: "The bar is sold", "We land at 9:40"."""
    firm: re.Pattern[str] = NEVER
    """A date that says more than the day of a week, or something regular."""
    trailing: re.Pattern[str] = NEVER
    """Words at the end that can be removed: "so please don't", "by the way"."""
    tail: re.Pattern[str] = NEVER
    """Where a clause begins that may tell nothing more: ", so it's that or nothing"."""
    pronoun: re.Pattern[str] = NEVER
    """A person who must have been named before."""
    antecedent: re.Pattern[str] = NEVER
    """Names the person whom a pronoun after it means."""
    women: re.Pattern[str] = NEVER
    """Someone whom "she" can mean."""
    men: re.Pattern[str] = NEVER
    """Someone whom "he" can mean."""
    told_of: re.Pattern[str] = NEVER
    """A question whose answer holds for long, of whatever words: "where do you live"."""
    hollow: re.Pattern[str] = NEVER
    """Words for things that are not named: "it", "there", "everything"."""
    unnamed: re.Pattern[str] = NEVER
    """Words for things or people that a question names only in the lines before."""
    subject: re.Pattern[str] = NEVER
    """How a sentence starts that says who or what it is about."""
    own: re.Pattern[str] = NEVER
    """How a sentence starts that is about the speaker."""
    lasting: re.Pattern[str] = NEVER
    """What is so for months. Only this is kept in a language without `useful`."""
    useful: Useful | None = None
    joint: re.Pattern[str] = NEVER
    """Where a clause about the speaker begins or ends within a sentence."""
    fragment: re.Pattern[str] = NEVER
    """No complete sentence: an answer, or a part of the sentence before it."""
    asking: re.Pattern[str] = NEVER
    """A question whose answer may be just a number or a date."""
    occasion: re.Pattern[str] = NEVER
    """Occasions whose dates people list: birthdays."""
    agreement: re.Pattern[str] = NEVER
    """How a yes to a proposal starts."""
    before_question: re.Pattern[str] = NEVER
    """A statement followed by a question in the same sentence, as two groups."""
    fewest_terms: int = 2
    fewest_words: int = 0
    formal: Callable[[str], str] = str
    """Converts chat spelling to what the patterns expect."""


def ending_in(final: int) -> str:
    """Return a class of the Korean syllables with a final consonant: 0xAC00 + 28 · k + final."""
    return "[" + "".join(chr(0xAC00 + 28 * k + final) for k in range(399)) + "]"


# Parts that every language may use. Digits and shapes mean the same everywhere.
SHARED: Final = {
    "NUMBERS": (
        r"[$€£¥₩]\s?\d|\d\s?(?:€|%|km\b|kg\b|cm\b|m[gl]\b|mins?\b|hours?\b|hrs?\b|miles?\b|people\b|usd\b|eur\b|k\b)"
        r"|\b\d{1,2}:\d{2}\b|\b\d{1,2}\s?(?:am|pm)\b|\b\d{2,4}[- ]\d{3,4}[- ]\d{3,4}\b"
        r"|\b[\w.]{1,40}@[\w-]{1,40}\.\w{2,10}\b"
    ),
    # A capital after a small letter, in languages that capitalise only names.
    "NAMED": r"(?-i:[a-zà-ÿ,] (?!I\b)[A-ZÀ-Þ][\w'-]+)",
    "ENDS_IN_L": ending_in(8),  # ㄹ: 할, 갈, 볼
    "ENDS_IN_SS": ending_in(20),  # ㅆ: 했, 갔, 샀
}
_WORD: Final = re.compile(r"\w+")
_PART: Final = re.compile(r"\{([A-Z][A-Z0-9_]*)\}")


class Parts:
    """The named parts of a file's patterns, used as `{NAME}`; a part may use earlier ones."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        self._parts = dict(SHARED)
        for name, pattern in parts.items():
            self._parts[name] = self.fill(pattern)

    def fill(self, pattern: str) -> str:
        return _PART.sub(lambda match: self._parts[match[1]], pattern)

    def compile(self, pattern: str) -> re.Pattern[str]:
        """Return a pattern that ignores case, except inside `(?-i:…)`."""
        return late_pattern(self.fill(pattern), re.IGNORECASE)


def read(language: Language) -> Signals:
    """Read the signals of a language from its `facts.toml`."""
    data = language.data("facts")
    parts = Parts(data.pop("parts", {}))
    made: dict[str, Any] = {
        "primary": tuple(
            (rule["weight"], parts.compile(rule["pattern"])) for rule in data.pop("primary")
        ),
        "evidence": Evidence(
            **{name: parts.compile(each) for name, each in data.pop("evidence", {}).items()}
        ),
        "formal": _respell(data.pop("spelling", {})),
        "useful": _useful(data.pop("useful", {}), parts),
    }
    for name, value in data.items():
        made[name] = parts.compile(value) if isinstance(value, str) else value
    return Signals(**made)


def _useful(table: dict[str, Any], parts: Parts) -> Useful | None:
    if not table:
        return None
    patterns = {name: parts.compile(each) for name, each in table.pop("patterns").items()}
    return Useful(**table, patterns=patterns)


def _respell(words: Mapping[str, str]) -> Callable[[str], str]:
    if not words:
        return str
    written = re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)

    def respell(text: str) -> str:
        if text.isascii() and words.keys().isdisjoint(_WORD.findall(text.lower())):
            return text  # most have none, and looking for them takes longer
        return written.sub(lambda match: words[match[0].lower()], text)

    return respell
