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

# Told the table and how many of its rows are done, now and then.
Progress = Callable[[str, int], None]


def silent(_table: str, _rows: int) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Column:
    """`needed`: a row without it can't be stored."""

    kind: Kind
    nullable: bool
    needed: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table as an archive has it: what both databases have of it, and the columns by which its rows are put in order within a space."""

    name: str
    columns: Mapping[str, Column]
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """One file of an archive as its manifest tells of it."""

    rows: int
    bytes: int
    sha256: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was read through and found whole: when it was made, under which structure, and what is in it. `rows` is by table."""

    path: Path
    at: datetime
    schema: int
    spaces: int
    messages: int
    rows: dict[str, int]
    bytes: int
