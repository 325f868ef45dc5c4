"""The layer: its job reads the messages of a chunk for facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from erstwhile.base import crash
from erstwhile.base.clock import Clock
from erstwhile.base.errors import Changed, Error, NotFound
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.contract import Layer, Remake
from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.facts import links, reading, store
from erstwhile.layers.facts.model import KIND, Fact, FactReading, fact_id, fact_of
from erstwhile.layers.summaries import material
from erstwhile.layers.summaries.model import Range
from erstwhile.log import append, people
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.memories.store import SourceRange
from erstwhile.storage import Database, Transaction

EXTRACT = "facts.extract"


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact that a person adds by hand."""

    channel: str
    text: str
    by: str
    person: str | None = None


class Facts(Layer):
    name = "facts"
    part = "chunks"
    kinds = (KIND,)
    tables = ("fact_links",)
    reads = (EXTRACT,)

    def __init__(self, database: Database, writers: WriterPool, clock: Clock) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock

    @property
    def steps(self) -> Mapping[str, Step]:
        return {EXTRACT: self.extract}

    async def chunk_cut(self, tx: Transaction, range: Range, now: datetime) -> None:
        await self.ask(tx, range, now)

    async def ask(self, tx: Transaction, range: Range, now: datetime, *, pace: str | None = "model") -> None:
        await jobs.enqueue(tx, replace(_job(range), pace=pace), now)

    async def extract(self, job: Job) -> Outcome:
        try:
            found, failure = await self.read(job.space, Range(**job.payload))
        except NotFound:
            return Outcome(_nothing)

        async def effects(tx: Transaction) -> None:
            await store.put(tx, self, await links.linked(tx, found), self._clock())
            crash.point("facts.after_facts")

        return Outcome(effects, failure)

    async def read(self, space: str, range: Range) -> tuple[FactReading, Error | None]:
        """What the writer finds in the messages of a range; with a failure, what the extractive writer finds."""
        messages, request = await material.gather(self._database, space, range, "extract", "facts")
        writers = await self._writers.for_space(space)
        written, failure = await writers.extract_facts(request)
        return reading.read(space, range, written, messages), failure

    async def replace(self, tx: Transaction, reading: FactReading, now: datetime, *, overwrite: bool) -> None:
        """Store a reading that someone asked for."""
        await store.replace(tx, self, await links.linked(tx, reading), now, overwrite=overwrite)

    async def add(self, tx: Transaction, new: NewFact) -> Fact:
        """Where the conversation is now, in a range without messages: nobody said it. The same again changes nothing."""
        await people.refuse_blocked(tx, new.person, new.by)
        now = self._clock()
        last_seq = await append.open_channel(tx, new.channel, now)
        place = SourceRange(KIND.name, new.channel, last_seq + 1, last_seq)
        id = fact_id(tx.space, (new.channel, last_seq + 1, last_seq), new.text)
        memory = await memories.get(tx, id)
        if memory is None:
            memory = store.described(
                StoredMemory(
                    id=id,
                    kind=KIND.name,
                    text=new.text,
                    writer=f"hand:{new.by}",
                    channel=new.channel,
                    first_seq=place.first,
                    last_seq=place.last,
                    position=await memories.next_position(tx, place),
                    person=new.person,
                    at=now,
                    created_at=now,
                    edited_at=now,
                    edited_by=new.by,
                )
            )
            await memories.add(tx, [memory], now, by=new.by)
            await self._link(tx, memory)
        return fact_of(memory)

    # What is done to facts

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        await store.hold(tx, *memory.range)

    def described(self, memory: StoredMemory) -> StoredMemory:
        return store.described(memory)

    def aliases(self, space: str, memory: StoredMemory, texts: set[str]) -> set[str]:
        return {fact_id(space, memory.range, text) for text in texts if text}

    async def edited(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        del now
        await store.drop_links(tx, [memory.id])
        await self._link(tx, memory)

    async def check_restorable(self, tx: Transaction, memory: StoredMemory) -> None:
        """Not where its messages were read by another since, whose facts stand in its place."""
        read = await store.extract_at(tx, _range(memory))
        if read is not None and memory.edited_at is None and read["writer"] != memory.writer:
            raise Changed(
                f"The place of {memory.id} is taken: {read['writer']} has read its messages since, "
                f"and {memory.writer} had found it."
            )

    async def beside(self, tx: Transaction, memory: StoredMemory) -> dict[str, Any]:
        read = await store.extract_at(tx, _range(memory))
        return {"links": await store.links_of(tx, memory.id), "read": dict(read or {})}

    async def put_back(self, tx: Transaction, memory: StoredMemory, beside: Mapping[str, Any]) -> None:
        await store.add_links(tx, memory.id, beside["links"])
        if beside["read"]:
            await store.set_extract(tx, _range(memory), beside["read"], self._clock())

    async def removed(self, tx: Transaction, ids: Sequence[str]) -> None:
        await store.drop_links(tx, ids)

    async def _link(self, tx: Transaction, memory: StoredMemory) -> None:
        if memory.person is not None:
            await store.add_links(tx, memory.id, await links.find(tx, memory.channel, memory.person, memory.text))

    # What is done to messages

    async def erased(self, tx: Transaction, subject: Subject) -> Remake | None:
        del subject
        touched = await store.take_extracts(tx)

        async def remake(tx: Transaction, now: datetime) -> None:
            for range in touched:
                if await log.ids_between(tx, range.channel, range.first, range.last):
                    await self.ask(tx, range, now)

        return remake

    async def expired(self, tx: Transaction, channel: str, first: int, last: int) -> None:
        await store.settle(tx, channel, first, last)

    async def emptied(self, tx: Transaction) -> None:
        await store.empty(tx)

    async def redraft(self, tx: Transaction) -> int:
        """What was parked stays parked."""
        found = await store.drafts(tx)
        for range in found:
            await jobs.enqueue(tx, _job(range), self._clock(), revive=False)
        return len(found)


def _job(range: Range) -> NewJob:
    return NewJob(kind=EXTRACT, key=range.key, payload=asdict(range), pace="model")


def _range(memory: StoredMemory) -> Range:
    channel, first, last = memory.range
    return Range(channel, 0, 0, first, last)


async def _nothing(_tx: Transaction) -> None:
    """The messages are gone: there is nothing to read."""
