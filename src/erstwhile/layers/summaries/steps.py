"""The layer: cut a growing channel into chunks, summarise a chunk, summarise ten summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from erstwhile.base import crash
from erstwhile.base.errors import ConflictError, Error, NotFound
from erstwhile.configuration import prompts
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import GRACE, Job, Outcome, Step
from erstwhile.layers.contract import Layer, LayerParts, Remake
from erstwhile.layers.part import Part, PartRequest
from erstwhile.layers.summaries import material, model, restore, store, tail
from erstwhile.layers.summaries.material import chunk_job
from erstwhile.layers.summaries.model import PROVISIONAL, Chunk, NewSummary, Range
from erstwhile.layers.summaries.reader import ChunkReader
from erstwhile.layers.summaries.store import CHUNK, META, queries
from erstwhile.layers.summaries.tail import READ_TAIL
from erstwhile.log import store as log
from erstwhile.log.model import ChannelMessages
from erstwhile.memories import select
from erstwhile.memories import store as memories
from erstwhile.memories.hooks import Beside
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction, column
from erstwhile.tables.model import Subject
from erstwhile.writers.port import WriterRequest
from erstwhile.writers.prompt import Prompt

SUMMARISE, CONDENSE = "chunks.summarise", "chunks.condense"
_BESIDE = "beside"  # data of a deleted summary: the state of its parts and metas


class Chunks(Layer):
    name = "summaries"
    kinds = (CHUNK, META)
    recipes = ("dual", "recall", "full")
    timers = (READ_TAIL,)
    tables = store.TABLES

    def __init__(self, parts: LayerParts, followers: Sequence[ChunkReader]) -> None:
        super().__init__(parts)
        self._chunk_size, self._meta_size = parts.settings.chunk_size, parts.settings.meta_size
        self._followers = followers
        self._quiet = timedelta(minutes=parts.settings.notes.quiet_minutes)
        self._grace = GRACE if parts.settings.worker else timedelta(0)

    @property
    def steps(self) -> Mapping[str, Step]:
        return {SUMMARISE: self.summarise, CONDENSE: self.condense, READ_TAIL: self.read_tail}

    async def before_append(self, tx: Transaction, channels: Sequence[str]) -> dict[str, datetime]:
        """Return when the timers of these channels are due."""
        return await jobs.dues(tx, READ_TAIL, channels)

    async def appended(
        self,
        tx: Transaction,
        added: Sequence[ChannelMessages],
        held: Mapping[str, datetime],
        now: datetime,
    ) -> None:
        grown = {}
        for each in added:
            first, last_seq = each.messages[0].seq, each.messages[-1].seq
            # With a multiple of the size among these messages, a chunk may be full.
            if last_seq // self._chunk_size > (first - 1) // self._chunk_size:
                grown[each.channel] = first, last_seq
        if grown:
            await self.cut(tx, grown, now)
        postponed = []
        for each in added:
            last = each.messages[-1]
            due = tail.due(last.at, self._quiet, self._grace, now)
            if last.seq % self._chunk_size and held.get(each.channel) != due:
                postponed.append(tail.timer(each.channel, due))
        await jobs.enqueue_all(tx, postponed, now)

    async def cut(
        self, tx: Transaction, grown: Mapping[str, tuple[int, int]], now: datetime
    ) -> list[Range]:
        """Enqueue the jobs of every full chunk of these channels. Of each: the message from which on all are known to
        be stored, and its last one."""
        cursors, recipe = await tx.together(store.hold_all(tx, list(grown)), self._recipe(tx))
        cuts = {channel: cut_to for channel, (cut_to, _) in cursors.items()}
        unsure = {each: seq for each, seq in cuts.items() if seq + 1 < grown[each][0]}
        firsts = await log.first_after(tx, unsure)
        found: list[Range] = []
        lasts: list[Range] = []
        for channel, (cut_to, number) in cursors.items():
            first = firsts.get(channel) if channel in unsure else cut_to + 1
            last_seq, size = grown[channel][1], self._chunk_size
            cut_to = max(cut_to, first - 1) if first else last_seq  # skip expired messages
            places = {"cut_to": cut_to, "number": number, "last_seq": last_seq, "size": size}
            chunks = model.ranges(channel, **places)
            found += chunks
            lasts += chunks[-1:]
        if found:
            await self._ask_all(tx, found, recipe, now)
            await store.move_cursors(tx, lasts)
        return found

    async def _ask_all(
        self, tx: Transaction, ranges: Sequence[Range], recipe: str, now: datetime
    ) -> None:
        """Enqueue the jobs that read these chunks: their summaries here, the rest by the followers."""
        first = now - timedelta(microseconds=1)  # before the others, whose work it may do
        asked = [chunk_job(self._layer_parts, SUMMARISE, each, due=first) for each in ranges]
        readers = [each for each in self._followers if each.serves(recipe)]
        asked += [reader.new_job(each) for reader in readers for each in ranges]
        await jobs.enqueue_all(tx, asked, now)

    async def _ask(
        self, tx: Transaction, kind: str, range: Range, now: datetime, *, revive: bool = True
    ) -> None:
        await jobs.enqueue(tx, chunk_job(self._layer_parts, kind, range), now, revive=revive)

    # Steps

    async def read_tail(self, job: Job) -> Outcome:
        """Read the end of a conversation that has been quiet, before its chunk is full."""
        channel = str(job.payload["channel"])
        model = not (await self._writers.for_space(job.space)).best.draft

        async def effects(tx: Transaction) -> None:
            now = self._clock()
            found = await store.tail(tx, channel) if await self.wanted(tx) else None
            if found is None:
                return
            plan = tail.plan(found, self._quiet, now, model=model)
            if plan.read:
                provisional = Range(channel, 0, PROVISIONAL, found.first, found.last)
                await self._ask_all(tx, [provisional], await self._recipe(tx), now)
            if plan.again is not None:
                await jobs.enqueue(tx, tail.timer(channel, plan.again), now)

        return Outcome(effects)

    async def summarise(self, job: Job) -> Outcome:
        range = Range(**job.payload)
        try:
            found = await material.gather(self._layer_parts, job.space, range, "summarise")
        except NotFound:
            if range.provisional:
                return Outcome()
            return Outcome(lambda tx: self._leave_place(tx, range))
        summary, failure = await self._summary(found)
        if not (found.writers.best.draft and material.writes_drafts(self._layer_parts)):
            return Outcome(lambda tx: self._store(tx, range, summary), failure)
        return await self._read_all(job.space, range, found, summary)

    async def _read_all(
        self, space: str, range: Range, found: material.ChunkMaterial, summary: NewSummary
    ) -> Outcome:
        """Do the work of all jobs that read the chunk: without a model, reading and storing its
        messages costs more than the rest. The jobs can't run meanwhile (see `chunk_job`), and what
        changes the messages restarts this one."""
        readers = [each for each in self._followers if each.serves(found.recipe)]
        of_task = ((each, found.of_task(each.task)) for each in readers)
        read = [(each, (await each.read_material(space, range, it))[0]) for each, it in of_task]

        async def effects(tx: Transaction) -> None:
            if await self._store(tx, range, summary):
                for reader, reading in read:
                    await reader.put_for_job(tx, range, reading, self._clock())

        return Outcome(effects)

    async def summary(self, space: str, range: Range) -> tuple[NewSummary, Error | None]:
        """Summarise the messages of a range; after a failure, with the extractive writer."""
        found = await material.gather(self._layer_parts, space, range, "summarise")
        return await self._summary(found)

    async def _summary(self, found: material.ChunkMaterial) -> tuple[NewSummary, Error | None]:
        written, failure = await found.writers.summarise(found.request)
        times = min(each.at for each in found.messages), max(each.at for each in found.messages)
        return NewSummary(written, times), failure

    async def condense(self, job: Job) -> Outcome:
        range = Range(**job.payload)
        id = range.id(job.space)
        if await self._database.read(job.space, lambda tx: store.incomplete(tx, id)):
            return Outcome()  # its last part will enqueue this job again
        parts, request = await self._parts(job.space, range)
        times = material.times(parts)
        writers = await self._writers.for_space(job.space)
        if any(part.draft for part in parts):  # a model's summary of drafts would be replaced soon
            draft = NewSummary(await writers.drafts.condense(request), times)
            again = not writers.best.draft
            return Outcome(lambda tx: self._store_early(tx, range, draft, again=again))
        written, failure = await writers.condense(request)
        return Outcome(lambda tx: self._store(tx, range, NewSummary(written, times)), failure)

    async def meta(self, space: str, range: Range) -> tuple[NewSummary, Error | None]:
        """Summarise the summaries under a meta, also if they are drafts."""
        parts, request = await self._parts(space, range)
        written, failure = await (await self._writers.for_space(space)).condense(request)
        return NewSummary(written, material.times(parts), tuple(parts)), failure

    async def _parts(self, space: str, range: Range) -> tuple[list[Chunk], WriterRequest]:
        async def unit(tx: Transaction) -> tuple[list[Chunk], Prompt]:
            prompt = await prompts.in_force(tx, "condense", range.channel, range.first, range.last)
            return await store.children(tx, range.id(space)), prompt

        parts, prompt = await self._database.read(space, unit)
        if not parts:
            raise NotFound(f"The summaries under {range.key} are gone.")
        cache_key = f"meta:{range.channel}:{range.first}-{range.last}"
        return parts, replace(material.of_summaries(prompt, parts), cache_key=cache_key)

    async def _store(self, tx: Transaction, range: Range, summary: NewSummary) -> bool:
        """Store a summary. Return False if the full chunk has replaced that of a tail."""
        now = self._clock()
        cut_to, _ = await store.hold(tx, range.channel)
        if range.provisional and cut_to >= range.first:
            return False
        before = await store.get(tx, range.id(tx.space))
        changed = await store.put(tx, range, summary, before, now)
        crash.point("chunks.after_chunk")
        parent = before.parent if before is not None else None
        if changed and parent is not None and before is not None and before.blank:
            await self._refilled(tx, range, parent, now)
        elif changed and parent is not None:
            await self._go_up(tx, parent, now)
        else:  # also after a rebuild: a summary that a person edited has no parent yet
            await self.form_groups(tx, range.channel, range.level, now)
        return True

    async def _leave_place(self, tx: Transaction, range: Range) -> None:
        now = self._clock()
        await store.hold(tx, range.channel)
        await tx.run(queries.leave_place, **store.place_of(tx.space, range))
        await self.form_groups(tx, range.channel, range.level, now)

    async def _store_early(
        self, tx: Transaction, meta: Range, draft: NewSummary, *, again: bool
    ) -> None:
        """Store a draft; its parts may have become final while it was written."""
        await self._store(tx, meta, draft)
        if again:
            await self._condense_if_ready(tx, meta, self._clock())

    async def _go_up(self, tx: Transaction, parent: str, now: datetime) -> None:
        """Mark the meta above a replaced summary as stale."""
        meta = await store.get(tx, parent)
        if meta is not None and not meta.edited:
            if not meta.draft:
                await store.mark_stale(tx, meta.range)
            await self._condense_if_ready(tx, meta.range, now)

    async def _refilled(self, tx: Transaction, range: Range, parent: str, now: datetime) -> None:
        """Make the meta above again, once the last of its erased parts has a text."""
        if await store.incomplete(tx, parent):
            return
        meta = await store.get(tx, parent)
        if meta is None:
            above = await store.above(tx, range.id(tx.space))
            await jobs.run_again(tx, CONDENSE, above[0].key, now)
        elif meta.blank:
            await self._ask(tx, CONDENSE, meta.range, now)
        else:
            await self._go_up(tx, parent, now)

    async def _condense_if_ready(
        self, tx: Transaction, meta: Range, now: datetime, *, revive: bool = True
    ) -> None:
        if not any(part.draft for part in await store.children(tx, meta.id(tx.space))):
            await self._ask(tx, CONDENSE, meta, now, revive=revive)

    async def form_groups(self, tx: Transaction, channel: str, level: int, now: datetime) -> None:
        """Form every complete group. There may be several, if a missing summary came late."""
        meta, members = await store.next_group(tx, channel, level, self._meta_size)
        while meta is not None:
            await store.adopt(tx, meta, members)
            await self._ask(tx, CONDENSE, meta, now)
            crash.point("chunks.after_meta_enqueued")
            meta, members = await store.next_group(tx, channel, level, self._meta_size)

    async def disturb_above(self, tx: Transaction, id: str) -> None:
        """Mark the metas above as stale, at every level, and restart those in progress."""
        for meta in await store.above(tx, id):
            await jobs.restart(tx, CONDENSE, meta.key)
            await store.mark_stale(tx, meta)

    # Redraft and rebuild

    async def parts(self, tx: Transaction, request: PartRequest) -> Sequence[Part]:
        """Return the summaries that no other sums up, the newest first."""
        items = [
            model.item_of(each) for each in reversed(await store.standing(tx, request.channel))
        ]
        metas = [each for each in items if each.kind == META.name]
        chunks = [each for each in items if each.kind == CHUNK.name]
        return [Part("metas", metas), Part("chunks", chunks)]

    async def redraft(self, tx: Transaction) -> int:
        """Enqueue every draft again. A meta of drafts follows its parts. Parked jobs stay parked."""
        found = [model.range_of(row) for row in await tx.all(queries.drafts)]
        for range in found:
            if range.level == 0:
                await self._ask(tx, SUMMARISE, range, self._clock(), revive=False)
            else:
                await self._condense_if_ready(tx, range, self._clock(), revive=False)
        return len(found)

    async def emptying(self, tx: Transaction) -> Remake:
        """Make chunks among expired ones again in the same place."""
        asked = [Range(**payload) for payload in await jobs.open_payloads(tx, SUMMARISE)]
        settled = await store.settled(tx, asked)

        async def remake(tx: Transaction, now: datetime) -> None:
            for id, range in settled.items():
                if await store.get(tx, id) is None:
                    await self._ask_all(tx, [range], await self._recipe(tx), now)

        return remake

    async def emptied(self, tx: Transaction) -> None:
        cut_to = await store.expired(tx)
        metas = await select.of_kinds(tx, [META.name])
        made = [each.id for each in metas if not (each.edited_at or each.deleted_at)]
        await memories.drop(tx, made, self)
        for query in (queries.drop_blank_places, queries.orphan, queries.empty_cursors):
            await tx.run(query)
        for channel, last in cut_to.items():  # chunks with expired messages stay as they are
            await store.hold(tx, channel)
            await store.move_cursors(tx, [last])

    async def rebuild(self, tx: Transaction) -> None:
        now = self._clock()
        channels = await log.channels(tx)
        for channel in channels:
            await self.cut(tx, {channel.channel: (channel.last_seq + 1, channel.last_seq)}, now)
        await jobs.enqueue_all(tx, [tail.timer(channel.channel, now) for channel in channels], now)
        for cut_channel in await column(tx, queries.channels):
            await self.form_groups(tx, cut_channel, 0, now)

    # Hooks

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        await store.hold(tx, memory.channel)

    async def edited(self, tx: Transaction, memory: StoredMemory, _now: datetime) -> None:
        await self.disturb_above(tx, memory.id)

    async def deleted(self, tx: Transaction, memory: StoredMemory, _now: datetime) -> None:
        """Keep its place, so that the channel is cut without gaps."""
        data = {**memory.data, _BESIDE: await self.beside(tx, memory)}
        await memories.save(tx, [replace(memory, data=data)])
        await store.set_empty(tx, memory.id, empty=True)
        await self.disturb_above(tx, memory.id)

    async def check_restorable(self, tx: Transaction, memory: StoredMemory) -> None:
        there = await store.get(tx, memory.id)
        if there is None or not there.emptied:
            why = "it was made again after it was deleted. `history` shows its versions"
            raise ConflictError(f"{memory.id} can't be restored: {why}.")

    async def restored(self, tx: Transaction, memory: StoredMemory, _now: datetime) -> None:
        data = dict(memory.data)
        beside = data.pop(_BESIDE)
        await self._return(tx, replace(memory, data=data), beside)

    async def beside(self, tx: Transaction, memory: StoredMemory) -> dict[str, Any]:
        return await restore.beside(tx, memory)

    async def put_back(self, tx: Transaction, memory: StoredMemory, beside: Beside) -> None:
        if await log.missing(tx, *memory.range) > beside["missing"]:
            what = "some of its messages are no longer stored"
            raise NotFound(f"{memory.id} can't be restored: {what}.")
        await self._return(tx, memory, beside)

    async def _return(self, tx: Transaction, memory: StoredMemory, beside: Beside) -> None:
        """Put it in its place. Metas that were up to date then are so again."""
        await restore.put(tx, memory, beside)
        await self.disturb_above(tx, memory.id)
        await restore.renew_above(tx, memory.id, beside)

    async def leave_out(self, tx: Transaction) -> bool:
        return await tx.first(queries.made_of_listed) is not None

    async def list_erased(self, tx: Transaction, person: str | None) -> None:
        await store.list_erased(tx, person)

    async def erased(self, _tx: Transaction, _subject: Subject) -> Remake:
        """Keep the places; their summaries are made again from the messages that are left."""

        async def remake(tx: Transaction, now: datetime) -> None:
            for range in await store.blank(tx):
                if range.level == 0:
                    await self._ask(tx, SUMMARISE, range, now)
                elif not await store.incomplete(tx, range.id(tx.space)):
                    await self._ask(tx, CONDENSE, range, now)

        return remake
