"""Named SQL: `queries.sql` beside the room that uses it, `queries.sqlite.sql` and `queries.postgres.sql` for what the two don't share.

    -- name: insert_message
    -- Why it is the way it is.
    INSERT INTO messages (space, …) VALUES (:space, …)

A query without `:space` must carry a line `-- across spaces: why`; a test sees to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")


@dataclass(frozen=True, slots=True)
class Query:
    name: str
    sqlite: str
    postgres: str
    takes: frozenset[str]
    comment: str


class Queries:
    """`queries.insert_message` is the query of that name; a misspelt name fails when the module is imported or first used."""

    def __init__(self, package: str, found: dict[str, Query]) -> None:
        self._package = package
        self._found = found

    def __getattr__(self, name: str) -> Query:
        try:
            return self._found[name]
        except KeyError:
            raise AttributeError(f"{self._package} has no query {name!r}") from None

    def all(self) -> list[Query]:
        return list(self._found.values())


def _parse(source: str) -> dict[str, str]:
    pieces = _NAME.split(source)
    return {name: body.strip() for name, body in zip(pieces[1::2], pieces[2::2], strict=True)}


def _postgres(sql: str) -> str:
    return _PARAMETER.sub(r"%(\1)s", sql.replace("%", "%%"))


def make(name: str, sqlite: str, postgres: str) -> Query:
    comment = "\n".join(match.group().strip() for match in _COMMENT.finditer(sqlite or postgres))
    bare = [_COMMENT.sub("", sql).strip().rstrip(";") for sql in (sqlite, postgres)]
    takes = frozenset(_PARAMETER.findall(" ".join(bare)))
    return Query(name=name, sqlite=bare[0], postgres=_postgres(bare[1]), takes=takes, comment=comment)


@cache
def load(package: str) -> Queries:
    folder = files(package)

    def read(name: str) -> dict[str, str]:
        file = folder.joinpath(name)
        return _parse(file.read_text(encoding="utf-8")) if file.is_file() else {}

    shared = read("queries.sql")
    only_sqlite, only_postgres = read("queries.sqlite.sql"), read("queries.postgres.sql")
    found = {}
    for name in {**shared, **only_sqlite, **only_postgres}:
        sqlite, postgres = only_sqlite.get(name, shared.get(name)), only_postgres.get(name, shared.get(name))
        found[name] = make(name, sqlite or "", postgres or "")
    return Queries(package, found)
