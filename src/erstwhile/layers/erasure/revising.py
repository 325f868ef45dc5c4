"""Edit or delete single messages, as happens on platforms all day long.

This deletes the same as an erasure, in one transaction, but other work does not wait for it. Always
true, on both databases:

- When the transaction commits, memories made from the old text are deleted or have no text. Results
  that are still being computed from it are refused: jobs over this part of the channel are
  restarted here, and work outside of jobs checks the `revisions`. A step that read only derived
  memories compares them with the stored ones when it writes: nightly runs their notes, weeks and
  portraits their days, told texts their sources, meta summaries their parts. Profiles can't,
  because a note that is made again keeps its id: jobs over people of such notes are restarted too.
- All other work continues. An edit of a message from which nothing was made yet, as most are,
  restarts only the jobs over its own range.
- On SQLite the file is rewritten within an hour, once for all changes, by a job that is retried
  until it succeeds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from erstwhile.base import crash
from erstwhile.base.clock import Clock, micros, moment
from erstwhile.base.errors import StorageBusy
from erstwhile.base.records import dataclass
from erstwhile.events import store as events
from erstwhile.index import documents
from erstwhile.index.documents import MessageDocument
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome
from erstwhile.layers.contract import Layer, Remake
from erstwhile.layers.erasure.steps import take_memories
from erstwhile.layers.notes import store as notes
from erstwhile.log import append
from erstwhile.log import erase as log_erase
from erstwhile.log import store as log_store
from erstwhile.log.model import Message
from erstwhile.log.reindex import replace_documents
from erstwhile.memories import erase
from erstwhile.receipts import store as receipts
from erstwhile.receipts.store import Mark
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction
from erstwhile.tables import listed
from erstwhile.tables.model import Erasing, Subject
from erstwhile.tables.owner import Owner

CLEAN: Final = "erasure.clean"
_SOON, _AT_LAST = timedelta(minutes=10), timedelta(minutes=50)
# A question is recorded about when it is stored as a message.
_ASKED_BEFORE: Final = timedelta(hours=1)
_SINGLE: Final = Subject()


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The range of a channel with all changes. `since`: when its first message was stored."""

    channel: str
    first: int
    last: int
    since: int

    async def refuse(self, tx: Transaction) -> None:
        """Refuse results of jobs that may have read this range, not of conversations before it."""
        found = await jobs.readers(tx, self.channel, self.first, self.last)
        begun = [row["first_seq"] for row in found if row["first_seq"] is not None]
        ended = await notes.ended_before(tx, self.channel, begun, self.first)
        for row in found:
            if row["first_seq"] not in ended:
                await jobs.restart_many(tx, row["kind"], [row["key"]])


