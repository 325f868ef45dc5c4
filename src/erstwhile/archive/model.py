from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass

BACKUP: Final = "erstwhile-backup"
EXPORT: Final = "erstwhile-export"
BACKUP_VERSION: Final = 1

Json = dict[str, Any]
Columns = Sequence[str]
Kind = Literal["integer", "small", "real", "text", "bytes"]

# Called now and then with a table and the number of rows done.
Progress = Callable[[str, int], None]


def no_progress(_table: str, _rows: int) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """`needed`: a row without it cannot be stored."""

    kind: Kind
    nullable: bool
    needed: bool


@dataclass(frozen=True, slots=True)
class ArchiveTable:
    """A table in an archive: shared columns, and those that order its rows."""

    name: str
    columns: Mapping[str, TableColumn]
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """A file of an archive, as described by its manifest."""

    rows: int
    bytes: int
    sha256: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Backup:
    """A verified backup: time, schema version and content. `rows` is by table. `damaged` lists
    messages that were not as they were stored when the backup was made."""

    path: Path
    at: datetime
    schema: int
    spaces: int
    messages: int
    rows: dict[str, int]
    bytes: int
    damaged: tuple[str, ...] = ()


_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_BITS: Final = {"integer": 63, "small": 31}


def lines(
    space: str | None, page: Sequence[Mapping[str, Any]], table: ArchiveTable, columns: Columns
) -> list[str]:
    """Format each row, with its space if given."""
    first: dict[str, Any] = {} if space is None else {"space": space}
    blobs = [name for name in columns if table.columns[name].kind == "bytes"]
    told = [first | {name: row[name] for name in columns} for row in page]
    for row in told if blobs else ():
        filled = [name for name in blobs if row[name] is not None]
        row.update({name: base64.b64encode(row[name]).decode() for name in filled})
    return [_encode(row) for row in told]


def parsed(raw: bytes) -> dict[str, Any]:
    try:
        row = json.loads(raw)
    except (ValueError, RecursionError):  # also raised for invalid UTF-8
        raise InvalidInput("it is not JSON") from None
    if not isinstance(row, dict):
        raise InvalidInput("it is not a JSON object")
    return row


def checked(table: ArchiveTable, columns: Sequence[str], row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the named columns, each of its type. Only the space may be there besides."""
    if row.keys() - {"space"} != set(columns):
        raise InvalidInput("it does not have the columns that the manifest names")
    return {name: _value(name, table.columns[name], row[name]) for name in columns}


def _value(name: str, column: TableColumn, value: Any) -> Any:
    if value is None:
        if not column.nullable:
            raise InvalidInput(f"{name} is missing")
        return None
    if column.kind in _BITS:
        most = 2 ** _BITS[column.kind]
        good = type(value) is int and -most <= value < most
    elif column.kind == "real":
        good = type(value) in (int, float) and math.isfinite(value)
    else:
        good = isinstance(value, str) and (_storable if column.kind == "text" else _base64)(value)
    if not good:
        kind = column.kind if column.kind != "small" else "integer"
        raise InvalidInput(f"{name} is no {kind} as it is stored")
    return value


def _storable(value: str) -> bool:
    """Return whether both databases can store a text: no NUL, no surrogates."""
    return "\0" not in value and value.encode(errors="ignore").decode() == value


def _base64(value: str) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except ValueError:
        return False
    return True


def native(table: ArchiveTable, columns: Sequence[str], row: dict[str, Any]) -> dict[str, Any]:
    """Decode bytes for SQLite; Postgres decodes them from JSON itself."""
    for name in columns:
        if table.columns[name].kind == "bytes" and row[name] is not None:
            row[name] = base64.b64decode(row[name])
    return row
