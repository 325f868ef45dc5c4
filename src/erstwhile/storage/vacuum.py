"""Remove deleted data from a SQLite file.

`secure_delete` overwrites deleted rows with zeros, but after page splits older copies of a row can
remain in unused parts of pages (seen with a few hundred rows). Only rewriting the file removes them
all; the write-ahead log has them until it is truncated.
"""

from __future__ import annotations

import time

import apsw

_SMALL = 64_000_000  # bytes; larger files are copied on disk


def _rewrite(connection: apsw.Connection) -> None:
    """Rewrite the file. The copy contains no deleted data, so it may be on disk. In memory it would
    need as much as the file (measured: 150 MB for 150 MB)."""
    pages = next(connection.execute("PRAGMA page_count"))[0]
    size = pages * next(connection.execute("PRAGMA page_size"))[0]
    if size <= _SMALL:
        connection.execute("VACUUM")
        return
    connection.execute("PRAGMA temp_store=FILE")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store=MEMORY")


def vacuum(connection: apsw.Connection, patience: float) -> bool:
    """Rewrite the file and truncate the log. Returns False if the disk is full or a reader holds an
    old snapshot."""
    try:
        _rewrite(connection)
    except (apsw.FullError, apsw.BusyError, apsw.LockedError):
        return False
    until = time.monotonic() + patience
    while next(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))[0]:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
