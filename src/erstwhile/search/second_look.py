"""The second look at what was found: when it happened, what it answers, and which names it shares with the first hits.

Plain arithmetic over a segment, no database. docs/decisions/0015-the-second-look.md has the reason of each number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from erstwhile.index.markers import NAMES, name_key
from erstwhile.index.neighbours import Neighbours, unique
from erstwhile.index.segment import Places, Segment
from erstwhile.index.selection import DocumentSelection
from erstwhile.index.traits import QUESTION
from erstwhile.search.question import AFTERWARDS

if TYPE_CHECKING:
    from erstwhile.search.evidence import RankingQuery

Scores = NDArray[np.float64]

_DAY = 86_400_000_000  # microseconds
_EVENT = 1.0  # what happened in the time that the question mentions
_WHEN = 1.0  # what tells a time, if the question asks for one
_ANSWER = 0.1  # what the question before it has, in words and in meaning each
_LINKED = 0.5  # names in common with the first hits, by rarity and by what share of their scores has them
_MOST_LINKED = 1.5  # names alone do not decide
_FIRST = 10  # hits whose names are followed
_COMMON = 0.05  # a name in more of the messages than this links nothing
_FEW = 3  # messages; a name that so many have is rare anyhow
_FOLLOWED = 4  # names that are looked for outside of what was found
_MOST_HOLDING = 50  # messages; a name that more of them have leads nowhere
_SCANNED = 32_768  # messages, the latest: looking at these takes about half a millisecond


def weigh(
    segment: Segment, asked: RankingQuery, around: Neighbours, found: tuple[Scores, Scores, Scores | None]
) -> dict[str, Scores]:
    """Return further evidence. `found`: the scores so far, how much each has of the question's words by itself, and how
    near it is by meaning."""
    scores, words, meaning = found
    return {
        "event": _event(segment, asked, around.places),
        "answer": _answer(segment, around, words if meaning is None else words + meaning),
        "linked": _linked(segment, asked, around.places, scores),
    }


def _event(segment: Segment, asked: RankingQuery, places: Places) -> Scores:
    """Score how much of the time that a message tells of is in the time the question mentions; and, if the question asks
    for a time, that it tells one."""
    found = np.zeros(len(places))
    if not asked.spans and not asked.asks_when:
        return found
    first, days = segment.columns["first_day"][places], segment.columns["days"][places]
    last = first + days
    for begin, end in asked.spans:
        low = first if begin is None else np.maximum(first, begin / _DAY)
        high = last if end is None else np.minimum(last, (end - AFTERWARDS) / _DAY)
        np.maximum(found, (high - low) / np.maximum(1, days), out=found)
    return np.where(days > 0, _EVENT * found + _WHEN * asked.asks_when, 0.0)


def _answer(segment: Segment, around: Neighbours, has: Scores) -> Scores:
    """Score what the message before has, if that is someone else's question: "she", "there" and "that trip" in an answer
    mean what is in the question. In talk with an assistant every reply follows a question, and that tells nothing."""
    if segment.with_assistant:
        return np.zeros(len(has))
    before = around.beside[0]
    there = before < len(before)
    row = np.where(there, before, 0)
    people = segment.columns["person"][around.places]
    asks = segment.columns["traits"][around.places] & QUESTION > 0
    return np.where(there & asks[row] & (people[row] != people), _ANSWER * has[row], 0.0)


# Names in common


def follow_names(segment: Segment, asked: RankingQuery, chosen: DocumentSelection, first: Places) -> Places:
    """Return messages that have a rare name in common with the `first`, which the question doesn't have."""
    told = {0, *map(name_key, asked.terms)}
    names = [name for name in _names(segment, first[:_FIRST]).T.ravel().tolist() if name not in told]
    start, found = max(0, len(segment) - _SCANNED), [np.empty(0, np.int64)]
    columns = [segment.columns[f"name{number}"][start:] for number in range(NAMES)]
    for name in list(dict.fromkeys(names))[:_FOLLOWED]:
        there = np.flatnonzero(np.logical_or.reduce([column == name for column in columns]))
        if len(there) <= _MOST_HOLDING:
            found.append(there + start)
    return chosen.only(unique(np.concatenate(found)))


def _names(segment: Segment, places: Places) -> NDArray[np.uint32]:
    return np.stack([segment.columns[f"name{number}"][places] for number in range(NAMES)])


def _linked(segment: Segment, asked: RankingQuery, places: Places, scores: Scores) -> Scores:
    """Score rare names in common with the first hits that the question doesn't have: the better the hit and the rarer the
    name, the more. A hit isn't linked to itself."""
    top = np.argsort(-np.round(scores, 6), kind="stable")[:_FIRST]
    top = top[scores[top] > 0]
    named = _names(segment, places)
    told = {0, *map(name_key, asked.terms)}
    names = np.array(sorted(set(named[:, top].ravel().tolist()) - told), np.uint32)
    if not len(names):
        return np.zeros(len(places))
    rows = np.minimum(np.searchsorted(names, named), len(names) - 1)
    rows = np.where(names[rows] == named, rows, len(names))
    holding = np.bincount(rows.ravel(), minlength=len(names) + 1)
    rarity = np.log(1 + (len(places) - holding + 0.5) / (holding + 0.5)) * (holding <= max(_FEW, _COMMON * len(places)))
    rarity[-1] = 0.0  # of no name
    weights = scores[top] / scores[top].sum()
    lent = np.bincount(rows[:, top].ravel(), np.tile(weights, NAMES), len(names) + 1) * rarity
    found = lent[rows].sum(axis=0)
    found[top] -= weights * rarity[rows[:, top]].sum(axis=0)
    return np.where(found > 1e-9, np.minimum(_LINKED * found, _MOST_LINKED), 0.0)  # less is rounding
