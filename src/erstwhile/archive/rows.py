"""Rows as JSON knows them, and back: what comes from a file is of the right type or refused."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from erstwhile.archive.model import Column, Table
from erstwhile.base.errors import InvalidInput

_BITS: Final = {"integer": 63, "small": 31}


def line(space: str | None, row: Mapping[str, Any], columns: Sequence[str]) -> str:
    told: dict[str, Any] = {} if space is None else {"space": space}
    for name in columns:
        value = row[name]
        told[name] = base64.b64encode(value).decode() if isinstance(value, bytes | memoryview) else value
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def parsed(raw: bytes) -> dict[str, Any]:
    try:
        row = json.loads(raw)
    except (ValueError, RecursionError):  # bytes that are no UTF-8 too
        raise InvalidInput("it is not JSON") from None
    if not isinstance(row, dict):
        raise InvalidInput("it is not a JSON object")
    return row


def checked(table: Table, columns: Sequence[str], row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns named, each of its type; nothing else may be there but the space."""
    if row.keys() - {"space"} != set(columns):
        raise InvalidInput("it does not have the columns that the manifest names")
    return {name: _value(name, table.columns[name], row[name]) for name in columns}


def _value(name: str, column: Column, value: Any) -> Any:
    if value is None:
        if not column.nullable:
            raise InvalidInput(f"{name} is missing")
        return None
    if column.kind in _BITS:
        good = isinstance(value, int) and not isinstance(value, bool) and -(2 ** _BITS[column.kind]) <= value
        good = good and value < 2 ** _BITS[column.kind]
    elif column.kind == "real":
        good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    elif column.kind == "text":
        good = isinstance(value, str) and _text(value)
    else:
        good = isinstance(value, str) and _base64(value)
    if not good:
        raise InvalidInput(f"{name} is no {column.kind if column.kind != 'small' else 'integer'} as it is stored")
    return value


def _text(value: str) -> bool:
    """What both databases store: no NUL, no half of a surrogate pair."""
    if "\0" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _base64(value: str) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def native(table: Table, columns: Sequence[str], row: dict[str, Any]) -> dict[str, Any]:
    """Bytes as SQLite takes them; Postgres is handed JSON and reads them itself."""
    for name in columns:
        if table.columns[name].kind == "bytes" and row[name] is not None:
            row[name] = base64.b64decode(row[name])
    return row
