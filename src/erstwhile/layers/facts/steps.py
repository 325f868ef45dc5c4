"""The layer: extract facts from the messages of a chunk, and add facts by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from erstwhile.base import crash, trust
from erstwhile.base.records import dataclass
from erstwhile.layers.facts import links, reading, store
from erstwhile.layers.facts.model import KIND, Fact, fact_id, fact_of
from erstwhile.layers.summaries import readings
from erstwhile.layers.summaries.model import ChunkReading
from erstwhile.layers.summaries.reader import ChunkReader
from erstwhile.log import append, people
from erstwhile.memories import store as memories
from erstwhile.memories.hooks import Beside
from erstwhile.memories.model import StoredMemory
from erstwhile.memories.store import SourceRange
from erstwhile.storage import Transaction
from erstwhile.tables.model import Table
from erstwhile.writers.writers import Writers

EXTRACT = "facts.extract"


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact that a person adds by hand."""

    channel: str
    text: str
    by: str
    person: str | None = None
    trust: int = trust.USER


class FactLayer(ChunkReader):
    name = "facts"
    job = EXTRACT
    task = "extract"
    kinds = (KIND,)
    recipes = ("dual", "recall", "full")
    tables = (Table("fact_links", memory=("id", "other")),)
    reads = (EXTRACT,)
    write = staticmethod(Writers.extract_facts)
    described = staticmethod(reading.described)
    reading = staticmethod(reading.read)

    async def put(self, tx: Transaction, reading: ChunkReading) -> None:
        await super().put(tx, reading)
        crash.point("facts.after_facts")

    async def store(
        self, tx: Transaction, reading: ChunkReading, now: datetime, *, overwrite: bool
    ) -> None:
        linked = await links.of_reading(tx, reading)
        for each in await self.replace_found(tx, reading, now, overwrite=overwrite):
            await store.add_links(tx, each.id, linked.get(each.id, ()))

    async def add(self, tx: Transaction, new: NewFact) -> Fact:
        """Add a fact at the end of a channel, in an empty range. Adding it again does nothing."""
        await people.refuse_blocked(tx, new.person, new.by)
        now = self._clock()
        last_seq = await append.open_channel(tx, new.channel, now)
        place = SourceRange(KIND.name, new.channel, last_seq + 1, last_seq)
        id = fact_id(tx.space, (new.channel, last_seq + 1, last_seq), new.text)
        memory = await memories.get(tx, id)
        if memory is None:
            memory = reading.described(
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
                    trust=new.trust,
                    at=now,
                    created_at=now,
                    edited_at=now,
                    edited_by=new.by,
                )
            )
            await memories.add(tx, [memory], now, by=new.by)
            await self._link(tx, memory)
        return fact_of(memory)

    # Hooks

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        await readings.hold(tx, self.place_of_memory(memory))

    def aliases(self, space: str, memory: StoredMemory, texts: set[str]) -> set[str]:
        return {fact_id(space, memory.range, text) for text in texts if text}

    async def edited(self, tx: Transaction, memory: StoredMemory, _now: datetime) -> None:
        await self.removed(tx, [memory.id])
        await self._link(tx, memory)

    async def beside(self, tx: Transaction, memory: StoredMemory) -> dict[str, Any]:
        read = await readings.at(tx, self.place_of_memory(memory))
        return {"links": await store.links_of(tx, memory.id), "read": dict(read or {})}

    async def put_back(self, tx: Transaction, memory: StoredMemory, beside: Beside) -> None:
        await store.add_links(tx, memory.id, beside["links"])
        if beside["read"]:
            await readings.replace(tx, self.place_of_memory(memory), beside["read"], self._clock())

    async def removed(self, tx: Transaction, ids: Sequence[str]) -> None:
        await store.drop_links(tx, ids)

    async def _link(self, tx: Transaction, memory: StoredMemory) -> None:
        if memory.person is not None:
            found = await links.find(tx, memory.channel, memory.person, memory.text)
            await store.add_links(tx, memory.id, found)

    async def emptied(self, tx: Transaction) -> None:
        await super().emptied(tx)
        await store.drop_loose_links(tx)
