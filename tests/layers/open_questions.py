"""A layer that a test adds: the open questions of a channel. This file is all there is to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from erstwhile.base import ids
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.contract import Layer
from erstwhile.layers.part import Item, Part, PartRequest
from erstwhile.log import store as log
from erstwhile.log.model import ChannelMessages, Message
from erstwhile.memories import store as memories
from erstwhile.memories.kinds import Kind
from erstwhile.memories.model import StoredMemory
from erstwhile.memories.store import Replacement, SourceRange
from erstwhile.storage import Transaction
from erstwhile.storage.queries import make
from erstwhile.tables.model import Table
from erstwhile.text.lines import one_line

KIND = Kind("question", "Open question", "open questions", prefix="oqn", expires=True)
READ = "questions.read"
# A table of its own: who could answer a question, and where it was asked.
SCHEMA = "CREATE TABLE answerers (space TEXT, id TEXT, channel TEXT, person TEXT, PRIMARY KEY (space, id, person))"
ANSWERERS = Table("answerers", ("person",), ("channel",), memory=("id",), counted=True)
ADD = make(
    "add",
    "INSERT INTO answerers (space, id, channel, person) VALUES (:space, :id, :channel, :person) ON CONFLICT DO NOTHING",
)
LIST = make("list", "SELECT channel, person FROM answerers WHERE space = :space ORDER BY channel, id, person")


class OpenQuestions(Layer):
    name = "questions"
    kinds = (KIND,)
    tables = (ANSWERERS,)
    reads = (READ,)

    @property
    def steps(self) -> Mapping[str, Step]:
        return {READ: self.read}

    async def appended(self, tx: Transaction, added: Sequence[ChannelMessages], held: None, now: datetime) -> None:
        for each in added:
            await self._ask(tx, each.channel, each.messages[0].seq, each.messages[-1].seq)

    async def read(self, job: Job) -> Outcome:
        channel, first, last = job.payload["channel"], job.payload["first"], job.payload["last"]
        messages = await self._database.read(job.space, lambda tx: log.between(tx, channel, first, last))
        asked = [each for each in messages if each.text.endswith("?")]
        people = sorted({each.person for each in messages if each.person})

        async def write(tx: Transaction) -> None:
            for each in asked:
                place = SourceRange(KIND.name, channel, each.seq, each.seq)
                made = _question(tx.space, channel, each, self._clock())
                await memories.replace_in(tx, self, Replacement(place, [made], "questions"), self._clock())
                others = [
                    {"id": made.id, "channel": channel, "person": other} for other in people if other != each.person
                ]
                await tx.run_many(ADD, others)

        return Outcome(write)

    async def parts(self, tx: Transaction, asked: PartRequest) -> list[Part]:
        newest = await memories.latest(tx, KIND.name, asked.channel, 20)
        items = [Item(each.id, each.kind, f"- {one_line(each.text)}", *each.range[1:]) for each in newest]
        return [Part("questions", items, "=== Open Questions ===")]

    async def rebuild(self, tx: Transaction) -> None:
        for each in await log.channels(tx):
            await self._ask(tx, each.channel, 1, each.last_seq)

    async def _ask(self, tx: Transaction, channel: str, first: int, last: int) -> None:
        payload = {"channel": channel, "first": first, "last": last}
        await jobs.enqueue(tx, NewJob(READ, f"{channel} {first} {last}", payload), self._clock())


def _question(space: str, channel: str, said: Message, now: datetime) -> StoredMemory:
    return StoredMemory(
        id=ids.derived(KIND.name, space, channel, said.seq),
        kind=KIND.name,
        text=f"{said.speaker} asked: {said.text}",
        writer="questions",
        at=said.at,
        created_at=now,
        channel=channel,
        person=said.person,
        first_seq=said.seq,
        last_seq=said.seq,
        seq=said.seq,
    )
