from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

BACKUP: Final = "erstwhile-backup"
EXPORT: Final = "erstwhile-export"
BACKUP_VERSION: Final = 1

Json = dict[str, Any]
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
    """A verified backup: time, schema version and content. `rows` is by table."""

    path: Path
    at: datetime
    schema: int
    spaces: int
    messages: int
    rows: dict[str, int]
    bytes: int
