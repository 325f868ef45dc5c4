"""Load named SQL: `queries.sql` beside the package that uses it, one text for both databases.

    -- name: insert_message
    -- Why it is the way it is.
    INSERT INTO messages (space, …) VALUES (:space, …)

A query without `:space` must carry a line `-- across spaces: why`; a test checks it. With a line
`-- by index: why`, Postgres reads along an index what it would else read all of and sort: the rules
of row-level security make it expect few rows. With `-- binary: why`, it answers in binary.

Where the databases differ in spelling only, the loader translates:

| written              | SQLite                             | Postgres                                 |
|----------------------|------------------------------------|------------------------------------------|
| `id IN (:ids...)`    | `IN (SELECT value FROM json_each…` | `= ANY (ARRAY(SELECT jsonb_array_ele…`   |
| `id NOT IN (:ids...)`| the same with NOT                  | `<> ALL (ARRAY(SELECT …`                 |
| `(:docs::bigint...)` | the same                           | the same, each element cast to bigint    |
| `FROM (:ids...) AS k`| `FROM json_each(:ids) AS k`        | `FROM jsonb_array_… AS k (value)`        |
| `(:rows...) AS r (…)`| `(SELECT json_extract(…)…) AS r`   | `json_to_recordset(:rows::json) AS r (…)`|
| `:name::type`        | `:name`                            | unchanged                                |
| `FOR UPDATE …`       | left out: a writer is alone        | unchanged                                |
| `instr(text, part)`  | unchanged                          | `strpos(text, part)`                     |

A list parameter is given as JSON text; in `FROM (:ids...) AS k` its elements are `k.value`. A list of
rows names its columns with their types: `FROM (:rows...) AS r (channel TEXT, seq BIGINT)`; `run_many`
gives all rows to such a query at once. SQLite runs an UPDATE from rows for each row by itself: joined
with them, it would look through the whole table. A query of Postgres alone that takes arrays, as in
`unnest(:doc::bigint[], :vector::bytea[])`, gets each column of the rows as one, in binary.
Postgres gets `= ANY (ARRAY(…))` because it takes an IN over a subquery for a reason to read the
whole space.

An INSERT of plain VALUES needs nothing for `run_many`: Postgres gets all rows in one statement (see
`Batch`). What truly differs is written twice, in `queries.sqlite.sql` and `queries.postgres.sql`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from erstwhile.base.files import folder
from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass

_NAME = late_pattern(r"^-- name: (\w+)\s*$", re.MULTILINE)
_COMMENT = late_pattern(r"^\s*--.*$", re.MULTILINE)
_PARAMETER = late_pattern(r"(?<![:\w]):([a-z_]\w*)")
_IN_LIST = late_pattern(r"\b(NOT )?IN \(:(\w+)(::\w+)?\.\.\.\)")
_FROM_ROWS = late_pattern(r"\(:(\w+)\.\.\.\) AS (\w+) \(([^()]+)\)")
_UPDATE_FROM_ROWS = late_pattern(
    r"(?P<change>UPDATE .+?)\s+FROM \(:rows\.\.\.\) AS (?P<row>\w+) \([^()]+\)(?P<where>.+)",
    re.DOTALL,
)
_FROM_LIST = late_pattern(r"\(:(\w+)(::\w+)?\.\.\.\) AS (\w+)")
_ARRAY = late_pattern(r":(\w+)(?=::\w+\[\])")
_CAST = late_pattern(r"('[^']*')|::\w+")
_LOCK = late_pattern(r"\s*\bFOR UPDATE( OF \w+)?( SKIP LOCKED)?")
_INSTR = late_pattern(r"\binstr\(")
_INSERT = late_pattern(
    r"INSERT INTO (?P<table>\w+) \((?P<columns>[^()]*)\)\s+VALUES \((?P<values>[^()]*)\)"
    r"(?P<conflict>\s+ON CONFLICT (\([^()]*\) )?DO NOTHING)?"
)
_VALUE = late_pattern(r":(\w+)(?:::\w+)?|-?\d+|NULL|'[^']*'")


@dataclass(frozen=True, slots=True)
class BatchInsert:
    """Insert many rows into Postgres in one statement, which takes them as JSON in `:rows`.

    Measured with 100 messages: 2.5 ms, one by one in a pipeline 24 ms. The types are those of the
    table."""

    sql: str
    columns: Mapping[str, str]  # column: the parameter it is read from

    def rows(self, given: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Return rows by the names of the columns. What else a row has, Postgres leaves alone."""
        if all(column == name for column, name in self.columns.items()):
            return given
        return [{column: row[name] for column, name in self.columns.items()} for row in given]


class Query:
    """A named query as it is written for SQLite and for Postgres. It is translated for the database
    that runs it."""

    def __init__(self, name: str, sqlite: str, postgres: str) -> None:
        self.name, self._written = name, (sqlite, postgres)

    @cached_property
    def comment(self) -> str:
        found = _COMMENT.finditer("\n".join(self._written))
        return "\n".join(each.group().strip() for each in found)

    @cached_property
    def _bare(self) -> tuple[str, str]:
        bare = (_COMMENT.sub("", sql) if "--" in sql else sql for sql in self._written)
        sqlite, postgres = (sql.strip().rstrip(";") for sql in bare)
        return sqlite, postgres

    @cached_property
    def sqlite(self) -> str:
        return _sqlite(self._bare[0])

    @cached_property
    def postgres(self) -> str:
        return _postgres(self._bare[1])

    @cached_property
    def takes(self) -> frozenset[str]:
        """The names of its parameters."""
        return frozenset(_PARAMETER.findall(" ".join([*self._bare, self.sqlite])))

    @cached_property
    def arrays(self) -> tuple[str, ...]:
        """The parameters that Postgres takes as arrays."""
        return tuple(_ARRAY.findall(self._bare[1]))

    @cached_property
    def batch(self) -> BatchInsert | None:
        return _batch(self._bare[1])


