"""What the room does: gather a channel's messages until it is quiet, note them, and put a day's notes into topics at night."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from erstwhile.base import crash, ids
from erstwhile.base.clock import Clock
from erstwhile.base.errors import NotFound
from erstwhile.base.logs import Log
from erstwhile.configuration.visibility import Visibility
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, Outcome, Step
from erstwhile.layers.contract import Wanted
from erstwhile.layers.notes import back, store
from erstwhile.layers.notes import buffer as buffering
from erstwhile.layers.notes import note as noting
from erstwhile.layers.notes.buffer import Timing as Timing
from erstwhile.layers.notes.model import NOTE, TOPIC, Buffer, Kept, Night, Note, NoteStatement
from erstwhile.layers.notes.note import Claim, NoteMaterial, WrittenNote
from erstwhile.layers.notes.recut import RECUT, Recut
from erstwhile.layers.notes.store import queries
from erstwhile.layers.notes.timers import FLUSH, flush_job, wind
from erstwhile.layers.notes.topics import NIGHTLY, Nights, NoteFollower
from erstwhile.log import people
from erstwhile.log import store as log_store
from erstwhile.log.model import Message
from erstwhile.storage import EVERYWHERE, Database, Transaction
from erstwhile.writers import xml
from erstwhile.writers.port import WriterAnswer

log = Log(__name__)


class Notes:
    def __init__(
        self,
        database: Database,
        writers: WriterPool,
        clock: Clock,
        hearing: Visibility,
        shape: tuple[Timing, Sequence[NoteFollower]],
    ) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock
        self._hearing = hearing
        self._timing, self._followers = shape
        self._nights = Nights(database, writers, clock, hearing, shape)
        self._recut = Recut(database, clock, self._timing)

    @property
    def steps(self) -> Mapping[str, Step]:
        return {FLUSH: self.flush, NIGHTLY: self._nights.step, RECUT: self._recut.step}

    # Gathering

    async def appended(self, tx: Transaction, channel: str, messages: Sequence[Message], now: datetime) -> None:
        """Takes what people said into the channel's buffer."""
        said = buffering.by_people(messages, now)
        if len(said) == 1:
            grown = await store.extend(tx, channel, said[0].seq, said[0].at, self._timing)
            if grown is not None:
                await wind(tx, grown, self._timing, now)
                return
        if said:
            opened = await store.hold_open(tx, channel)
            cut = buffering.split(opened, channel, said, self._timing)
            await store.put_buffers(tx, cut)
            for each in cut:
                await wind(tx, each, self._timing, now)

    async def start(self, wanted: Wanted) -> None:
        """When a process opens the database: buffers without a timer get one, and a night that was missed is made up for, in the spaces
        that use this room."""
        now = self._clock()

        async def look(tx: Transaction) -> set[str]:
            lost = {row["space"] for row in await tx.all(queries.without_timer, kind=FLUSH, only=None)}
            return lost | set(await self._nights.missed(tx, now))

        async def take_up(tx: Transaction) -> None:
            if await wanted(tx):
                await self.restore(tx, now)
                await self.catch_up(tx, now)

        for space in sorted(await self._database.read(EVERYWHERE, look)):
            await self._database.write(space, take_up)

    async def restore(self, tx: Transaction, now: datetime) -> int:
        """Gives timers back to buffers that have none; says how many."""
        rows = await tx.all(queries.without_timer, kind=FLUSH, only=tx.space)
        for row in rows:
            found = await store.buffer_at(tx, row["channel"], row["first_seq"])
            if found is not None:
                await wind(tx, found, self._timing, now)
        return len(rows)

    async def catch_up(self, tx: Transaction, now: datetime) -> bool:
        """Asks for the night's work now if the last was over a day ago, or never, and there is something to work on."""
        if not await self._nights.missed(tx, now):
            return False
        await self._nights.ask(tx, self._timing.last_closed(now), now)
        return True

    # Noting

    async def flush(self, job: Job) -> Outcome:
        channel, first = str(job.payload["channel"]), int(job.payload["first_seq"])
        taken = await self._database.write(job.space, lambda tx: self._take(tx, channel, first))
        if isinstance(taken, Buffer) and not taken.closed:  # someone spoke meanwhile
            return Outcome(lambda tx: wind(tx, taken, self._timing, self._clock()))
        if taken is None:
            return Outcome(_nothing)
        said = await self._database.read(job.space, lambda tx: self._gather(tx, channel, taken))
        if not said.messages:
            return Outcome(lambda tx: self._leave_empty(tx, channel, taken))
        writers = await self._writers.for_space(job.space)
        answered, failure = await writers.answer(noting.ask(said))
        if isinstance(taken, Note) and answered.draft:  # no better than what is there
            return Outcome(_nothing, failure)
        note = self._note(job.space, said, taken, answered)
        told = answered.value.claims

        async def effects(tx: Transaction) -> None:
            await self._keep(tx, note, await stated(tx, said, told))

        return Outcome(effects, failure)

    async def _take(self, tx: Transaction, channel: str, first: int) -> Buffer | Note | None:
        """The buffer, closed if it is due; else the note it became, if that is only a draft."""
        now = self._clock()
        found = await store.close_due(tx, channel, first, self._timing, now) or await store.buffer_at(
            tx, channel, first
        )
        if found is not None:
            return found
        note = await store.at_range(tx, channel, first)
        return note if note is not None and note.draft else None

    async def _gather(self, tx: Transaction, channel: str, taken: Buffer | Note) -> NoteMaterial:
        """What people said there; those who are blocked by now are left out."""
        silent = await people.blocked(tx)
        messages = await log_store.between(tx, channel, taken.first_seq, taken.last_seq)
        said = [each for each in buffering.by_people(messages, self._clock()) if each.person not in silent]
        named = {each.person for each in said if each.person} | {id for each in said for id in xml.mentions(each.text)}
        names = await people.names_of(tx, named)
        return NoteMaterial(tx.space, channel, tuple(said), names)

    def _note(self, space: str, said: NoteMaterial, taken: Buffer | Note, answered: WriterAnswer[WrittenNote]) -> Note:
        times = [each.at for each in said.messages]
        return Note(
            id=ids.derived("note", space, said.channel, taken.first_seq, taken.last_seq),
            kind=NOTE,
            channel=said.channel,
            first_seq=taken.first_seq,
            last_seq=taken.last_seq,
            day=taken.day if isinstance(taken, Note) else self._timing.day(max(times)),
            title=answered.value.title,
            text=answered.value.summary,
            people=said.people,
            from_at=min(times),
            to_at=max(times),
            topic=None,
            writer=answered.writer,
            draft=answered.draft,
        )

    async def _keep(self, tx: Transaction, note: Note, told: Sequence[NoteStatement]) -> None:
        """The note, its buffer's end and what follows from it, all or nothing. The night is asked for first: whoever works on it holds the
        job before the notes, and so must we."""
        now = self._clock()
        await self._nights.ask(tx, note.day, now)
        written = await store.put(tx, note, now)
        crash.point("notes.after_note")
        await tx.run(queries.drop_buffer, channel=note.channel, first=note.first_seq)
        crash.point("notes.after_buffer")
        for follower in self._followers if written else ():
            await follower.noted(tx, note, told, now)
        crash.point("notes.after_followers")
        log.info("notes.noted", channel=note.channel, first=note.first_seq, last=note.last_seq, draft=note.draft)

    async def _leave_empty(self, tx: Transaction, channel: str, taken: Buffer | Note) -> None:
        """All who spoke there are blocked: the place is kept, so that every message is in one note."""
        at = taken.updated_at if isinstance(taken, Buffer) else taken.to_at
        id = ids.derived("note", tx.space, channel, taken.first_seq, taken.last_seq)
        place = (taken.first_seq, taken.last_seq, self._timing.day(at))
        note = Note(id, NOTE, channel, *place, "", "", (), at, at, None, "", draft=False)
        now = self._clock()
        if await store.put(tx, note, now):
            for follower in self._followers:
                await follower.noted(tx, note, (), now)
        await tx.run(queries.drop_buffer, channel=channel, first=taken.first_seq)

    async def redraft(self, tx: Transaction) -> int:
        """Asks for every draft again, for when a model has become available. What was parked stays parked."""
        now = self._clock()
        rows = await tx.all(queries.drafts)
        for row in rows:
            if row["kind"] == TOPIC:
                await self._nights.ask(tx, date.fromisoformat(row["day"]), now, revive=False)
            else:
                await jobs.enqueue(tx, flush_job(row["channel"], row["first_seq"], now), now, revive=False)
        return len(rows)

    async def withdraw(self, tx: Transaction, channel: str, now: datetime) -> None:
        """The channel has become private: what its notes say is no longer part of what everyone may hear."""
        await self._nights.withdraw(tx, channel, now)

    async def erased(
        self, tx: Transaction, conversations: Sequence[Buffer], days: Sequence[date], now: datetime
    ) -> None:
        """The notes of these conversations are gone, and topics of these days: they are made again of what people still say there."""
        for day in days:
            await self._nights.ask(tx, day, now)
        await store.put_buffers(tx, conversations)
        for each in conversations:
            await wind(tx, each, self._timing, now)

    # The night, by hand

    async def nightly(self, space: str) -> Night:
        return await self._nights.by_hand(space)

    def no_night(self) -> Night:
        """Nothing was done."""
        return Night(self._timing.day(self._clock()), 0, 0, 0)

    # Hands

    async def edit(self, tx: Transaction, id: str, text: str, by: str) -> None:
        """The title stays."""
        note = await _standing(tx, id)
        now = self._clock()
        await store.edit(tx, id, text, by, now)
        await store.index(tx, [replace(note, text=text)])

    async def delete(self, tx: Transaction, id: str, by: str) -> tuple[str, Kept]:
        """Leaves an empty place, so that its messages, or its notes, are not read again. What it stated no longer counts. Says what
        it said, and what it takes to bring it back."""
        note = await _standing(tx, id)
        now = self._clock()
        kept = await back.keepsake(tx, note)
        if note.kind == NOTE:
            await self._nights.take_apart(tx, note, by, now)
        await store.clear(tx, id, by, now)
        await documents.remove(tx, [id])
        if note.kind == NOTE:
            kept["stated"] = [await follower.unnoted(tx, note.id, by, now) for follower in self._followers]
        return note.text, kept

    async def bring_back(self, tx: Transaction, id: str, kept: Kept, by: str) -> None:
        """The next night sees to a note whose topic is no longer there."""
        now = self._clock()
        if kept["row"]["kind"] == TOPIC:
            topic = await back.topic(tx, id, kept, self._hearing)
            if len(topic.notes) != 1 or kept["row"]["edited_at"] is not None:
                await store.index(tx, [topic])
            return
        await self._nights.ask(tx, self._timing.day(now), now)
        note = await back.note(tx, id, kept, self._hearing, by, now)
        await store.index(tx, [note])
        for follower, stated in zip(self._followers, kept["stated"], strict=True):
            await follower.renoted(tx, stated, by, now)

    # Making everything again

    async def rebuild(self, tx: Transaction) -> None:
        """Cuts every channel anew, by the times of its messages."""
        for channel in await log_store.channels(tx):
            await self._recut.ask(tx, channel.channel, channel.last_seq)


