"""What the room does: cut a growing channel, sum up a chunk, sum up ten summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Protocol

from erstwhile.base import crash
from erstwhile.base.clock import Clock
from erstwhile.base.errors import Error, NotFound
from erstwhile.configuration import prompts
from erstwhile.configuration.writer_pool import Desk
from erstwhile.events import store as events
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.summaries import cut, material, store
from erstwhile.layers.summaries.model import Chunk, Range, Summary
from erstwhile.layers.summaries.store import queries
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.memories.history import RETENTION
from erstwhile.storage import Database, Transaction
from erstwhile.writers.port import TranscriptLine, WriterOutput, WriterRequest
from erstwhile.writers.prompt import Prompt

SUMMARISE, CONDENSE = "chunks.summarise", "chunks.condense"


class Follower(Protocol):
    """A room that works on the same ranges."""

    async def chunk_cut(self, tx: Transaction, range: Range, now: datetime) -> None: ...


class Chunks:
    def __init__(
        self, database: Database, writers: Desk, clock: Clock, sizes: tuple[int, int], followers: Sequence[Follower]
    ) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock
        self._chunk_size, self._meta_size = sizes
        self._followers = followers

    @property
    def steps(self) -> Mapping[str, Step]:
        return {SUMMARISE: self.summarise, CONDENSE: self.condense}

    # Cutting

    async def appended(self, tx: Transaction, channel: str, messages: Sequence[Message], now: datetime) -> None:
        if cut.passes_boundary(messages[0].seq, messages[-1].seq, self._chunk_size):
            await self.cut(tx, channel, messages[-1].seq, now)

    async def cut(self, tx: Transaction, channel: str, last_seq: int, now: datetime) -> list[Range]:
        """Every chunk that has become full gets its jobs: its summary here, its facts next door."""
        cursor = await tx.first(queries.hold_cursor, channel=channel)
        cut_to, number = (cursor["seq"], cursor["number"]) if cursor else (0, 0)
        first = await log.after(tx, channel, cut_to, 1)
        cut_to = max(cut_to, first[0].seq - 1) if first else last_seq  # what expired before it was cut is passed over
        found = cut.ranges(channel, cut_to=cut_to, number=number, last_seq=last_seq, size=self._chunk_size)
        for range in found:
            await self._ask_anew(tx, range, now)
        if found:
            await tx.run(queries.move_cursor, channel=channel, seq=found[-1].last, number=found[-1].number + 1)
        return found

    async def _ask_anew(self, tx: Transaction, range: Range, now: datetime) -> None:
        await self._ask(tx, SUMMARISE, range, now)
        for follower in self._followers:
            await follower.chunk_cut(tx, range, now)

    async def _ask(self, tx: Transaction, kind: str, range: Range, now: datetime, *, revive: bool = True) -> None:
        job = NewJob(kind=kind, key=range.key, payload=asdict(range), pace="model")
        await jobs.enqueue(tx, job, now, revive=revive)

    # Summing up

    async def summarise(self, job: Job) -> Outcome:
        range = Range(**job.payload)
        try:
            summary, failure = await self.summary(job.space, range)
        except NotFound:
            return Outcome(lambda tx: self._leave_place(tx, range))
        return Outcome(lambda tx: self._store(tx, range, summary.written, summary.times), failure)

    async def summary(self, space: str, range: Range) -> tuple[Summary, Error | None]:
        """What the writer makes of the messages of a range; with a failure, what the extractive writer makes of them."""
        messages, request = await material.gather(self._database, space, range, "summarise", "summary")
        writers = await self._writers.for_space(space)
        written, failure = await writers.summarise(request)
        times = min(each.at for each in messages), max(each.at for each in messages)
        return Summary(written, times), failure

    async def condense(self, job: Job) -> Outcome:
        range = Range(**job.payload)
        if await self._database.read(job.space, lambda tx: store.incomplete(tx, range.id(tx.space))):
            return Outcome(_nothing)  # what is still to be made again asks for it
        parts, request = await self._parts(job.space, range)
        times = _times(parts)
        writers = await self._writers.for_space(job.space)
        if any(part.draft for part in parts):  # no model call is spent on drafts: it would be made again
            draft = await writers.drafts.condense(request)
            again = not writers.best.draft
            return Outcome(lambda tx: self._store_early(tx, range, draft, times, again=again))
        written, failure = await writers.condense(request)
        return Outcome(lambda tx: self._store(tx, range, written, times), failure)

    async def meta(self, space: str, range: Range) -> tuple[Summary, Error | None]:
        """What the writer makes of the summaries under a meta, drafts or not."""
        parts, request = await self._parts(space, range)
        written, failure = await (await self._writers.for_space(space)).condense(request)
        return Summary(written, _times(parts), tuple(parts)), failure

    async def _parts(self, space: str, range: Range) -> tuple[list[Chunk], WriterRequest]:
        async def unit(tx: Transaction) -> tuple[list[Chunk], Prompt]:
            prompt = await prompts.in_force(tx, "condense", range.channel, range.first, range.last)
            return await store.children(tx, range.id(space)), prompt

        parts, prompt = await self._database.read(space, unit)
        if not parts:
            raise NotFound(f"The summaries under {range.key} are no longer there.")
        return parts, replace(request(prompt, parts), cache_key=f"meta:{range.channel}:{range.first}-{range.last}")

    async def _store(
        self, tx: Transaction, range: Range, written: WriterOutput, times: tuple[datetime, datetime]
    ) -> None:
        now = self._clock()
        await tx.first(queries.hold_cursor, channel=range.channel)
        before = await store.get(tx, range.id(tx.space))
        changed = await store.put(tx, range, written, times, now)
        crash.point("chunks.after_chunk")
        if changed and before is not None and before.blank:
            await self._refilled(tx, range, now)
        elif changed:
            await self._go_up(tx, range, now)
        else:  # one that a person edited and a rebuild left standing has no parent yet
            await self.form_groups(tx, range, now)

    async def _leave_place(self, tx: Transaction, range: Range) -> None:
        now = self._clock()
        await tx.first(queries.hold_cursor, channel=range.channel)
        await store.leave_place(tx, range, RETENTION, now)
        await self.form_groups(tx, range, now)

    async def _store_early(
        self, tx: Transaction, meta: Range, draft: WriterOutput, times: tuple[datetime, datetime], *, again: bool
    ) -> None:
        """The parts of a meta may have become final while it was being drafted from their drafts."""
        await self._store(tx, meta, draft, times)
        if again:
            await self._condense_if_ready(tx, meta, self._clock())

    async def _go_up(self, tx: Transaction, range: Range, now: datetime) -> None:
        """A new summary may complete groups of ten; a replaced one makes the meta above it out of date."""
        chunk = await store.get(tx, range.id(tx.space))
        if chunk is None or chunk.parent is None:
            await self.form_groups(tx, range, now)
            return
        meta = await store.get(tx, chunk.parent)
        if meta is not None and not meta.edited:  # else its job is still to come, or its words are a person's
            if await tx.run(queries.mark_stale, id=meta.id):
                await _stale(tx, meta.range)
            await self._condense_if_ready(tx, meta.range, now)

    async def _refilled(self, tx: Transaction, range: Range, now: datetime) -> None:
        """One whose words were erased has words again; the meta above waits for the last of them."""
        chunk = await store.get(tx, range.id(tx.space))
        if chunk is None or chunk.parent is None:
            await self.form_groups(tx, range, now)
        elif not await store.incomplete(tx, chunk.parent):
            meta = await store.get(tx, chunk.parent)
            if meta is None:
                await jobs.run_again(tx, CONDENSE, (await store.above(tx, chunk.id))[0].key, now)
            elif meta.blank:
                await self._ask(tx, CONDENSE, meta.range, now)
            else:
                await self._go_up(tx, range, now)

    async def erased(self, tx: Transaction, blank: Sequence[Range], now: datetime) -> None:
        """The words of these are gone: they are made again of the messages that are left."""
        for range in blank:
            if range.level == 0:
                await self._ask(tx, SUMMARISE, range, now)
            elif not await store.incomplete(tx, range.id(tx.space)):
                await self._ask(tx, CONDENSE, range, now)

    async def _condense_if_ready(self, tx: Transaction, meta: Range, now: datetime, *, revive: bool = True) -> None:
        if not any(part.draft for part in await store.children(tx, meta.id(tx.space))):
            await self._ask(tx, CONDENSE, meta, now, revive=revive)

    async def form_groups(self, tx: Transaction, range: Range, now: datetime) -> None:
        """More than one, when the summary that was waited for came after those of the next groups."""
        meta, members = await store.next_group(tx, range.channel, range.level, self._meta_size)
        while meta is not None:
            await store.adopt(tx, meta, members)
            await self._ask(tx, CONDENSE, meta, now)
            crash.point("chunks.after_meta_enqueued")
            meta, members = await store.next_group(tx, range.channel, range.level, self._meta_size)

    async def disturb_above(self, tx: Transaction, id: str) -> None:
        """The metas above, at every level, no longer say what is below them. One that is just being made starts over: it may have
        read what was there before."""
        for meta in await store.above(tx, id):
            await jobs.restart(tx, CONDENSE, meta.key)
            if await tx.run(queries.mark_disturbed, id=meta.id(tx.space)):
                await _stale(tx, meta)

    # Looking after

    async def redraft(self, tx: Transaction) -> int:
        """Asks for every draft again, for when a model has become available; a meta whose parts are drafts
        follows them by itself. What was parked stays parked until someone retries it."""
        found = await store.drafts(tx)
        for range in found:
            if range.level == 0:
                await self._ask(tx, SUMMARISE, range, self._clock(), revive=False)
            else:
                await self._condense_if_ready(tx, range, self._clock(), revive=False)
        return len(found)

    async def rebuild(self, tx: Transaction, again: Sequence[Range]) -> None:
        """`again`: chunks whose place between those that stay is settled."""
        now = self._clock()
        for range in again:
            await self._ask_anew(tx, range, now)
        for channel in await log.channels(tx):
            await self.cut(tx, channel.channel, channel.last_seq, now)
        for each in {
            chunk.range.channel: chunk.range for chunk in await store.left(tx) if chunk.range.level == 0
        }.values():
            await self.form_groups(tx, each, now)


def request(prompt: Prompt, parts: Sequence[Chunk]) -> WriterRequest:
    """What a writer is given of the summaries under a meta."""
    told = [TranscriptLine(speaker=_dates(part), text=part.text, at=part.from_at, role="summary") for part in parts]
    return WriterRequest(prompt=prompts.filled(prompt, told, _times(parts)), lines=told)


def _times(parts: Sequence[Chunk]) -> tuple[datetime, datetime]:
    return min(part.from_at for part in parts), max(part.to_at for part in parts)


def _dates(part: Chunk) -> str:
    first, last = f"{part.from_at:%Y-%m-%d}", f"{part.to_at:%Y-%m-%d}"
    return first if first == last else f"{first} to {last}"


async def _stale(tx: Transaction, meta: Range) -> None:
    await events.emit(tx, "meta", "stale", meta.id(tx.space), channel=meta.channel, seq=meta.first, until=meta.last)


async def _nothing(_tx: Transaction) -> None:
    """There is nothing to do yet."""
