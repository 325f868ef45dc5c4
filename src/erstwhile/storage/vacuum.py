"""Taking what was deleted off a SQLite file.

`secure_delete` writes zeros over what is deleted, but where pages were split before, older copies of a row may lie in their unused parts
(seen with a few hundred rows). Only writing the file anew leaves none; and the write-ahead log has them until it is emptied.
"""

from __future__ import annotations

import time

import apsw

_SMALL = 64_000_000  # bytes; the copy of a larger file is not made in memory


def _rewrite(connection: apsw.Connection) -> None:
    """The copy has nothing of what was deleted, so that it may lie on the disk for a while. In memory it takes as much as the file: 150 MB
    for one of 150 MB, measured."""
    size = next(connection.execute("PRAGMA page_count"))[0] * next(connection.execute("PRAGMA page_size"))[0]
    if size <= _SMALL:
        connection.execute("VACUUM")
        return
    connection.execute("PRAGMA temp_store=FILE")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store=MEMORY")


def vacuum(connection: apsw.Connection, patience: float) -> bool:
    """False where the disk had no room for it, or someone kept reading what was there before."""
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
