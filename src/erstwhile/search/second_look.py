"""The second look at what was found: when it happened, what it answers, and which names it shares with the first hits.

Plain arithmetic over a segment, no database. docs/decisions/0015-the-second-look.md has the reason of each number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from erstwhile.index.markers import NAMES, name_key
from erstwhile.index.neighbours import Neighbours
from erstwhile.index.segment import Places, Segment
from erstwhile.index.selection import DocumentSelection
from erstwhile.index.traits import QUESTION
from erstwhile.search.question import AFTERWARDS

if TYPE_CHECKING:
    from erstwhile.search.evidence import RankingQuery

Scores = NDArray[np.float64]

_DAY = 86_400_000_000  # microseconds
_COLUMNS = tuple(f"name{number}" for number in range(NAMES))
_EVENT = 1.0  # what happened in the time that the question mentions
_WHEN = 1.0  # what tells a time, if the question asks for one
_ANSWER = 0.1  # what the question before it has, in words and in meaning each
_LINKED = (
    0.5  # names in common with the first hits, by rarity and by what share of their scores has them
)
_MOST_LINKED = 1.5  # names alone do not decide
_FIRST = 10  # hits whose names are followed
_COMMON = 0.05  # a name in more of the messages than this links nothing
_FEW = 3  # messages; a name that so many have is rare anyhow
_FOLLOWED = 4  # names that are looked for outside of what was found
_MOST_HOLDING = 50  # messages; a name that more of them have leads nowhere
_SCANNED = 32_768  # messages, the latest: looking at these takes about half a millisecond


def weigh(
    segment: Segment,
    asked: RankingQuery,
    around: Neighbours,
    scores: Scores,
    has: Callable[[], Scores],
) -> dict[str, Scores | None]:
    """Return further evidence, None where there is none. `scores`: so far. `has`: returns how
    much each has of the question by itself, in words and in meaning."""
    return {
        "event": _event(segment, asked, around.places),
        "answer": None if segment.with_assistant else _answer(segment, around, has()),
        "linked": _linked(segment, asked, around.places, scores),
    }


def _event(segment: Segment, asked: RankingQuery, places: Places) -> Scores | None:
    """Score how much of the time that a message tells of is in the time the question mentions; and, if the question asks
    for a time, that it tells one."""
    if not asked.spans and not asked.asks_when:
        return None
    first, days = segment.columns["first_day"].take(places), segment.columns["days"].take(places)
    found, last = np.zeros(len(places)), first + days
    for begin, end in asked.spans:
        low = first if begin is None else np.maximum(first, begin / _DAY)
        high = last if end is None else np.minimum(last, (end - AFTERWARDS) / _DAY)
        np.maximum(found, (high - low) / np.maximum(1, days), out=found)
    return np.where(days > 0, _EVENT * found + _WHEN * asked.asks_when, 0.0)


def _answer(segment: Segment, around: Neighbours, has: Scores) -> Scores:
    """Score what the message before has, if that is someone else's question: "she", "there" and "that trip" in an answer
    mean what is in the question. In talk with an assistant every reply follows a question, and that tells nothing."""
    before = around.before[:-1]
    rows = (before < len(before)).nonzero()[0]
    before = before.take(rows)
    people = segment.columns["person"].take(around.places)
    asks = segment.columns["traits"].take(around.places) & QUESTION > 0
    answers = asks.take(before) & (people.take(before) != people.take(rows))
    found = np.zeros(len(people))
    found[rows] = (_ANSWER * answers) * has.take(before)
    return found


# Names in common


def follow_names(
    segment: Segment, asked: RankingQuery, chosen: DocumentSelection, first: Places
) -> Places:
    """Return messages that have a rare name in common with the `first`, which the question doesn't have."""
    told = _told(asked)
    names = dict.fromkeys(_names(segment, first[:_FIRST]).T.ravel().tolist())
    followed = [name for name in names if name not in told][:_FOLLOWED]
    start, found = max(0, len(segment) - _SCANNED), [np.empty(0, np.int64)]
    columns = [segment.columns[name][start:] for name in _COLUMNS]
    for name in followed:
        has = columns[0] == name
        for column in columns[1:]:
            has |= column == name
        if 0 < np.count_nonzero(has) <= _MOST_HOLDING:
            found.append(has.nonzero()[0] + start)
    return chosen.only(np.concatenate(found))


def _names(segment: Segment, places: Places) -> NDArray[np.uint32]:
    return np.array([segment.columns[name].take(places) for name in _COLUMNS])


def _told(asked: RankingQuery) -> set[int]:
    """Return the names in the question, and what stands for no name."""
    return {0, *map(name_key, asked.terms)}


def _linked(segment: Segment, asked: RankingQuery, places: Places, scores: Scores) -> Scores | None:
    """Score rare names in common with the first hits that the question doesn't have: the better the hit and the rarer the
    name, the more. A hit isn't linked to itself."""
    top = _first(scores)
    followed = set(_names(segment, places.take(top)).ravel().tolist()) - _told(asked)
    if not followed:
        return None
    names = np.array(sorted(followed), np.uint32)
    named = _names(segment, places).ravel()
    mentions = named.nonzero()[0]  # most messages have no name
    keys = named.take(mentions)
    numbers = names.searchsorted(keys)
    known = names.take(numbers, mode="clip") == keys
    numbers, rows = numbers[known], mentions[known] % len(places)
    holding = np.bincount(numbers, minlength=len(names))
    rarity = np.log(1 + (len(places) - holding + 0.5) / (holding + 0.5)) * (
        holding <= max(_FEW, _COMMON * len(places))
    )
    best, weights = scores.take(top), np.zeros(len(places))
    weights[top] = best / best.sum()
    own = weights.take(rows)
    lent = np.bincount(numbers, own, len(names)).take(numbers) - own
    found = np.bincount(rows, lent * rarity.take(numbers), len(places))
    return np.where(
        found > 1e-9, np.minimum(_LINKED * found, _MOST_LINKED), 0.0
    )  # less is rounding


def _first(scores: Scores) -> NDArray[np.int64]:
    """Return the rows of the best above 0; of equal ones, as far as they are rounded, those in
    front."""
    rounded = scores.round(6)
    if len(scores) > _FIRST:
        ordered = rounded.copy()
        ordered.partition(len(scores) - _FIRST)
        rows = (rounded >= ordered[len(scores) - _FIRST]).nonzero()[0]
    else:
        rows = np.arange(len(scores))
    rows = rows.take((-rounded.take(rows)).argsort(kind="stable")[:_FIRST])
    return np.asarray(rows[scores.take(rows) > 0], np.int64)
