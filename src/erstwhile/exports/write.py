"""The zip: of one moment, written beside its place, page by page, read back, and put there when it is whole."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import datetime
from functools import partial
from pathlib import Path

from erstwhile.archive import backup, reader, tables
from erstwhile.archive.model import EXPORT
from erstwhile.archive.writer import ArchiveFileWriter, ArchiveWriter
from erstwhile.configuration.visibility import Visibility
from erstwhile.exports import gather, readable, rows
from erstwhile.exports.model import FORMAT, Exported, Of
from erstwhile.storage import Database, Transaction


async def export(database: Database, space: str, of: Of, visibility: Visibility, to: Path, now: datetime) -> Exported:
    with ArchiveWriter(to) as pack:
        messages, memories, schema = await database.read(space, lambda tx: _write(tx, pack, of, visibility))
        manifest = {
            "format": EXPORT,
            "version": FORMAT,
            "schema": schema,
            "at": now.isoformat(),
            "what": {"space": space, **of.what},
            "counts": {"messages": messages, "memories": memories},
        }
        await asyncio.to_thread(pack.close, manifest)
        await asyncio.to_thread(_whole, pack.part)
        pack.place()
    return Exported(to, messages, memories)


def _whole(path: Path) -> None:
    with reader.open_archive(path) as found:
        found.verify()


async def _write(tx: Transaction, pack: ArchiveWriter, of: Of, visibility: Visibility) -> tuple[int, int, int]:
    withheld = await gather.hidden_channels(tx, of, visibility)
    about, settings = await gather.about(tx, of, frozenset(withheld))
    if of.person is not None:
        about["withheld"] = await gather.count_unheard(tx, of, withheld)
    messages = await _lines(tx, pack, "messages.jsonl", gather.messages(tx, of))
    memories = await _lines(tx, pack, "memories.jsonl", gather.memories(tx, of, frozenset(withheld)))
    pack.put(f"{of.kind}.json", about)
    pack.put("settings.json", settings)
    for chosen in rows.selections(await tables.layout(tx), of, withheld, tx.dialect):
        with pack.open_file(f"{reader.TABLES}{chosen.table.name}.jsonl", chosen.columns) as file:
            async for page in tables.pages(tx, chosen):
                await backup.off_event_loop(tx, partial(backup.put, file, None, page, chosen))
    title = f"Everything of {next(iter(of.what.values()), tx.space)}"
    await readable.write(tx, pack, readable.ExportPages(title, of, about, withheld, messages + memories))
    return messages, memories, await tables.schema(tx)


async def _lines(tx: Transaction, pack: ArchiveWriter, name: str, pages: AsyncIterator[list[gather.Json]]) -> int:
    written = 0
    with pack.open_file(name) as file:
        async for each in pages:
            await backup.off_event_loop(tx, partial(_put, file, each))
            written += len(each)
    return written


def _put(file: ArchiveFileWriter, page: list[gather.Json]) -> None:
    file.lines([json.dumps(line, ensure_ascii=False) for line in page])
