"""Insert rows of an archive into tables, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from erstwhile.archive import rows, tables
from erstwhile.archive.model import ArchiveFile, ArchiveTable, Json, Progress
from erstwhile.base.errors import InvalidInput
from erstwhile.storage import Transaction
from erstwhile.storage.queries import Query

_BATCH: Final = 500
# Errors for duplicate rows and values that the table does not allow.
_REFUSALS: Final = frozenset({"ConstraintError", "IntegrityError", "DataError", "ProgramLimitExceeded"})

Rows = Iterable[tuple[str, Json]]
Change = Callable[[str, Json], Json | None]  # changes a row before it is inserted; None leaves it out


@dataclass(frozen=True, slots=True)
class FillTarget:
    """`keep`: existing rows stay."""

    table: ArchiveTable
    columns: tuple[str, ...]
    keep: bool = False


def check_columns(file: str, table: ArchiveTable | None, packed: ArchiveFile) -> ArchiveTable:
    """Check that rows with these columns can be inserted."""
    if table is None:
        raise InvalidInput(f"{file} can't be loaded: it has an unknown table.")
    unknown = sorted(set(packed.columns) - table.columns.keys())
    if unknown or "space" in packed.columns:
        raise InvalidInput(f"{file} can't be loaded: {table.name} has no column {(unknown or ['space'])[0][:80]!r}.")
    lacking = sorted(
        name
        for name, column in table.columns.items()
        if column.needed and name != "space" and name not in packed.columns
    )
    if lacking:
        raise InvalidInput(f"{file} can't be loaded: its rows of {table.name} have no {lacking[0]}.")
    return table


async def fill(tx: Transaction, filling: FillTarget, found: Rows, progress: Progress) -> int:
    """Insert each row into its space and return how many. Changes the space of the transaction."""
    query = tables.insertion(filling.table, filling.columns, keep=filling.keep)
    done = 0
    for space, batch in _batches(found):
        if space != tx.space:
            await tables.enter(tx, space)
        if tx.dialect == "sqlite":
            batch = [rows.native(filling.table, filling.columns, row) for row in batch]
        await _put(tx, filling.table, query, batch)
        done += len(batch)
        progress(filling.table.name, done)
    return done


async def _put(tx: Transaction, table: ArchiveTable, query: Query, batch: list[dict[str, Any]]) -> None:
    try:
        await tx.run_many(query, batch)
    except Exception as error:  # each database has its own names for refused values; other errors propagate
        if _REFUSALS.isdisjoint(kind.__name__ for kind in type(error).__mro__):
            raise
        raise InvalidInput(
            f"Rows of {table.name} are refused by the database ({type(error).__name__}). Nothing was stored."
        ) from error


def _batches(found: Rows) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield batches of one space each."""
    batch: list[dict[str, Any]] = []
    of = ""
    for space, row in found:
        if batch and (space != of or len(batch) == _BATCH):
            yield of, batch
            batch = []
        of = space
        batch.append(row)
    if batch:
        yield of, batch
