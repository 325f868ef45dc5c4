"""The trace of one search: how it came to its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from erstwhile.base.records import dataclass

if TYPE_CHECKING:
    from erstwhile.search.model import CandidateList

KEPT, BELOW, SAME, BUDGET, SHOWN, GONE = (
    "kept",
    "below the limit",
    "same source",
    "budget",
    "shown already",
    "gone",
)
RELEVANCE = "relevance"  # among the parts of a score, to which it adds nothing
FLOOR = "below the floor"  # it hardly bears on the question
PATHS = ("summaries", "words", "trigram", "meaning", "recent")
MOST = 40
_NAME = "="  # no sub-question begins with it


@dataclass(frozen=True, slots=True)
class Candidate:
    id: str
    kind: str
    channel: str | None
    seq: int | None
    at: int  # microseconds
    score: float  # the sum that it was ranked by
    # What the score is made of: words, meaning, speaker, date, session, source, substance, event,
    # answer, linked; and `relevance`, which adds nothing to it.
    parts: Mapping[str, float]
    fate: str  # "kept", or why not: "below the limit", "same source", "budget", "shown already", "gone", "below the floor"
    # The sub-question that found it, or the name by which what was found first led to it. That is
    # recorded as a number and read in the text by whoever explains, so no word of it is kept.
    hop: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    query: str
    hits: Mapping[str, int]  # per path: summaries, words, trigram, meaning, recent
    path: str  # the path that carried the result: words | trigram | meaning | recent | summaries | none
    fallback: bool  # trigram or recent had to be used
    scope: str  # channel | person | space
    widened: str  # "" or why: "few hits", or the words that point at the past
    when: str  # the words of time understood, or ""
    candidates: CandidateList  # the best at most
    milliseconds: float
    truncated: bool = False  # the budget left out one of the best
    sub_questions: tuple[str, ...] = ()  # that a model split the question into


def hop_of(name: int) -> str:
    """`name`: the key of a name, 0: none."""
    return f"{_NAME}{name}" if name else ""


def name_of(hop: str) -> int:
    """Return the key of a name from a hop, 0 if it is no name."""
    return int(hop[1:]) if hop[:1] == _NAME and hop[1:].isdecimal() else 0