class Queries:
    """`queries.insert_message` is the query of that name. A misspelt name fails on first use. The
    files are read with the first query, and a query is translated when it is first used."""

    def __init__(self, package: str) -> None:
        self._package = package

    @cached_property
    def _texts(self) -> dict[str, tuple[str, str]]:
        """What is written for SQLite and for Postgres, by name."""
        home = folder(self._package)

        def read(name: str) -> dict[str, str]:
            file = home / name
            return _parse(file.read_text(encoding="utf-8")) if file.is_file() else {}

        shared = read("queries.sql")
        sqlite, postgres = (shared | read(f"queries.{each}.sql") for each in ("sqlite", "postgres"))
        return {name: (sqlite.get(name, ""), postgres.get(name, "")) for name in sqlite | postgres}

    def __getattr__(self, name: str) -> Query:
        if name.startswith("__") or name not in self._texts:
            raise AttributeError(f"{self._package} has no query {name!r}")
        found = self.__dict__[name] = make(name, *self._texts[name])
        return found

    def all(self) -> list[Query]:
        return [getattr(self, name) for name in self._texts]


def _parse(source: str) -> dict[str, str]:
    pieces = _NAME.split(source)
    return {name: body.strip() for name, body in zip(pieces[1::2], pieces[2::2], strict=True)}


def _sqlite(sql: str) -> str:
    if "..." in sql:
        sql = _sqlite_lists(sql)
    if "FOR UPDATE" in sql:
        sql = _LOCK.sub("", sql)
    return _CAST.sub(lambda m: m[1] or "", sql) if "::" in sql else sql


def _sqlite_lists(sql: str) -> str:
    def table(match: re.Match[str]) -> str:
        columns = [column.split()[0] for column in match[3].split(",")]
        values = ", ".join(f"json_extract(value, '$.{column}') AS {column}" for column in columns)
        return f"(SELECT {values} FROM json_each(:{match[1]})) AS {match[2]}"

    if sql.startswith("UPDATE") and (update := _UPDATE_FROM_ROWS.fullmatch(sql)):
        sql = re.sub(rf"\b{update['row']}\.(\w+)", r":\1", update["change"] + update["where"])
    sql = _FROM_ROWS.sub(table, sql)
    sql = _IN_LIST.sub(lambda m: f"{m[1] or ''}IN (SELECT value FROM json_each(:{m[2]}))", sql)
    return _FROM_LIST.sub(r"json_each(:\1) AS \3", sql)


def _postgres(sql: str) -> str:
    def condition(match: re.Match[str]) -> str:
        compare = "<> ALL" if match[1] else "= ANY"
        element = f"value{match[3]}" if match[3] else "value"
        return f"{compare} (ARRAY(SELECT {element} FROM jsonb_array_elements_text(:{match[2]}::jsonb)))"

    def table(match: re.Match[str]) -> str:
        if not match[2]:
            return f"jsonb_array_elements_text(:{match[1]}::jsonb) AS {match[3]} (value)"
        elements = f"SELECT value{match[2]} FROM jsonb_array_elements_text(:{match[1]}::jsonb)"
        return f"({elements}) AS {match[3]} (value)"

    sql = _FROM_ROWS.sub(r"json_to_recordset(:\1::json) AS \2 (\3)", sql)
    sql = _FROM_LIST.sub(table, _IN_LIST.sub(condition, sql))
    sql = _ARRAY.sub(r"%(\1)b", _INSTR.sub("strpos(", sql).replace("%", "%%"))
    return _PARAMETER.sub(r"%(\1)s", sql)


def _batch(sql: str) -> BatchInsert | None:
    """Only of an INSERT of plain values that leaves rows alone: DO UPDATE may not meet a row twice
    in one statement."""
    insert = _INSERT.fullmatch(sql)
    if insert is None:
        return None
    columns = [column.strip() for column in insert["columns"].split(",")]
    values = [_VALUE.fullmatch(value.strip()) for value in insert["values"].split(",")]
    if len(columns) != len(values) or None in values:
        return None
    both = zip(columns, values, strict=True)
    pairs = [(column, value) for column, value in both if value is not None]
    own = {column: value[1] for column, value in pairs if value[1] and value[1] != "space"}
    chosen = ", ".join(f"r.{column}" if column in own else value[0] for column, value in pairs)
    table = insert["table"]
    rows = f"json_populate_recordset(NULL::{table}, :rows::json) AS r{insert['conflict'] or ''}"
    sql = f"INSERT INTO {table} ({insert['columns']}) SELECT {chosen} FROM {rows}"
    return BatchInsert(_postgres(sql), own)


def make(name: str, sqlite: str, postgres: str | None = None) -> Query:
    return Query(name, sqlite, sqlite if postgres is None else postgres)


@cache
def load(package: str) -> Queries:
    return Queries(package)
