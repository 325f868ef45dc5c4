"""Make Postgres databases for tests, and empty one database again and again instead of making a new one each time."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Awaitable, Callable, Iterator

import psycopg
import pytest

Filled = Callable[[str, Callable[[], Awaitable[None]]], Awaitable[None]]

TABLES = """
SELECT relname FROM pg_class
WHERE relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'migrations'
    AND relnamespace = 'public'::regnamespace
ORDER BY relname
"""
# Everything a test may have changed about the tables, apart from their rows.
SHAPE = """
SELECT md5(string_agg(concat_ws(' ', c.oid, relname, relnatts, relrowsecurity, relforcerowsecurity, relacl,
        indisvalid), ',' ORDER BY c.oid))
    || (SELECT string_agg(name, ',' ORDER BY version) FROM public.migrations)
    || (SELECT string_agg(nspname, ',' ORDER BY nspname) FROM pg_namespace
        WHERE nspname !~ '^pg_(toast_)?temp')
FROM pg_class c LEFT JOIN pg_index ON indexrelid = c.oid
WHERE relnamespace NOT IN ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace)
"""
OTHERS_OFF = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
# Deleted rows leave gaps that later queries read past. After so many, a new database is cheaper.
MOST_DELETED = 20_000


def create(server: str, template: str, name: str = "") -> str:
    """Create a database as a copy of another and return its URL."""
    name = name or f"t_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{name_of(template)}"')  # type: ignore[arg-type]
    head, question, options = server.partition("?")
    return f"{head.rpartition('/')[0]}/{name}{question}{options}"


def drop(server: str, url: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name_of(url)}" WITH (FORCE)')  # type: ignore[arg-type]


def name_of(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def empty(kind: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """Yield the URL of an empty database with the schema."""
    if kind == "sqlite":
        path = request.getfixturevalue("tmp_path") / "test.db"
        yield str(shutil.copy(request.getfixturevalue("sqlite_template"), path))
        return
    reused: ReusedDatabase = request.getfixturevalue("reused_postgres")
    yield reused.url
    reused.empty()


class ReusedDatabase:
    """A database that is emptied between tests, by deleting rows: a fifth of the time that creating and dropping take.

    It is replaced when a test changed its tables, damaged it, or wrote very many rows.
    """

    def __init__(self, server: str, template: str) -> None:
        self._server, self._template = server, template
        self._kept: list[str] = []
        self._create()

    def _create(self) -> None:
        self.url = create(self._server, self._template)
        self._connect()
        self._deleted = 0
        self._shape = self._look(SHAPE)
        names = [str(row[0]) for row in self._connection.execute(TABLES).fetchall()]
        deletes = ", ".join(f'd{n} AS (DELETE FROM public."{name}" RETURNING 1)' for n, name in enumerate(names))
        counts = " + ".join(f"(SELECT count(*) FROM d{n})" for n in range(len(names)))
        self._empty = f"WITH {deletes} SELECT {counts}"

    def _connect(self) -> None:
        self._connection = psycopg.connect(self.url, autocommit=True)
        self._connection.execute("SET row_security = off")  # an error, should rows be hidden from this user

    def _look(self, sql: str) -> object:
        row = self._connection.execute(sql, prepare=True).fetchone()  # type: ignore[arg-type]
        return row[0] if row else None

    def empty(self) -> None:
        """Delete what a test left behind, after cutting off whoever is still connected."""
        try:
            self._try_to_empty()
        except psycopg.OperationalError:  # a test cut this connection off as well, or killed the server
            self._connect()
            self._try_to_empty()

    def _try_to_empty(self) -> None:
        self._connection.execute(OTHERS_OFF, prepare=True)
        if self._look(SHAPE) == self._shape and self._deleted < MOST_DELETED:
            self._deleted += int(str(self._look(self._empty)))
        else:
            self.drop()
            self._create()

    def keep(self) -> str:
        """Return a copy of the database as it is now, for `fill`.

        The copies have statistics: without them, some contexts take Postgres fifteen times as long.
        """
        self._connection.execute("ANALYZE")
        self._connection.execute(OTHERS_OFF, prepare=True)
        self._connection.close()
        self._kept.append(create(self._server, self.url))
        self._connect()
        return self._kept[-1]

    def fill(self, kept: str) -> None:
        """Make the database what was kept."""
        self.drop()
        create(self._server, kept, name_of(self.url))
        self._connect()
        self._shape, self._deleted = self._look(SHAPE), 0

    def drop(self) -> None:
        self._connection.close()
        drop(self._server, self.url)

    def drop_all(self) -> None:
        """Drop the copies as well."""
        self.drop()
        for kept in self._kept:
            drop(self._server, kept)
