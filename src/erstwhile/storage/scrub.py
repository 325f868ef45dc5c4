"""Taking what was deleted off a SQLite file.

`secure_delete` writes zeros over what is deleted, but where pages were split before, older copies of a row may lie in their unused parts
(seen with a few hundred rows). Only writing the file anew leaves none; and the write-ahead log has them until it is emptied.
"""

from __future__ import annotations

import time

import apsw


def scrub(connection: apsw.Connection, patience: float) -> bool:
    """False where the disk had no room for it, or someone kept reading what was there before."""
    try:
        connection.execute("VACUUM")
    except (apsw.FullError, apsw.BusyError, apsw.LockedError):
        return False
    until = time.monotonic() + patience
    while next(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))[0]:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
