"""Count how often a digest occurred, in a few bytes for each."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable
from typing import Final

_FEW: Final = 1 << 12


class DigestCounts:
    """Counts millions of digests by eight bytes of each; a Python set takes ten times the memory.

    Two of two million digests collide with a chance of one in ten million; then one key differs.
    """

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * _FEW))
        self._held = 0
        self._often: dict[int, int] = {}

    def count(self, digest: bytes) -> int:
        """Count a digest and return how often it occurred; 1 for the first time."""
        mark = int.from_bytes(digest[:8]) or 1
        if self._put(self._slots, mark):
            self._held += 1
            if 3 * self._held > 2 * len(self._slots):
                self._grow()
            return 1
        self._often[mark] = self._often.get(mark, 1) + 1
        return self._often[mark]

    def _grow(self) -> None:
        wider = array("Q", bytes(16 * len(self._slots)))
        for mark in _filled(self._slots):
            self._put(wider, mark)
        self._slots = wider

    @staticmethod
    def _put(slots: array[int], mark: int) -> bool:
        """Add a value and return whether it is new."""
        last = len(slots) - 1
        place = mark & last
        while found := slots[place]:
            if found == mark:
                return False
            place = (place + 1) & last
        slots[place] = mark
        return True


def _filled(slots: array[int]) -> Iterable[int]:
    return (mark for mark in slots if mark)


def digest(*parts: str) -> bytes:
    """Hash the parts with their lengths, so that ("a", "bc") and ("ab", "c") differ."""
    told = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(told.encode("utf-8", "replace")).digest()
