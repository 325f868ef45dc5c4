"""Back up the whole database as one archive: one snapshot of all spaces, while others write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from erstwhile.archive import model, reader, tables
from erstwhile.archive.model import BACKUP, BACKUP_VERSION, Backup, Progress, no_progress
from erstwhile.archive.tables import Selection
from erstwhile.archive.writer import ArchiveFileWriter, ArchiveWriter
from erstwhile.base.errors import InvalidInput
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction
from erstwhile.storage import migrate as migrations
from erstwhile.storage.checksums import CHECKSUMS, is_damaged

Rows = Sequence[Row]
_NAMED: Final = 100  # damaged messages and memories that a manifest lists
# Useful to this database only: sessions (people sign in again), documents to remove from indexes in
# memory, the stored index (made again), and the state of running erasures.
LEFT_OUT: Final = {"sessions", "documents_gone", "index_files", "index_pieces", "erasing"}


async def backup(
    database: Database, to: Path, now: datetime, progress: Progress = no_progress
) -> Backup:
    with ArchiveWriter(to) as pack:
        damaged: list[str] = []
        writing = partial(_write, pack=pack, damaged=damaged, progress=progress)
        schema, spaces = await database.read(EVERYWHERE, writing)
        what = {"spaces": len([space for space in spaces if space]), "damaged": damaged[:_NAMED]}
        manifest = {"format": BACKUP, "version": BACKUP_VERSION, "schema": schema}
        await finish(pack, {**manifest, "at": now.isoformat(), "what": what})
    return describe(to)


async def finish(pack: ArchiveWriter, manifest: Mapping[str, Any]) -> None:
    """Complete the file, read it back, and give it its name."""
    await asyncio.to_thread(pack.close, manifest)

    def verify() -> None:
        with reader.open_archive(pack.part) as found:
            found.verify()

    await asyncio.to_thread(verify)
    pack.place()


def describe(path: Path) -> Backup:
    """Return the summary of a backup. Only its overall digest is verified."""
    with reader.open_archive(path) as found:
        return summary(found)


def check(path: Path) -> Backup:
    """Verify a backup: every digest and count, and each row. Raises what is wrong."""
    with reader.open_archive(path) as found:
        summed = summary(found)
        found.verify(_columns)
    return summed


def _columns(found: reader.ArchiveReader, name: str, raw: bytes) -> None:
    """Check that a row has the promised columns. Types are checked by the target database."""
    promised = {"space", *found.files[name].columns}
    if name.startswith(reader.TABLES) and model.parsed(raw).keys() != promised:
        raise InvalidInput("it lacks columns, or has others")


def summary(found: reader.ArchiveReader) -> Backup:
    name, known = found.path.name, migrations.known("sqlite")[-1].version
    if found.format != BACKUP:
        raise InvalidInput(f"{name} is not a backup. Use `erstwhile import` for exports.")
    if found.version > BACKUP_VERSION:
        raise InvalidInput(f"{name} is a backup of a newer erstwhile. Upgrade, then try again.")
    if found.schema > known:
        raise InvalidInput(
            f"{name} has schema {found.schema}, written by a newer erstwhile; this one knows up to {known}. "
            "Upgrade, then try again."
        )
    counts = {name: packed.rows for name, packed in found.tables.items()}
    size, spaces = found.path.stat().st_size, found.what.get("spaces", 0)
    damaged = tuple(str(each) for each in found.what.get("damaged", ()))
    made = found.path, found.at, found.schema
    return Backup(*made, spaces, counts.get("messages", 0), counts, size, damaged)


async def _write(
    tx: Transaction, pack: ArchiveWriter, damaged: list[str], progress: Progress
) -> tuple[int, list[str]]:
    """Write everything in one transaction. On SQLite it runs on its own thread and never pauses."""
    layout = await tables.layout(tx)
    schema = await migrations.applied(tx)
    spaces = await tables.spaces(tx, layout)
    for name in sorted(layout.keys() - LEFT_OUT):
        chosen, done = tables.select_all(layout[name]), 0
        with open_table(pack, chosen) as file:
            for space in spaces:
                await tables.enter(tx, space)
                async for page in tables.pages(tx, chosen):
                    if name in CHECKSUMS:
                        damaged += [str(row["id"]) for row in page if is_damaged(name, row)]
                    await put(tx, file, page, chosen, space)
                    done += len(page)
                    progress(name, done)
    await tables.enter(tx, EVERYWHERE)
    return schema, spaces


def open_table(pack: ArchiveWriter, chosen: Selection) -> AbstractContextManager[ArchiveFileWriter]:
    return pack.open_file(f"{reader.TABLES}{chosen.table.name}.jsonl", chosen.columns)


async def put(
    tx: Transaction, file: ArchiveFileWriter, page: Rows, of: Selection, space: str | None = None
) -> None:
    """Write rows of a table, with their space if given."""
    await off_event_loop(tx, lambda: file.lines(model.lines(space, page, of.table, of.columns)))


async def off_event_loop(tx: Transaction, work: Callable[[], None]) -> None:
    """Run compression off the event loop on Postgres. A SQLite unit has its own thread."""
    if tx.dialect == "sqlite":
        work()
    else:
        await asyncio.to_thread(work)
