"""Storage: one port, two databases.

A piece of database work is a *unit*: an `async def unit(tx)` that awaits nothing but `tx`. On Postgres it runs as it looks. On SQLite the
writer thread drives it to its end without an event loop, so that many units share one commit (see sqlite.py). Either way a unit is all or
nothing, and when `write` returns, what it wrote is on disk.

`space` is bound into every query from the transaction, so that a room can't ask for another space's rows by mistake.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from erstwhile.storage.queries import Query

T = TypeVar("T")
Row = Mapping[str, Any]
Dialect = Literal["sqlite", "postgres"]

# The space of work that belongs to no single one: claiming jobs, migrations, health. Queries that run there say so.
EVERYWHERE = ""


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    sql: str


class Transaction(Protocol):
    space: str
    dialect: Dialect

    async def all(self, query: Query, **params: Any) -> list[Row]: ...

    async def first(self, query: Query, **params: Any) -> Row | None: ...

    async def run(self, query: Query, **params: Any) -> int:
        """How many rows it changed."""
        ...

    async def run_many(self, query: Query, rows: Sequence[Mapping[str, Any]]) -> None: ...


Unit = Callable[[Transaction], Awaitable[T]]

# Told the space of each unit that is on disk, in the event loop that waited for it.
Written = Callable[[str], None]


def nobody(_space: str) -> None:
    """Nobody watches."""


class Database(Protocol):
    dialect: Dialect
    written: Written

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def write(self, space: str, unit: Unit[T]) -> T: ...

    async def read(self, space: str, unit: Unit[T]) -> T: ...

    async def version(self) -> int:
        """The number of the last migration applied; 0 for an empty database."""
        ...

    async def migrate(self, migrations: Sequence[Migration]) -> bool:
        """Applies them, all or nothing, unless another process has just done so, and puts up the walls between spaces."""
        ...

    async def schema(self) -> str:
        """The database's structure in a canonical text, for comparing."""
        ...

    async def check(self) -> list[str]:
        """What is wrong with the stored data; empty when it is sound."""
        ...

    async def scrub(self) -> bool:
        """Takes what was deleted off the disk as far as this database can; False where something still holds on to it."""
        ...

    async def gaps(self) -> list[str]:
        """Where the database itself would not keep spaces apart, though it could; empty when it does."""
        ...

    def describe(self) -> str:
        """Where this is, without secrets."""
        ...
