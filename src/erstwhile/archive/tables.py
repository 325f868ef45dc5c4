"""The tables of the database, and queries that read and fill any of them. Names come from the
database, never from a file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from erstwhile.archive.model import ArchiveTable, Kind, TableColumn
from erstwhile.base.records import dataclass
from erstwhile.storage import EVERYWHERE, Row, Transaction, column, value
from erstwhile.storage.queries import Query, load, make

queries = load(__package__)

PAGE: Final = 500

_TYPES: Final[Mapping[Kind, str]] = {
    "integer": "BIGINT",
    "small": "INTEGER",
    "real": "DOUBLE PRECISION",
    "text": "TEXT",
    "bytes": "TEXT",
}
_KINDS: Final[Mapping[str, Kind]] = {
    "bigint": "integer",
    "integer": "integer",
    "double precision": "real",
    "real": "real",
    "text": "text",
    "bytea": "bytes",
    "blob": "bytes",
}
# Columns that one database needs to order its feeds.
_NATIVE: Final = {("documents_gone", "number"), ("vectors", "number")}
_STAMP: Final = "stamp"
# Tables whose keys differ between the databases.
_ORDER: Final = dict.fromkeys(("messages", "documents", "vectors"), ("doc",))
_ORDER["events"] = ("number",)
# Tables visible across spaces on Postgres (row_security.sql). Every space with rows has some.
_SEEN_ACROSS: Final = (
    *("spaces", "keys", "jobs", "space_settings"),
    *("requests", "usage", "buffers", "erasures"),
)


async def layout(tx: Transaction) -> dict[str, ArchiveTable]:
    """Return every table that has a space, by name."""
    found: dict[str, list[Row]] = {}
    for row in await tx.all(queries.layout):
        if row["column"] != _STAMP and (row["table"], row["column"]) not in _NATIVE:
            found.setdefault(row["table"], []).append(row)
    own = [name for name, rows in found.items() if any(row["column"] == "space" for row in rows)]
    return {name: _table(tx, name, found[name]) for name in own}


def _table(tx: Transaction, name: str, rows: Sequence[Row]) -> ArchiveTable:
    key = [row["column"] for row in sorted(rows, key=lambda row: row["place"]) if row["place"]]
    columns = {row["column"]: _column(tx, row) for row in rows}
    own = tuple(each for each in key if each != "space")
    return ArchiveTable(name, columns, _ORDER.get(name, own))


def _column(tx: Transaction, row: Row) -> TableColumn:
    kind = _KINDS[row["type"].lower()]
    if tx.dialect == "postgres" and row["type"] == "integer":
        kind = "small"
    required = bool(row["required"] or row["place"])
    return TableColumn(kind, nullable=not required, needed=required and not row["defaulted"])


async def spaces(tx: Transaction, tables: Mapping[str, ArchiveTable]) -> list[str]:
    """Return every space with rows; "" is that of the server's keys."""
    await enter(tx, EVERYWHERE)
    names = _SEEN_ACROSS if tx.dialect == "postgres" else tuple(tables)
    sql = " UNION ".join(f'SELECT space FROM "{name}"' for name in names if name in tables)
    return await column(tx, make("spaces", sql, f"SELECT space FROM ({sql}) s ORDER BY space"))


async def enter(tx: Transaction, space: str) -> None:
    """Switch the transaction to this space."""
    await tx.first(queries.enter, own=space, everywhere="on" if space == EVERYWHERE else "")
    tx.space = space


@dataclass(frozen=True, slots=True)
class Selection:
    """Columns and rows of a table: all of the space, or those that match `where`."""

    table: ArchiveTable
    columns: tuple[str, ...]
    where: str = ""
    params: Mapping[str, Any] | None = None


def select_all(table: ArchiveTable) -> Selection:
    return Selection(table, tuple(name for name in table.columns if name != "space"))


async def pages(tx: Transaction, selection: Selection) -> AsyncIterator[list[Row]]:
    """Yield pages in the order of the keys."""
    order, params = selection.table.order, dict(selection.params or {})
    first, following = _page(selection, after=False), _page(selection, after=True)
    rows = await tx.all(first, **params, limit=PAGE)
    while rows:
        yield rows
        if len(rows) < PAGE or not order:
            return
        last = {f"last_{name}": rows[-1][name] for name in order}
        rows = await tx.all(following, **params, **last, limit=PAGE)


def _page(selection: Selection, *, after: bool) -> Query:
    order = selection.table.order
    named = (
        ", ".join(f'"{name}"' for name in dict.fromkeys([*selection.columns, *order])) or "space"
    )
    conditions = ["space = :space", *([f"({selection.where})"] if selection.where else [])]
    if after and order:
        keys = ", ".join(f'"{name}"' for name in order)
        last = ", ".join(f":last_{name}" for name in order)
        conditions.append(f"({keys}) > ({last})")
    by = " ORDER BY " + ", ".join(f'"{name}"' for name in order) if order else ""
    sql = f'SELECT {named} FROM "{selection.table.name}" WHERE {" AND ".join(conditions)}{by} LIMIT :limit'
    return make("page", sql, sql)


async def count(tx: Transaction, table: ArchiveTable) -> int:
    sql = f'SELECT count(*) AS rows FROM "{table.name}" WHERE space = :space'
    return int(await value(tx, make("count", sql, sql)) or 0)


def insertion(table: ArchiveTable, columns: Sequence[str], *, keep: bool = False) -> Query:
    """Return a query that inserts rows into the transaction's space. `keep`: existing rows stay."""
    names = ", ".join(f'"{name}"' for name in ("space", *columns))
    conflict = " ON CONFLICT DO NOTHING" if keep else ""
    values = ", ".join((":space", *(f":{name}" for name in columns)))
    sqlite = f'INSERT INTO "{table.name}" ({names}) VALUES ({values}){conflict}'
    kinds = {name: table.columns[name].kind for name in columns}
    taken = {name: f'r."{name}"' for name in columns}
    blobs = [name for name in columns if kinds[name] == "bytes"]
    taken |= {name: f"decode({taken[name]}, 'base64')" for name in blobs}
    read = ", ".join((":space", *taken.values()))
    typed = ", ".join(f'"{name}" {_TYPES[kind]}' for name, kind in kinds.items()) or "nothing TEXT"
    postgres = (
        f'INSERT INTO "{table.name}" ({names}) OVERRIDING SYSTEM VALUE SELECT {read}'
        f" FROM json_to_recordset(:rows::json) AS r ({typed}){conflict}"
    )
    return make("insertion", sqlite, postgres)


async def advance_sequences(tx: Transaction, documents: int, events: int) -> None:
    """Continue numbering after the inserted rows. Write nothing after this."""
    await tx.first(queries.beyond_documents, least=documents)
    await tx.first(queries.beyond_events, least=events)
