"""The checksum of a message: what was said, by whom and when. It tells that a stored message has changed on the disk.

SQLite has no checksums of its own: a flipped bit in a text is a valid row. A CRC of 32 bits finds every change of a single
bit, costs four bytes, and is the same on both databases, in backups and in exports. It is no defence against
somebody who changes both.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

_covered = itemgetter("id", "role", "person", "name", "text", "at", "key", "model", "meta")


def checksum(row: Mapping[str, Any]) -> int:
    """Return the checksum of a row of `messages`, as a signed number of 32 bits. Texts may be bytes."""
    said = _covered(row)
    texts = isinstance(row["text"], str)
    covered = "\0".join(map(str, said)).encode() if texts else b"\0".join(map(_bytes, said))
    found = zlib.crc32(covered)
    return found - (1 << 32) if found >= 1 << 31 else found


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
