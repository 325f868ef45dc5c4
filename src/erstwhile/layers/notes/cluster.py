"""Which notes a night puts together, and into which topics: plain functions over notes and their
words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from erstwhile.text.similarity import cosine, vectors

FEWEST: Final = 3  # topics, where there are as many notes
MOST_NOTES: Final = 200  # in one call


@dataclass(frozen=True, slots=True)
class Loose:
    """A note that is in no topic yet, or only in the draft of one (`topic`)."""

    id: str
    channel: str
    day: date
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Notes to be put into topics together. `audience` is "" or the private channel they are all
    of."""

    day: date
    audience: str
    notes: tuple[Loose, ...]


def groups(loose: Sequence[Loose], audiences: Mapping[str, str]) -> list[Group]:
    """Day by day, and by who may hear them: open channels together, each private channel by
    itself. One or two notes of a private channel wait for a later day, until there is something
    to put together."""
    by_audience: dict[str, dict[date, list[Loose]]] = {}
    for each in loose:
        audience = audiences.get(each.channel, each.channel)
        by_audience.setdefault(audience, {}).setdefault(each.day, []).append(each)
    found: list[Group] = []
    for audience, days in by_audience.items():
        waiting: list[Loose] = []
        for day in sorted(days):
            waiting += days[day]
            if not audience or len(waiting) >= FEWEST:
                found += [Group(day, audience, part) for part in _parts(waiting)]
                waiting = []
    return sorted(found, key=lambda group: (group.day, group.audience))


def _parts(notes: Sequence[Loose]) -> list[tuple[Loose, ...]]:
    """In pieces of about the same size, none larger than one call takes."""
    pieces = math.ceil(len(notes) / MOST_NOTES)
    size = math.ceil(len(notes) / pieces)
    return [tuple(notes[start : start + size]) for start in range(0, len(notes), size)]


def how_many(notes: int, most: int) -> int:
    """Topics for so many notes, without a model to say."""
    return min(notes, max(FEWEST, min(most, round(math.sqrt(notes)))))


def clusters(documents: Sequence[Sequence[str]], wanted: int) -> list[list[int]]:
    """The documents, by number, in `wanted` clusters: the two that are most alike on average are
    joined until so many are left. Of equally alike ones the smallest, then the first; rounded,
    so that the last bit of a logarithm decides nothing."""
    rows = vectors(documents)
    members: dict[int, list[int]] = {number: [number] for number in range(len(rows))}
    alike = {
        (one, other): round(cosine(rows[one], rows[other]), 6) for one in members for other in members if one < other
    }
    while len(members) > wanted:
        one, other = min(alike, key=lambda pair: (-alike[pair], len(members[pair[0]]) + len(members[pair[1]]), pair))
        sizes = len(members[one]), len(members[other])
        members[one] += members.pop(other)
        del alike[one, other]
        for third in members:
            if third != one:
                near = alike[min(one, third), max(one, third)]
                far = alike.pop((min(other, third), max(other, third)))
                joined = (near * sizes[0] + far * sizes[1]) / sum(sizes)
                alike[min(one, third), max(one, third)] = round(joined, 6)
    return [sorted(each) for each in members.values()]


def central(documents: Sequence[Sequence[str]], cluster: Sequence[int]) -> int:
    """The one of a cluster that says most of what the others say."""
    rows = vectors([documents[number] for number in cluster])
    total = [round(sum(cosine(row, other) for other in rows), 6) for row in rows]
    return cluster[max(range(len(cluster)), key=lambda place: (total[place], -place))]


def complete(found: Sequence[Sequence[int]], documents: Sequence[Sequence[str]]) -> list[list[int]]:
    """Every document in exactly one cluster: the first that names it, or, where none does, the
    one it has most in common with."""
    rows = vectors(documents)
    kept: list[list[int]] = []
    named: set[int] = set()
    for cluster in found:
        own = [number for number in dict.fromkeys(cluster) if number not in named]
        named.update(own)
        kept.append(own)
    for number in range(len(documents)):
        if number not in named:
            near = [
                max((round(cosine(rows[number], rows[other]), 6) for other in cluster), default=-1.0)
                for cluster in kept
            ]
            kept[max(range(len(kept)), key=lambda place: (near[place], -place))].append(number)
    return [sorted(cluster) for cluster in kept]
