"""Look at a whole SQLite file: is it damaged, and what takes up its space."""

from __future__ import annotations

import apsw


def damage(connection: apsw.Connection) -> list[str]:
    found = []
    try:
        found += [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
        found += [f"a row of {row[0]} points to nothing" for row in connection.execute("PRAGMA foreign_key_check")]
    except (apsw.CorruptError, apsw.NotADBError) as error:
        found.append(f"damaged: {error}")
    return found


def sizes(connection: apsw.Connection) -> dict[str, int]:
    """Return the bytes of each table with its indexes, the largest first. Reads the whole file."""
    rows = connection.execute(
        "SELECT s.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_schema s ON s.name = d.name"
        " WHERE d.aggregate = 1 GROUP BY s.tbl_name ORDER BY 2 DESC, 1"
    )
    return {str(table): int(size) for table, size in rows}
