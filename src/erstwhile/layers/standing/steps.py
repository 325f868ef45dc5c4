"""The layer: read standing requests from what people say to an assistant."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from erstwhile.base import crash, ids
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.language.assistant import may_request
from erstwhile.layers.contract import Layer
from erstwhile.layers.standing.model import ENDS, KIND
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.log.model import ChannelMessages, Message
from erstwhile.memories import store as memories
from erstwhile.memories.model import HIDDEN, StoredMemory
from erstwhile.memories.store import Replacement, SourceRange
from erstwhile.storage import Transaction

if TYPE_CHECKING:
    from erstwhile.layers.standing.reading import ReadRequest

READ: Final = "standing.read"
WRITER: Final = "extractive"
_PAGE: Final = 1000  # messages that one job reads
_ANSWERED_WITHIN: Final = timedelta(minutes=2)


class StandingRequests(Layer):
    name = "standing"
    kinds = (KIND,)
    reads = (READ,)

    @property
    def steps(self) -> Mapping[str, Step]:
        return {READ: self.read}

    async def appended(
        self, tx: Transaction, added: Sequence[ChannelMessages], _held: None, now: datetime
    ) -> None:
        for each in added:
            # From both ends: what is between the first and the last is read anyway.
            first = _first_request(each.messages)
            if first is not None:
                last = _first_request(reversed(each.messages))
                await self._ask(tx, each.channel, first, last or first, now)

    async def read(self, job: Job) -> Outcome:
        from erstwhile.layers.standing.reading import is_addressed

        channel, first, last = (job.payload[name] for name in ("channel", "first", "last"))

        async def gather(tx: Transaction) -> tuple[list[Message], bool]:
            said = await log.between(tx, channel, first, last + 1)
            return said, await people.several(tx, channel)

        said, several = await self._database.read(job.space, gather)
        by_people = [each for each in said if each.role == "user" and each.seq <= last]
        found = await asyncio.to_thread(_requests, by_people)  # the patterns take long to compile
        answered = {one.seq for one, next in pairwise(said) if next.role == "assistant"}
        asked = [each for each in by_people if each.seq in found]
        heard = [m for m in asked if not several or m.seq in answered or is_addressed(m.text)]
        # In a group it is only known whom the last message is for when someone has answered.
        unknown = [each for each in asked if each == said[-1] and each not in heard]

        async def write(tx: Transaction) -> None:
            for each in heard:
                await self._write(tx, channel, each, found[each.seq])
            for each in unknown if "late" not in job.payload else ():
                await self._ask(tx, channel, each.seq, each.seq, self._clock(), late=True)
            crash.point("standing.after_requests")

        return Outcome(write)

    async def _write(
        self, tx: Transaction, channel: str, said: Message, found: Sequence[ReadRequest]
    ) -> None:
        now, place = self._clock(), SourceRange(KIND.name, channel, said.seq, said.seq)
        made = [
            _memory(tx.space, place, said, (number, each), now) for number, each in enumerate(found)
        ]
        await memories.replace_in(tx, self, Replacement(place, made, WRITER), now)

    def reworded(self, memory: StoredMemory, text: str) -> StoredMemory:
        from erstwhile.layers.standing.reading import topics_of

        return replace(memory, text=text, category=" ".join(topics_of(text)) or memory.category)

    async def ask_unread(
        self, tx: Transaction, channel: str, now: datetime, _pace: str | None
    ) -> None:
        found = await log.channel(tx, channel)
        for first in range(1, found.last_seq + 1 if found else 1, _PAGE):
            await self._ask(tx, channel, first, first + _PAGE - 1, now)

    async def rebuild(self, tx: Transaction) -> None:
        for each in await log.channels(tx):
            await self.ask_unread(tx, each.channel, self._clock(), None)

    async def _ask(
        self,
        tx: Transaction,
        channel: str,
        first: int,
        last: int,
        now: datetime,
        *,
        late: bool = False,
    ) -> None:
        payload = {"channel": channel, "first": first, "last": last}
        job = NewJob(READ, f"{channel} {first} {last}", payload)
        if late:
            due = now + _ANSWERED_WITHIN
            job = replace(
                job, key=f"{job.key} late", payload={**payload, "late": True}, due=due, limit=due
            )
        await jobs.enqueue(tx, job, now)


def _requests(said: Iterable[Message]) -> dict[int, Sequence[ReadRequest]]:
    """Return the requests of messages, by their numbers."""
    from erstwhile.layers.standing.reading import read

    asked = ((each.seq, read(each.text)) for each in said if may_request(each.text))
    return {seq: found for seq, found in asked if found}


def _first_request(messages: Iterable[Message]) -> int | None:
    """Return the number of the first message that may hold a request."""
    return next((m.seq for m in messages if m.role == "user" and may_request(m.text)), None)


def _memory(
    space: str, place: SourceRange, said: Message, found: tuple[int, ReadRequest], now: datetime
) -> StoredMemory:
    number, request = found
    return StoredMemory(
        id=ids.derived(KIND.name, space, place.channel, said.seq, number),
        kind=KIND.name,
        text=request.text,
        writer=WRITER,
        at=said.at,
        created_at=now,
        channel=place.channel,
        person=said.person,
        said_by=said.person,
        first_seq=said.seq,
        last_seq=said.seq,
        seq=said.seq,
        category=" ".join(request.topics),
        data={ENDS: True, HIDDEN: True} if request.ends else {},
    )
