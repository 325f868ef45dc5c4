"""Rows of an archive into tables, within a transaction of the caller's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from erstwhile.archive import rows, tables
from erstwhile.archive.model import Json, Packed, Progress, Table
from erstwhile.base.errors import InvalidInput
from erstwhile.storage import Transaction
from erstwhile.storage.queries import Query

_BATCH: Final = 500
# Rows that are there twice, or hold what the table does not allow.
_REFUSALS: Final = frozenset({"ConstraintError", "IntegrityError", "DataError", "ProgramLimitExceeded"})

Rows = Iterable[tuple[str, Json]]
Change = Callable[[str, Json], Json | None]  # of a table's row, before it is put in; None leaves it out


@dataclass(frozen=True, slots=True)
class Filling:
    """`keep`: what is there already stays."""

    table: Table
    columns: tuple[str, ...]
    keep: bool = False


def fits(file: str, table: Table | None, packed: Packed) -> Table:
    """Whether rows with these columns can be put in."""
    if table is None:
        raise InvalidInput(f"{file} can't be taken: it has a table that is not known here.")
    unknown = sorted(set(packed.columns) - table.columns.keys())
    if unknown or "space" in packed.columns:
        raise InvalidInput(f"{file} can't be taken: {table.name} has no column {(unknown or ['space'])[0][:80]!r}.")
    lacking = sorted(
        name
        for name, column in table.columns.items()
        if column.needed and name != "space" and name not in packed.columns
    )
    if lacking:
        raise InvalidInput(f"{file} can't be taken: its rows of {table.name} have no {lacking[0]}.")
    return table


async def fill(tx: Transaction, filling: Filling, found: Rows, progress: Progress) -> int:
    """Each row in the space it names, in whose name the transaction then is; says how many."""
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


async def _put(tx: Transaction, table: Table, query: Query, batch: list[dict[str, Any]]) -> None:
    try:
        await tx.run_many(query, batch)
    except Exception as error:  # each database has its own names for what it won't store; anything else goes on
        if _REFUSALS.isdisjoint(kind.__name__ for kind in type(error).__mro__):
            raise
        raise InvalidInput(
            f"Rows of {table.name} are refused by the database ({type(error).__name__}). Nothing was stored."
        ) from error


def _batches(found: Rows) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Of one space each."""
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
