"""Restore a backup into an empty database of either kind, in one transaction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from erstwhile.archive import backup, fill, reader, tables
from erstwhile.archive.fill import FillTarget
from erstwhile.archive.model import ArchiveTable, Backup, Json, Progress, no_progress
from erstwhile.base import crash
from erstwhile.base.errors import InvalidInput, StorageError
from erstwhile.storage import EVERYWHERE, Database, Transaction
from erstwhile.storage import migrate as migrations


async def restore(database: Database, path: Path, progress: Progress = no_progress) -> Backup:
    """Create the schema version of the backup, fill it, then migrate it."""
    told = backup.describe(path)
    version, known = await database.version(), migrations.known(database.dialect)
    if version:
        await database.read(EVERYWHERE, lambda tx: _refuse_unless_empty(tx, database))
    if version > told.schema:
        raise InvalidInput(
            f"{database.describe()} has schema {version} already, the backup {told.schema}. Name a database that does not exist yet."
        )
    if version < told.schema:
        await database.migrate(known[version : told.schema])
    await database.write(EVERYWHERE, lambda tx: _fill(tx, database, path, progress))
    await migrations.migrate(database)
    problems = await database.check()
    if problems:
        raise StorageError(f"The restored database is damaged ({problems[0]}). Check the disk, and restore anew.")
    return told


async def _refuse_unless_empty(tx: Transaction, database: Database) -> None:
    if await tables.spaces(tx, await tables.layout(tx)):
        raise InvalidInput(
            f"{database.describe()} is not empty. A backup is restored into a database of its own: name one that does not exist yet."
        )


async def _fill(tx: Transaction, database: Database, path: Path, progress: Progress) -> None:
    layout = await tables.layout(tx)
    await _refuse_unless_empty(tx, database)
    most = {"documents": 0, "events": 0}
    with reader.open_archive(path) as found:
        for name, packed in found.tables.items():
            table = fill.check_columns(path.name, layout.get(name), packed)
            await fill.fill(tx, FillTarget(table, packed.columns), _rows(found, table, most), progress)
        await _compare(tx, layout, found)
    await tables.enter(tx, EVERYWHERE)
    crash.point("archive.after_rows")
    await tables.advance_sequences(tx, most["documents"], most["events"])


async def _compare(tx: Transaction, layout: dict[str, ArchiveTable], found: reader.ArchiveReader) -> None:
    """Compare counts in the database with the backup, space by space."""
    stored = dict.fromkeys(found.tables, 0)
    for space in await tables.spaces(tx, layout):
        await tables.enter(tx, space)
        for name in stored:
            stored[name] += await tables.count(tx, layout[name])
    for name, packed in found.tables.items():
        if stored[name] != packed.rows:
            raise StorageError(f"{name} has {stored[name]} rows after restoring, not {packed.rows}. Nothing was kept.")


def _rows(found: reader.ArchiveReader, table: ArchiveTable, most: dict[str, int]) -> Iterator[tuple[str, Json]]:
    for space, row in found.rows(table):
        if table.name == "jobs" and row["state"] == "running":
            row |= {"state": "waiting", "worker": None}  # its worker is not at this database
        elif table.name == "documents":
            most["documents"] = max(most["documents"], row["doc"])
        elif table.name == "events":
            most["events"] = max(most["events"], row["number"])
        yield space, row
