"""`memory.archive`: backups, imports of exports, receipts of erasures, origins of messages,
retention.
"""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any, Final

from erstwhile import wiring
from erstwhile.api import verb
from erstwhile.api.resource import Resource
from erstwhile.api.types import ChannelId, Cursor, Limit, PersonId, Space
from erstwhile.archive import backup as backups
from erstwhile.archive import model, reader
from erstwhile.archive import restore as restoring
from erstwhile.archive.model import EXPORT, Backup, Progress, no_progress
from erstwhile.base.errors import InvalidInput
from erstwhile.base.page import DEFAULT, Page, cut_at, number
from erstwhile.base.records import from_row
from erstwhile.base.settings import load as load_settings
from erstwhile.exports import load
from erstwhile.exports.load import Admission
from erstwhile.exports.rows import ImportCounts
from erstwhile.index import documents
from erstwhile.layers.erasure.model import ErasureRecord
from erstwhile.layers.retention.model import ExpiryReport
from erstwhile.log import check
from erstwhile.log import store as log
from erstwhile.log.model import Origin
from erstwhile.receipts import store as receipts

_BATCH: Final = 500
_Line = tuple[str, str, dict[str, Any]]  # channel, original id, message


class Archive(Resource, noun="archive"):
    @verb.by_hand
    async def backup(self, *, to: str | Path, progress: Progress = no_progress) -> Backup:
        """Back up all spaces into one zip and verify it. Writers are not blocked.

        The backup is a consistent snapshot and can be restored on either database. It contains the
        digests of keys and encrypted API keys: protect it like the database."""
        await self._runtime.recorder.flush()
        return await backups.backup(self._runtime.database, Path(to), self._now(), progress)

    @verb.by_hand
    async def restore(self, file: str | Path, *, progress: Progress = no_progress) -> Backup:
        """Restore a backup into this database, which must be empty. All of it is restored, or
        nothing."""
        return await restoring.restore(
            self._runtime.database, Path(file), documents.ask_for_vectors, progress
        )

    @verb.by_hand
    async def load(
        self, path: str | Path, *, progress: Progress = no_progress, space: Space = None
    ) -> ImportCounts:
        """Import a zip written by `export`. An empty space gets all its rows unchanged; any other
        space gets only its messages, as `add` would store them."""
        chosen, file, now = self._remembering(space), Path(path), self._now()
        with reader.open_archive(file) as found:
            load.check_export(found)
        limits = self._memory.settings.limits
        kinds, tables = self._runtime.worker.kinds, self._runtime.erasure.tables
        admission = Admission(limits.message_bytes, kinds, tables)
        if await self._read(chosen, lambda tx: load.empty(tx, admission.tables)):
            of = file, admission, now, progress
            loaded = await self._write(chosen, lambda tx: load.load(tx, *of))
            if loaded is not None:
                self._runtime.worker.wake()
                return loaded
        return await self._add_again(chosen, file, progress)

    @verb.get("receipts")
    async def receipts(
        self,
        *,
        person: PersonId | None = None,
        channel: ChannelId | None = None,
        cursor: Cursor = None,
        limit: Limit = DEFAULT,
        space: Space = None,
    ) -> Page[ErasureRecord]:
        """List the receipts of erasures, newest first; optionally only those of a person or a
        channel. Receipts contain no names."""
        if person is not None and channel is not None:
            raise InvalidInput("Name a person or a channel, or neither.")
        named = {"person": person, "channel": channel}
        about = next(((kind, name) for kind, name in named.items() if name is not None), None)
        start = number(cursor)
        most = start + limit + 1
        rows = await self._read(space, lambda tx: receipts.listed(tx, about, most))
        found = [from_row(ErasureRecord, row, counts=json.loads(row["counts"])) for row in rows]
        return cut_at(found[start:], start, limit)

    @verb.get("origins")
    async def origins(
        self, *, cursor: Cursor = None, limit: Limit = DEFAULT, space: Space = None
    ) -> Page[Origin]:
        """List the origins of messages (import files, platforms), the one with the newest message
        first."""
        start = number(cursor)
        found = await self._read(space, lambda tx: log.origins(tx, start + limit + 1))
        return cut_at(found[start:], start, limit)

    @verb.get("expiring")
    async def expiring(self, *, space: Space = None) -> ExpiryReport:
        """Count by kind what `expire` would remove now, at most. Nothing is removed."""
        return await self._runtime.retention.expiring(self._space(space))

    @verb.post("expire", slow=True, repeatable=True)
    async def expire(self, *, space: Space = None) -> ExpiryReport:
        """Remove what is older than the retention of the space allows. A job does this every hour.
        Rows that pending jobs still need are kept until then."""
        return await self._runtime.retention.expire(self._space(space))

    async def _add_again(self, space: str, file: Path, progress: Progress) -> ImportCounts:
        """Add an export's messages like any others: known, blocked and erased ones are skipped."""
        new = skipped = 0
        channels = set[str]()
        with reader.open_archive(file) as found:
            found.verify()
            lines = found.each("messages.jsonl", _message)
            while batch := list(islice(lines, _BATCH)):
                ids = [id for _, id, _ in batch]
                there = await self._read(space, lambda tx: log.by_ids(tx, ids))  # noqa: B023
                skipped += len(there)
                absent: dict[str, list[dict[str, Any]]] = {}
                for name, id, message in batch:
                    if id not in there:
                        absent.setdefault(name, []).append(message)
                for name, added in absent.items():
                    chat = self._memory.channel(name, space)
                    before = await chat.size()
                    stored = {each.seq for each in await chat.add_many(added) if each.seq > before}
                    new, skipped = new + len(stored), skipped + len(added) - len(stored)
                    channels.add(name)
                progress("messages", new + skipped)
        return ImportCounts(False, new, 0, skipped, len(channels))


async def restore(
    database: str | None, file: str | Path, *, progress: Progress = no_progress, **settings: Any
) -> Backup:
    """Restore a backup of this version or an older one into an empty or new database. All of it is
    restored, or nothing."""
    chosen = wiring.open_database(load_settings(database=database, **settings))
    await chosen.open()
    try:
        return await restoring.restore(chosen, Path(file), documents.ask_for_vectors, progress)
    finally:
        await chosen.close()


def is_export(path: Path) -> bool:
    """Return whether a file is a zip that `export` wrote."""
    return path.is_file() and reader.format_of(path) == EXPORT


def _message(raw: bytes) -> _Line:
    line = model.parsed(raw)
    message = {name: value for name, value in line.items() if name not in ("id", "seq", "channel")}
    id = check.identifier("id", line.get("id"))
    return check.identifier("channel", line.get("channel")), id, message
