"""Decide which notes go into which topics. Plain functions over notes and their words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Audiences
from erstwhile.text.similarity import cosine, vectors

FEWEST: Final = 3  # topics, if there are as many notes
MOST_NOTES: Final = 200  # in one call


@dataclass(frozen=True, slots=True)
class LooseNote:
    """A note that is in no topic yet, or only in the draft of one (`topic`)."""

    id: str
    channel: str
    first_seq: int
    day: date
    draft: bool = False
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Notes to put into topics together. `audience`: their private channel, or "" for everyone."""

    day: date
    audience: str
    notes: tuple[LooseNote, ...]

    @property
    def done(self) -> bool:
        """Whether all are in a topic already."""
        return all(each.topic for each in self.notes)

    @property
    def would_change(self) -> bool:
        """Whether topics made now can differ. So few notes are topics themselves: drafts of these
        stay drafts until their notes are final."""
        few = len(self.notes) <= FEWEST
        return not (self.done and few and any(each.draft for each in self.notes))


def groups(loose: Sequence[LooseNote], audiences: Audiences) -> list[Group]:
    """Group notes by day and audience: open channels together, each private channel by itself. One
    or two notes of a private channel wait for a later day."""
    by_audience: dict[str, dict[date, list[LooseNote]]] = {}
    for each in loose:
        audience = audiences.of(each.channel, each.first_seq)
        by_audience.setdefault(audience, {}).setdefault(each.day, []).append(each)
    found: list[Group] = []
    for audience, days in by_audience.items():
        waiting: list[LooseNote] = []
        for day in sorted(days):
            waiting += days[day]
            if not audience or len(waiting) >= FEWEST:
                found += [Group(day, audience, part) for part in _parts(waiting)]
                waiting = []
    return sorted(found, key=lambda group: (group.day, group.audience))


def _parts(notes: Sequence[LooseNote]) -> list[tuple[LooseNote, ...]]:
    """Split into parts of about the same size, none larger than one call takes."""
    pieces = math.ceil(len(notes) / MOST_NOTES)
    size = math.ceil(len(notes) / pieces)
    return [tuple(notes[start : start + size]) for start in range(0, len(notes), size)]


def how_many(notes: int, most: int) -> int:
    """Return the number of topics for so many notes, if no model decides."""
    return min(notes, max(FEWEST, min(most, round(math.sqrt(notes)))))


def clusters(documents: Sequence[Sequence[str]], wanted: int) -> list[list[int]]:
    """Return clusters of document numbers: the two most similar on average are joined until
    `wanted` are left. Ties go to the smallest, then the first. Similarities are rounded, so that
    floating-point errors decide nothing."""
    rows = vectors(documents)
    members: dict[int, list[int]] = {number: [number] for number in range(len(rows))}
    pairs = ((one, other) for one in members for other in members if one < other)
    alike = {pair: round(cosine(rows[pair[0]], rows[pair[1]]), 6) for pair in pairs}
    while len(members) > wanted:
        one, other = min(
            alike,
            key=lambda pair: (-alike[pair], len(members[pair[0]]) + len(members[pair[1]]), pair),
        )
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
    """Return the document that is most similar to the others of its cluster."""
    rows = vectors([documents[number] for number in cluster])
    total = [round(sum(cosine(row, other) for other in rows), 6) for row in rows]
    return cluster[max(range(len(cluster)), key=lambda place: (total[place], -place))]


def complete(found: Sequence[Sequence[int]], documents: Sequence[Sequence[str]]) -> list[list[int]]:
    """Put every document into one cluster: the first that names it, or that of the most similar."""
    rows = vectors(documents)
    kept: list[list[int]] = []
    named: set[int] = set()
    for cluster in found:
        own = [number for number in dict.fromkeys(cluster) if number not in named]
        named.update(own)
        kept.append(own)
    for number in range(len(documents)):
        if number not in named:
            row = rows[number]
            likeness = ([round(cosine(row, rows[at]), 6) for at in cluster] for cluster in kept)
            near = [max(each, default=-1.0) for each in likeness]
            kept[max(range(len(kept)), key=lambda place: (near[place], -place))].append(number)
    return [sorted(cluster) for cluster in kept]
