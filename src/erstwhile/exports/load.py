"""An export back into a space: its rows as they were, in one transaction, where the space is empty."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from erstwhile.archive import fill, reader, tables
from erstwhile.archive.fill import FillTarget
from erstwhile.archive.model import EXPORT, ArchiveFile, ArchiveTable, Json, Progress
from erstwhile.base.clock import moment
from erstwhile.base.errors import InvalidInput
from erstwhile.events import store as events
from erstwhile.exports import rows
from erstwhile.exports.admit import Admission
from erstwhile.exports.gather import queries
from erstwhile.exports.model import FORMAT, Loaded
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import NewJob
from erstwhile.layers.remake import REMAKE
from erstwhile.search import flagged
from erstwhile.storage import Transaction
from erstwhile.storage import migrate as migrations

# What a space may have before anything was said in it: it stays, and what comes from the export goes beside it.
_MAY_BE_THERE: Final = frozenset({"spaces", "space_settings", "prompts", "requests", "complaints", "usage"})
_GIVEN_HERE: Final = {"jobs": ("id", "state", "attempts", "token", "beat", "created_at"), "documents": ("doc",)}
_BATCH: Final = 500


def check(found: reader.ArchiveReader) -> None:
    known = migrations.known("sqlite")[-1].version
    if found.format != EXPORT:
        raise InvalidInput(f"{found.path.name} is no export. `erstwhile backup FILE --restore` takes backups.")
    if found.version > FORMAT or found.schema > known:
        raise InvalidInput(f"{found.path.name} was written by a newer erstwhile. Upgrade, then import it again.")


async def empty(tx: Transaction) -> bool:
    """Whether nothing was ever said here, or erased: what was must not come back with rows as they were."""
    if await tx.first(queries.erased):
        return False
    layout = await tables.layout(tx)
    known = layout.keys() - rows.LEFT_OUT - _MAY_BE_THERE - {"erasure_marks", "jobs"}
    return not any([await tables.count(tx, layout[name]) for name in sorted(known)])


async def load(tx: Transaction, path: Path, admission: Admission, now: datetime, progress: Progress) -> Loaded | None:
    """None where the space is not empty. Whatever space the export was of, its rows become this one's."""
    if not await empty(tx):
        return None
    layout = await tables.layout(tx)
    stored: dict[str, int] = {}
    await tx.run(queries.blank_mark)
    with reader.open_archive(path) as found:
        check(found)
        for name in sorted(found.tables):
            table = layout.get(name) if name not in rows.LEFT_OUT else None
            fitting = fill.check_columns(path.name, table, _needed(found, name))
            stored[name] = await _table(tx, (found, fitting), admission, now, progress)
        stale = found.schema != await tables.schema(tx)
        for name in ("messages.jsonl", "memories.jsonl"):
            for _ in found.lines(name):  # what is not needed here has to be whole as well
                pass
        memories, was = found.files["memories.jsonl"].rows, found.what.get("space")
    wrong = await tx.first(queries.beyond_its_channel)
    if wrong is not None:
        raise InvalidInput(
            f"{path.name} can't be taken: message {wrong['seq']} of {wrong['channel']!r} is beyond its channel."
        )
    await flagged.flag_all(tx)  # a file may hold memories that nothing was ever asked about
    if stale:  # what finds things may have changed since: made anew from the rest
        await jobs.enqueue(tx, NewJob(REMAKE, key="", payload={}), now)
    await events.emit(tx, "space", "imported", tx.space)
    counted = stored.get("messages", 0), memories, 0, stored.get("channels", 0)
    return Loaded(True, *counted, tuple(admission.left), was if isinstance(was, str) else "")


def _needed(found: reader.ArchiveReader, name: str) -> ArchiveFile:
    """With the columns that rows of this table get here."""
    packed = found.tables[name]
    return replace(packed, columns=(*packed.columns, *_GIVEN_HERE.get(name, ())))


async def _table(
    tx: Transaction,
    of: tuple[reader.ArchiveReader, ArchiveTable],
    admission: Admission,
    now: datetime,
    progress: Progress,
) -> int:
    found, table = of
    admitted = _admitted(found, table, tx.space, admission)
    if table.name == "jobs":
        return await _jobs(tx, admitted, now)
    if table.name == "documents":
        return await _documents(tx, admitted)
    filling = FillTarget(table, found.tables[table.name].columns, keep=table.name in _MAY_BE_THERE)
    return await fill.fill(tx, filling, admitted, progress)


def _admitted(
    found: reader.ArchiveReader, table: ArchiveTable, space: str, admission: Admission
) -> Iterator[tuple[str, Json]]:
    for number, (_, row) in enumerate(found.rows(table), start=1):
        try:
            taken = admission.row(table, row)
        except InvalidInput as error:
            raise found.refused(f"{reader.TABLES}{table.name}.jsonl", number, error) from None
        if taken is not None:
            yield space, taken


async def _documents(tx: Transaction, found: fill.Rows) -> int:
    """In the order they were; their vectors are made again."""
    done, batch = 0, list[Json]()
    for _, row in found:
        batch.append(row)
        if len(batch) == _BATCH:
            await documents.add_rows(tx, batch)
            done, batch = done + len(batch), []
    if batch:
        await documents.add_rows(tx, batch)
    return done + len(batch)


async def _jobs(tx: Transaction, found: fill.Rows, now: datetime) -> int:
    """Asked for anew."""
    asked = 0
    for _, row in found:
        payload = json.loads(row["payload"])
        if not isinstance(payload, dict):
            continue
        due = moment(row["due_at"])
        limit = None if row.get("limit_at") is None else moment(row["limit_at"])
        asked_for = NewJob(row["kind"], row["key"], payload, row.get("lane"), row.get("pace"), due, limit)
        await jobs.enqueue(tx, asked_for, now)
        asked += 1
    return asked
