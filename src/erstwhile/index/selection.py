"""Which documents of a segment are searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.index.documents import Scope
from erstwhile.index.segment import Places, Segment
from erstwhile.index.traits import TRUST

Mask = NDArray[np.bool_]


class DocumentSelection:
    """The documents in `mask`; without a mask, all that are there. Only the documents asked about are looked at: a mask
    over a whole segment is made at most once a search, and only where something is filtered."""

    def __init__(self, segment: Segment, mask: Mask | None = None) -> None:
        self._segment = segment
        self._mask = mask
        self.total = segment.alive if mask is None else int(np.count_nonzero(mask))
        self.everything = mask is None and not segment.dead

    def places(self) -> Places:
        if self._mask is not None:
            return np.flatnonzero(self._mask)
        return (
            np.flatnonzero(self._segment.columns["alive"])
            if self._segment.dead
            else np.arange(len(self._segment))
        )

    def only(self, places: Places) -> Places:
        """Return those of these that are selected."""
        return places if self.everything else places[self.holds(places)]

    def holds(self, places: NDArray[np.integer[Any]]) -> Mask:
        """Return which of these are selected."""
        if self._mask is not None:
            return np.asarray(self._mask[places])
        if not self._segment.dead:
            return np.ones(len(places), bool)
        return np.asarray(self._segment.columns["alive"][places].view(bool))


def select(
    segment: Segment, scope: Scope, channels: Sequence[str], silent: frozenset[str]
) -> DocumentSelection:
    """Select by everything but the kind, and without what is by or about people in `silent`."""
    wanted: dict[str, Sequence[str | None]] = {}
    if channels:
        wanted["channel"] = channels
    if scope.person is not None:
        wanted["person"] = (scope.person,)
    if scope.writer is not None:
        wanted["writer"] = (scope.writer,)
    blocked = [code for person in silent if (code := segment.code("person", person)) >= 0]
    if not wanted and not blocked and (scope.since, scope.until, scope.trust) == (None, None, None):
        return DocumentSelection(segment)
    mask = segment.mask(wanted, scope.since, scope.until)
    if scope.trust is not None:
        mask = mask & (segment.columns["traits"] >= TRUST * scope.trust)
    if blocked:
        mask = mask & np.isin(segment.columns["person"], blocked, invert=True)
    return DocumentSelection(segment, mask)


def of_kinds(segment: Segment, places: Places, kinds: Sequence[str] | None) -> Mask:
    """Return which of these have one of the kinds."""
    if kinds is None:
        return np.ones(len(places), bool)
    return is_one_of(
        segment.columns["kind"].take(places), [segment.code("kind", kind) for kind in kinds]
    )


def is_one_of(values: NDArray[Any], wanted: Sequence[int]) -> Mask:
    """As np.isin, for a few: without its overhead."""
    found = np.zeros(len(values), bool)
    for each in wanted:
        if each >= 0:
            found |= values == each
    return found
