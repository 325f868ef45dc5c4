"""Look at a SQLite file: is it damaged, is its schema ours, and what takes up its space.

A file may come from anywhere. A trigger in it would run with our writes, and a view or a virtual table in place of a
table with our reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import cast

import apsw

from erstwhile.base.errors import StorageError
from erstwhile.storage import migrate

_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
# A view or a virtual table has no page of its own.
_HAS_VERSION = (
    "SELECT 1 FROM sqlite_schema WHERE name = 'migrations' AND type = 'table' AND rootpage > 0"
)
# Tables of SQLite itself: made by ANALYZE, and numbers that AUTOINCREMENT has given.
_STATISTICS = {
    ("table", name, name, f"CREATE TABLE {name}({columns})")
    for name, columns in (
        ("sqlite_stat1", "tbl,idx,stat"),
        ("sqlite_stat4", "tbl,idx,neq,nlt,ndlt,sample"),
    )
}
# The digest of the objects of the newest schema, so that opening a file needn't make them in memory,
# which takes longer than all else it does with the file. A test says what it must be.
NEWEST = "cb64a875db971c52586a8bd2c30777fdeb1c3734dc416cb50249a064403692c5"
_NAMED = 10  # objects that an error lists


def version(connection: apsw.Connection) -> int:
    if not list(connection.execute(_HAS_VERSION)):
        return 0
    return cast(int, connection.execute("SELECT coalesce(max(version), 0) FROM migrations").get)


class SchemaWatch:
    """Checks the schema when a file is opened and whenever it has changed since."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._checked: tuple[int, int] | None = None
        self._last: tuple[apsw.Connection, int] | None = None

    def check(self, connection: apsw.Connection) -> None:
        """Raise if the schema is newer than ours or has objects that are not ours. Costs microseconds while it is the
        same: SQLite counts the commits of others, and the changes to the schema."""
        others = connection, cast(int, connection.execute("PRAGMA data_version").get)
        if others != self._last:
            self._check(connection)
            self._last = others

    def _check(self, connection: apsw.Connection) -> None:
        state = connection.execute("PRAGMA schema_version").get, version(connection)
        if state == self._checked:
            return
        # An empty file is ours, one of another program is refused by the first migration.
        if state[1]:
            self._examine(connection, state[1])
        self._checked = state

    def _examine(self, connection: apsw.Connection, schema: int) -> None:
        migrate.refuse_newer(schema, "sqlite", self._path)
        if found := foreign_objects(connection):
            raise StorageError(
                f"{self._path} has objects that erstwhile did not make: {', '.join(found[:_NAMED])}. It is not used: they "
                "could run or hide something. Delete them with sqlite3 if you know them, or restore a backup."
            )


def foreign_objects(connection: apsw.Connection) -> list[str]:
    """Return the objects that a schema of this version doesn't have, by type and name."""
    found = frozenset(connection.execute(_OBJECTS)) - _STATISTICS
    if digest(found) == NEWEST:
        return []
    own = own_objects(version(connection))
    return sorted(f"{each[0]} {each[1]}" for each in found - own)


def digest(objects: Iterable[tuple[object, ...]]) -> str:
    return sha256("\n".join(sorted(map(repr, objects))).encode()).hexdigest()


@cache
def own_objects(schema: int) -> frozenset[tuple[object, ...]]:
    connection = apsw.Connection(":memory:")
    try:
        for each in migrate.known("sqlite")[:schema]:
            list(connection.execute(each.sql))
        return frozenset(connection.execute(_OBJECTS)) - _STATISTICS
    finally:
        connection.close()


def damage(connection: apsw.Connection) -> list[str]:
    found = []
    try:
        checked = connection.execute("PRAGMA integrity_check(20)")
        found += [str(row[0]) for row in checked if row[0] != "ok"]
        loose = connection.execute("PRAGMA foreign_key_check")
        found += [f"a row of {row[0]} points to nothing" for row in loose]
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
