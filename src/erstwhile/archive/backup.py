"""The whole database as one archive, while others write: one snapshot of all spaces."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from erstwhile.archive import rows, tables, unpack
from erstwhile.archive.model import BACKUP, BACKUP_VERSION, Backup, Progress, Table, silent
from erstwhile.archive.pack import Pack, Sheet
from erstwhile.base.errors import InvalidInput
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction
from erstwhile.storage import migrate as migrations

# What is of use to this one database alone: who is signed in (they sign in again), what indexes in memory have to let go of, and what an
# erasure holds while it is at it.
LEFT_OUT: Final = frozenset({"sessions", "documents_gone", "erasing"})


async def backup(database: Database, to: Path, now: datetime, progress: Progress = silent) -> Backup:
    with Pack(to, private=True) as pack:
        schema, spaces = await database.read(EVERYWHERE, lambda tx: _write(tx, pack, progress))
        what = {"spaces": len([space for space in spaces if space])}
        manifest = {"format": BACKUP, "version": BACKUP_VERSION, "schema": schema, "at": now.isoformat(), "what": what}
        await asyncio.to_thread(pack.close, manifest)
        await asyncio.to_thread(_whole, pack.part)
        pack.place()
    return told(to)


def told(path: Path) -> Backup:
    """What a backup says of itself; whether it is whole is not looked at but for its digest."""
    with unpack.opened(path) as found:
        return summary(found)


def check(path: Path) -> Backup:
    """Reads a backup through: every digest and count, and whether each row would be taken. Raises with what is wrong."""
    with unpack.opened(path) as found:
        summed = summary(found)
        found.verify(_columns)
    return summed


def _columns(found: unpack.Unpacked, name: str, raw: bytes) -> None:
    """A row is JSON with the columns promised; of which type they are, the database knows into which it goes."""
    if name.startswith(unpack.TABLES) and rows.parsed(raw).keys() != {"space", *found.files[name].columns}:
        raise InvalidInput("it lacks columns, or has others")


def summary(found: unpack.Unpacked) -> Backup:
    if found.format != BACKUP:
        raise InvalidInput(f"{found.path.name} is no backup. `erstwhile import` takes exports.")
    if found.version > BACKUP_VERSION:
        raise InvalidInput(f"{found.path.name} is a backup of a newer erstwhile. Upgrade, then try again.")
    known = migrations.known("sqlite")[-1].version
    if found.schema > known:
        raise InvalidInput(
            f"{found.path.name} has schema {found.schema}, written by a newer erstwhile; this one knows up to {known}. "
            "Upgrade, then try again."
        )
    counts = {name: packed.rows for name, packed in found.tables.items()}
    size, spaces = found.path.stat().st_size, found.what.get("spaces", 0)
    return Backup(found.path, found.at, found.schema, spaces, counts.get("messages", 0), counts, size)


def _whole(path: Path) -> None:
    """Reads back what was just written."""
    with unpack.opened(path) as found:
        found.verify()


async def _write(tx: Transaction, pack: Pack, progress: Progress) -> tuple[int, list[str]]:
    """All in one transaction, so of one moment. On SQLite this runs on a thread of its own, and never pauses."""
    layout = await tables.layout(tx)
    schema = await tables.schema(tx)
    spaces = await tables.spaces(tx, layout)
    for name in sorted(layout.keys() - LEFT_OUT):
        await _table(tx, layout[name], spaces, pack, progress)
    await tables.enter(tx, EVERYWHERE)
    return schema, spaces


async def _table(tx: Transaction, table: Table, spaces: Sequence[str], pack: Pack, progress: Progress) -> None:
    chosen, done = tables.whole(table), 0
    with pack.sheet(f"{unpack.TABLES}{table.name}.jsonl", chosen.columns) as sheet:
        for space in spaces:
            await tables.enter(tx, space)
            async for page in tables.pages(tx, chosen):
                await aside(tx, partial(put, sheet, space, page, chosen))
                done += len(page)
                progress(table.name, done)


def put(sheet: Sheet, space: str | None, page: Sequence[Row], chosen: tables.Selection) -> None:
    sheet.lines(rows.lines(space, page, chosen.table, chosen.columns))


async def aside(tx: Transaction, work: Callable[[], None]) -> None:
    """Packing is work for the processor: on Postgres off the event loop, where a SQLite unit is not anyway."""
    if tx.dialect == "sqlite":
        work()
    else:
        await asyncio.to_thread(work)
