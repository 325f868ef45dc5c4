"""Storage: one port, two databases.

Database work is done in *units*: an `async def unit(tx)` that awaits nothing but `tx`. On Postgres
it runs as a normal coroutine. On SQLite the writer thread runs it without an event loop, so that
many units share one commit (see sqlite.py). A unit is atomic, and when `write` returns, its changes
are on disk. The transaction binds `space` into every query, so that no code reads another space's
rows by mistake.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

from erstwhile.base.records import dataclass
from erstwhile.storage.queries import Query

T = TypeVar("T")
Row = Mapping[str, Any]
Dialect = Literal["sqlite", "postgres"]

# The space of work across spaces: claiming jobs, migrations, health. Its queries are marked.
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
        """Run a statement and return how many rows it changed."""
        ...

    async def run_many(self, query: Query, rows: Sequence[Row], **shared: Any) -> None:
        """Run a statement for many rows; `shared` parameters are the same for each. What fails in it may be raised by
        a later call, at the latest by `finish`."""
        ...

    async def finish(self) -> None:
        """Wait for statements that were sent without waiting, and raise what failed in them."""
        ...

    async def together(self, *work: Coroutine[Any, Any, Any]) -> list[Any]:
        """Run coroutines that use this transaction and return their results. On Postgres, what they ask goes in as few
        round trips as the longest of them needs; statements are sent in the order of the coroutines."""
        ...


async def column(tx: Transaction, query: Query, **params: Any) -> list[Any]:
    """Return the first column of each row."""
    return [next(iter(row.values())) for row in await tx.all(query, **params)]


async def value(tx: Transaction, query: Query, **params: Any) -> Any:
    """Return the first column of the first row; None if there is no row."""
    row = await tx.first(query, **params)
    return next(iter(row.values())) if row else None


Unit = Callable[[Transaction], Awaitable[T]]

# Called with the space of each committed unit, in the event loop that waited for it.
Written = Callable[[str], None]


def nobody(_space: str) -> None:
    """Ignore commits."""


class Database(Protocol):
    dialect: Dialect
    written: Written

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def write(self, space: str, unit: Unit[T]) -> T: ...

    async def read(self, space: str, unit: Unit[T]) -> T: ...

    async def version(self) -> int:
        """Return the number of the last applied migration; 0 for an empty database."""
        ...

    async def migrate(self, migrations: Sequence[Migration]) -> bool:
        """Apply migrations in one transaction, unless another process has just done so, and enable
        row-level security."""
        ...

    async def verify(self) -> None:
        """Raise StorageError if writes will be refused: the database was replaced while it was open, or on SQLite its
        schema is newer than this version or has objects that are not ours."""
        ...

    async def foreign_objects(self) -> list[str]:
        """Return what is in the schema that is not ours and could run or show something: triggers, views and others."""
        ...

    async def schema(self) -> str:
        """Return the schema as canonical text, for comparison."""
        ...

    async def check(self) -> list[str]:
        """Check the stored data for damage and return what was found."""
        ...

    async def sizes(self) -> dict[str, int]:
        """Return the bytes of each table on disk, with its indexes, the largest first."""
        ...

    async def clean(self) -> bool:
        """Remove deleted data from the disk, as far as this database can. Returns False if that was
        not possible."""
        ...

    async def gaps(self) -> list[str]:
        """Return where row-level security is missing, though the database supports it."""
        ...

    def describe(self) -> str:
        """Return the location of the database, without secrets."""
        ...
