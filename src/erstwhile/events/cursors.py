"""Cursors of the feed. Places in it are numbers of the whole database, which would tell the readers of one space how much
happens in others. So a cursor is a place, encrypted with a key of its space.

The cipher is a Feistel network of four rounds over BLAKE2, two halves of 64 bits. A cursor that was made up decrypts to
some place that is not there.
"""

from __future__ import annotations

import hashlib
import re

from erstwhile.base.records import dataclass

_CURSOR = re.compile(r"[0-9a-f]{32}")
_ROUNDS = range(4)
_FURTHEST = 2**63  # numbers of a database are smaller


@dataclass(frozen=True, slots=True)
class FeedPosition:
    """The position of a reader. On SQLite, with one writer, `stamp` is the event's number."""

    stamp: int = 0
    number: int = 0


class CursorKey:
    """The key of a space."""

    def __init__(self, secret: str, space: str) -> None:
        digest = hashlib.blake2b(space.encode(), key=secret.encode(), digest_size=32)
        self._key = digest.digest()

    def write(self, place: FeedPosition) -> str:
        left, right = place.stamp, place.number
        for turn in _ROUNDS:
            left, right = right, left ^ self._mix(turn, right)
        return f"{left:016x}{right:016x}"

    def read(self, cursor: str) -> FeedPosition | None:
        """Return the place of a cursor, or None if it can't be one."""
        if not _CURSOR.fullmatch(cursor):
            return None
        left, right = int(cursor[:16], 16), int(cursor[16:], 16)
        for turn in reversed(_ROUNDS):
            left, right = right ^ self._mix(turn, left), left
        return FeedPosition(left, right) if max(left, right) < _FURTHEST else None

    def _mix(self, turn: int, half: int) -> int:
        mixed = hashlib.blake2b(half.to_bytes(8, "big"), key=self._key, salt=bytes([turn]), digest_size=8)
        return int.from_bytes(mixed.digest(), "big")
