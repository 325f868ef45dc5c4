"""Restore a backup into an empty database of either kind, in one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Final

from erstwhile.archive import backup, model, reader, tables
from erstwhile.archive.model import ArchiveFile, ArchiveTable, Backup, Json, Progress, no_progress
from erstwhile.base import crash
from erstwhile.base.errors import InvalidInput, StorageError
from erstwhile.base.records import dataclass
from erstwhile.storage import EVERYWHERE, Database, Transaction
from erstwhile.storage import migrate as migrations
from erstwhile.storage.queries import Query

Layout = dict[str, ArchiveTable]
Finish = Callable[[Transaction], Awaitable[None]]
# With numbers of the database's own.
_NUMBERED: Final = {"messages": "doc", "documents": "doc", "events": "number"}


async def restore(
    database: Database, path: Path, finish: Finish, progress: Progress = no_progress
) -> Backup:
    """Create the schema version of the backup, fill it, then migrate it. `finish` runs in each
    space, with the filling."""
    told = backup.describe(path)
    version, known = await database.version(), migrations.known(database.dialect)
    if version:
        await database.read(EVERYWHERE, lambda tx: _refuse_unless_empty(tx, database))
    if version > told.schema:
        why = f"{database.describe()} has schema {version} already, the backup {told.schema}."
        raise InvalidInput(f"{why} Name a database that does not exist yet.")
    if version < told.schema:
        await database.migrate(known[version : told.schema])
    await database.write(EVERYWHERE, lambda tx: _fill(tx, database, path, (finish, progress)))
    await migrations.migrate(database)
    problems = await database.check()
    if problems:
        why = f"The restored database is damaged ({problems[0]})."
        raise StorageError(f"{why} Check the disk, and restore anew.")
    return told


async def _refuse_unless_empty(tx: Transaction, database: Database) -> None:
    if await tables.spaces(tx, await tables.layout(tx)):
        raise InvalidInput(
            f"{database.describe()} is not empty. A backup is restored into a database of its own: name one that does not exist yet."
        )


async def _fill(
    tx: Transaction, database: Database, path: Path, told: tuple[Finish, Progress]
) -> None:
    finish, progress = told
    layout = await tables.layout(tx)
    await _refuse_unless_empty(tx, database)
    most = dict.fromkeys(_NUMBERED, 0)
    with reader.open_archive(path) as found:
        for name, packed in found.tables.items():
            table = check_columns(path.name, layout.get(name), packed)
            rows = found.rows(table, partial(_taken, name, most))
            await fill(tx, FillTarget(table, packed.columns), rows, progress)
        await _compare(tx, layout, found)
    for space in await tables.spaces(tx, layout):
        await tables.enter(tx, space)
        await finish(tx)
    await tables.enter(tx, EVERYWHERE)
    crash.point("archive.after_rows")
    await tables.advance_sequences(tx, max(most["messages"], most["documents"]), most["events"])


async def _compare(tx: Transaction, layout: Layout, found: reader.ArchiveReader) -> None:
    """Compare counts in the database with the backup, space by space."""
    stored = dict.fromkeys(found.tables, 0)
    for space in await tables.spaces(tx, layout):
        await tables.enter(tx, space)
        for name in stored:
            stored[name] += await tables.count(tx, layout[name])
    for name, packed in found.tables.items():
        if stored[name] != packed.rows:
            why = f"{name} has {stored[name]} rows after restoring, not {packed.rows}."
            raise StorageError(f"{why} Nothing was kept.")


def _taken(name: str, most: dict[str, int], row: Json) -> Json:
    """Return a row to store, and note the largest numbers of documents and events."""
    if name == "jobs" and row["state"] == "running":
        row |= {"state": "waiting", "worker": None}  # its worker is not at this database
    elif name in most:
        most[name] = max(most[name], row[_NUMBERED[name]])
    return row


_BATCH: Final = 500
# Errors for duplicate rows and values that the table does not allow.
_REFUSALS: Final = {"ConstraintError", "IntegrityError", "DataError", "ProgramLimitExceeded"}

Rows = Iterable[tuple[str, Json]]


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
    unknown = sorted(set(packed.columns) - (table.columns.keys() - {"space"}))
    if unknown:
        why = f"{table.name} has no column {unknown[0][:80]!r}"
        raise InvalidInput(f"{file} can't be loaded: {why}.")
    needed = {name for name, column in table.columns.items() if column.needed}
    if lacking := sorted(needed - {"space", *packed.columns}):
        why = f"its rows of {table.name} have no {lacking[0]}"
        raise InvalidInput(f"{file} can't be loaded: {why}.")
    return table


async def fill(tx: Transaction, filling: FillTarget, found: Rows, progress: Progress) -> int:
    """Insert each row into its space and return how many. Changes the space of the transaction."""
    query = tables.insertion(filling.table, filling.columns, keep=filling.keep)
    done = 0
    for space, of_space in groupby(found, itemgetter(0)):
        if space != tx.space:
            await tables.enter(tx, space)
        while batch := [row for _, row in islice(of_space, _BATCH)]:
            if tx.dialect == "sqlite":
                batch = [model.native(filling.table, filling.columns, row) for row in batch]
            await _put(tx, filling.table, query, batch)
            done += len(batch)
            progress(filling.table.name, done)
    return done


async def _put(tx: Transaction, table: ArchiveTable, query: Query, batch: list[Json]) -> None:
    try:
        await tx.run_many(query, batch)
        await tx.finish()
    except Exception as error:  # each database has its own errors for refused values
        if _REFUSALS.isdisjoint(kind.__name__ for kind in type(error).__mro__):
            raise
        why = f"Rows of {table.name} are refused by the database ({type(error).__name__})."
        raise InvalidInput(f"{why} Nothing was stored.") from error