async def stated(tx: Transaction, said: NoteMaterial, claims: Sequence[Claim]) -> list[NoteStatement]:
    """Whom each claim is about: someone who spoke there, by id or name, else the one person of the space who goes by exactly that name.
    What is about nobody known, or about someone blocked, is dropped."""
    known: dict[str, str | None] = {}
    for each in said.messages:
        for called in (each.name, said.names.get(each.person or "")):
            if called and each.person:
                name = _folded(called)
                known[name] = each.person if known.get(name, each.person) == each.person else None
    known |= {person: person for person in said.people}
    silent = await people.blocked(tx)
    found: dict[tuple[str, str], NoteStatement] = {}
    for claim in claims:
        key = claim.about if claim.about in said.people else _folded(claim.about)
        if key not in known:
            others = await people.known_as(tx, claim.about)
            known[key] = others[0] if len(others) == 1 else None
        about, message = known[key], said.messages[claim.message - 1]
        if about is not None and about not in silent:
            each_stated = NoteStatement(
                about, message.person, claim.section, claim.text, message.seq, message.at, claim.slot, claim.value
            )
            found.setdefault((about, claim.text), each_stated)
    return list(found.values())


def _folded(called: str) -> str:
    return " ".join(called.split()).removeprefix("@").casefold()


async def _standing(tx: Transaction, id: str) -> Note:
    note = await store.get(tx, id)
    if note is None or not note.text:
        raise NotFound(f"There is no note {id} in space {tx.space!r}. It may have been replaced, or deleted.")
    return note


async def _nothing(_tx: Transaction) -> None:
    """There is nothing to do."""