class MessageRevision:
    def __init__(
        self, database: Database, clock: Clock, layers: Sequence[Layer], owners: Sequence[Owner]
    ) -> None:
        self._database, self._clock, self._layers, self._owners = database, clock, layers, owners

    async def revise(self, space: str, channel: str, key: str, text: str) -> Message | None:
        """Edit a message and return it; None if there is none. Most edits change nothing."""
        found = await self._database.read(space, lambda tx: log_store.by_keys(tx, channel, [key]))
        if not found or found[0].text == text:
            return found[0] if found else None
        made = await asyncio.to_thread(append.search_documents, [replace(found[0], text=text)])
        return await self._database.write(
            space, lambda tx: self._revise(tx, channel, key, (text, made))
        )

    async def delete(self, space: str, channel: str, keys: Sequence[str]) -> int:
        """Delete messages and return how many were stored. None of the keys can be stored later."""
        if not keys:
            return 0
        return await self._database.write(space, lambda tx: self._delete(tx, channel, keys))

    async def clean(self, job: Job) -> Outcome:
        """Rewrite the file, also for the waiting jobs of other spaces."""
        await self._database.write(
            EVERYWHERE, lambda tx: jobs.finish_same_kind(tx, job, self._clock())
        )
        crash.point("erasure.before_clean")
        if not await self._database.clean():
            raise StorageBusy(
                "The file could not be rewritten: someone keeps reading it, or the disk is full."
            )
        return Outcome()

    async def _revise(
        self, tx: Transaction, channel: str, key: str, words: tuple[str, Sequence[MessageDocument]]
    ) -> Message | None:
        now, (text, made) = moment(micros(self._clock())), words
        mark = await receipts.hold(tx)
        found = await _held(tx, channel, [key])
        if not found or found[0]["text"] == text:
            return log_store.from_row(found[0]) if found else None
        row = found[0]
        stretch = await self._begin(tx, mark, found, now)
        await listed.clear(tx)
        await listed.add_messages(tx, [{**row, "id": f"revised:{row['id']}"}])
        remakes = await self._take(tx, now)
        message = replace(log_store.from_row(row), text=text)
        await log_erase.reword(tx, row, text)
        await replace_documents(tx, made)
        for remake in remakes:
            await remake(tx, now)
        place = {"channel": channel, "seq": message.seq, "until": message.seq}
        await events.emit(tx, "message", "revised", message.id, **place, person=message.person)
        await self._end(tx, stretch, now)
        crash.point("erasure.after_reworded")
        return message

    async def _delete(self, tx: Transaction, channel: str, keys: Sequence[str]) -> int:
        now = moment(micros(self._clock()))
        mark = await receipts.hold(tx)
        found = await _held(tx, channel, keys)
        await receipts.add_traces(tx, mark, [receipts.key_trace(channel, key) for key in keys])
        if not found:
            if not mark.number:  # from now on new messages are checked against the tombstones
                await receipts.move(tx)
            return 0
        await listed.clear(tx)
        await listed.add_messages(tx, found)
        await log_erase.list_replies(tx, await listed.places(tx))
        going = await log_erase.listed_rows(tx)
        await receipts.add_tombstones(tx, mark, going)
        stretch = await self._begin(tx, mark, going, now)
        remakes = await self._take(tx, now)
        await documents.remove(tx, [row["id"] for row in going])
        await log_erase.drop_messages(tx)
        for remake in remakes:
            await remake(tx, now)
        for span in await listed.spans(tx):
            place = {"channel": channel, "seq": span["first"], "until": span["last"]}
            await events.emit(tx, "message", "erased", channel, **place)
        await self._end(tx, stretch, now)
        crash.point("erasure.after_deleted")
        return len(found)

    async def _begin(
        self, tx: Transaction, mark: Mark, found: Sequence[Row], now: datetime
    ) -> _Stretch:
        """Refuse results of work on these messages; delete recorded questions with their text."""
        await receipts.revised(tx, mark, found, now)
        seqs, since = [row["seq"] for row in found], min(row["created_at"] for row in found)
        stretch = _Stretch(found[0]["channel"], min(seqs), max(seqs), since)
        await stretch.refuse(tx)
        asked = since - _ASKED_BEFORE // timedelta(microseconds=1)
        for owner in self._owners:
            await owner.erase_questions(tx, [row["text"] for row in found], asked)
        return stretch

    async def _take(self, tx: Transaction, now: datetime) -> list[Remake]:
        """Erase memories made from the listed messages. Return what to do afterwards."""
        read = [await layer.leave_out(tx) for layer in self._layers]
        if not any(read) and not await erase.made_of_listed(tx):
            return []
        for layer in self._layers:
            await layer.refuse(tx)
        return await take_memories(tx, self._layers, Erasing(_SINGLE, now))

    async def _end(self, tx: Transaction, stretch: _Stretch, now: datetime) -> None:
        """Remove from search and history, and request the rewriting of the file. Old versions of
        memories that no longer exist lose their text, because nobody can tell whose it was."""
        await documents.remove(tx, await listed.ids(tx))
        await erase.wipe_versions(tx, stretch.since)
        await listed.clear(tx)
        await stretch.refuse(tx)  # again, for jobs that were enqueued meanwhile
        if tx.dialect == "sqlite":
            job = NewJob(CLEAN, key="", payload={}, due=now + _SOON, limit=now + _AT_LAST)
            await jobs.enqueue(tx, job, now)


async def _held(tx: Transaction, channel: str, keys: Sequence[str]) -> list[Row]:
    """Return the messages with these keys. Locks the channel, so that no job over it is missed."""
    await log_store.hold_channel(tx, channel)
    return await log_store.rows_by_keys(tx, channel, keys)
