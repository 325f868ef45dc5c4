"""The trace of one search: how it came to its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from erstwhile.base.records import dataclass
from erstwhile.storage import Row

KEPT, BELOW, SAME, BUDGET, SHOWN, GONE = ("kept", "below the limit", "same source", "budget", "shown already", "gone")
RELEVANCE = "relevance"  # among the parts of a score, to which it adds nothing
FLOOR = "below the floor"  # it hardly bears on the question
PATHS = ("summaries", "words", "trigram", "meaning", "recent")
MOST = 40


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


Make = Callable[[Mapping[int, Row]], Sequence[Candidate]]


class CandidateList(Sequence[Candidate]):
    """Candidates, best first. `ids` are those of which the search has read the documents; the `unread` ones, by number,
    are read by the recorder. `make` works out the rest of each when someone looks at it: as a rule the recorder, after
    the answer was given."""

    def __init__(self, ids: Sequence[str], make: Make, unread: Sequence[int] = ()) -> None:
        self.ids, self.unread, self._make = ids, unread, make
        self._made: Sequence[Candidate] | None = None

    def read(self, rows: Mapping[int, Row]) -> None:
        """Take the documents that were unread, as far as they are still there."""
        self._made = tuple(self._make(rows))

    def __getitem__(self, index: Any) -> Any:
        if self._made is None:
            self.read({})
        return cast("Sequence[Candidate]", self._made)[index]

    def __len__(self) -> int:
        return len(self[:])

    def with_fates(self, fate: Callable[[Candidate, int], str]) -> CandidateList:
        """Return the same with the fate of each, given it and its place."""

        def make(rows: Mapping[int, Row]) -> Sequence[Candidate]:
            return [_with_fate(each, fate(each, at)) for at, each in enumerate(self._make(rows))]

        return CandidateList(self.ids, make, self.unread)


NO_CANDIDATES = CandidateList((), lambda _: ())


def _with_fate(each: Candidate, fate: str) -> Candidate:
    return replace(each, fate=fate) if fate != each.fate else each


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
