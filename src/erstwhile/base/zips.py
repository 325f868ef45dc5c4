"""Checks of an untrusted zip before its directory is read and before anything is unpacked."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Sequence
from typing import IO, Final

# Other methods can allocate gigabytes before the first byte.
PACKINGS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_HEADER: Final = 30  # minimum number of bytes before a file's name
_END: Final = struct.Struct("<4s4H2LH")
_LONG_PLACE: Final = struct.Struct("<4sLQL")
_LONG_END: Final = struct.Struct("<4sQ2H2L4Q")


def directory(stream: IO[bytes]) -> int | None:
    """Return the size of the directory in bytes (Python needs ten times as much memory), or None if
    there is none. Moves the stream."""
    length = stream.seek(0, 2)
    stream.seek(max(0, length - _END.size - 0xFFFF - _LONG_PLACE.size - _LONG_END.size))
    tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        return None
    size = int(_END.unpack_from(tail, at)[5])
    long = at - _LONG_PLACE.size - _LONG_END.size
    if long >= 0 and tail[long : long + 4] == b"PK\x06\x06":
        size = max(size if size != 0xFFFFFFFF else 0, int(_LONG_END.unpack_from(tail, long)[8]))
    return size


def overlapping(infos: Sequence[zipfile.ZipInfo], end: int) -> zipfile.ZipInfo | None:
    """Return a file that overlaps the next one or the directory, as zip bombs do."""
    placed = sorted(infos, key=lambda info: info.header_offset)
    ends = [info.header_offset for info in placed[1:]] + [end]
    for info, until in zip(placed, ends, strict=False):  # an empty zip has an end only
        name = info.filename.encode("cp437", "replace")
        if info.header_offset + _HEADER + len(name) + info.compress_size > until:
            return info
    return None
