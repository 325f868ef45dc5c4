"""The checksums of messages (what was said, by whom and when) and of memories (what they say, and about whom). They tell that
a stored row has changed on the disk.

SQLite has no checksums of its own: a flipped bit in a text is a valid row. A CRC of 32 bits finds every change of a single
bit, costs four bytes, and is the same on both databases, in backups and in exports. It is no defence against
somebody who changes both.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final

Row = Mapping[str, Any]

_message = itemgetter("id", "role", "person", "name", "text", "at", "key", "model", "meta")
_memory = itemgetter("id", "kind", "channel", "person", "said_by", "title", "text", "data")


def checksum(row: Row) -> int:
    """Return the checksum of a row of `messages`, as a signed number of 32 bits. Texts may be bytes."""
    return _sum(_message(row))


def memory_checksum(row: Row) -> int:
    """Return the same of a row of `memories`."""
    return _sum(_memory(row))


# Of the tables whose rows have one.
CHECKSUMS: Final[Mapping[str, Callable[[Row], int]]] = {
    "messages": checksum,
    "memories": memory_checksum,
}


def is_damaged(table: str, row: Row) -> bool:
    """Return whether a row is not what was stored. One of an export without checksums has none."""
    return row["checksum"] is not None and row["checksum"] != CHECKSUMS[table](row)


def _sum(values: tuple[Any, ...]) -> int:
    texts = isinstance(values[0], str)
    covered = "\0".join(map(str, values)).encode() if texts else b"\0".join(map(_bytes, values))
    found = zlib.crc32(covered)
    return found - (1 << 32) if found >= 1 << 31 else found


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
