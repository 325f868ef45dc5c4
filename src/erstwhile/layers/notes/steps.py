"""The layer of notes: collect messages until a channel is quiet, write a note, group notes at night."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from erstwhile.base import crash, ids
from erstwhile.base.errors import ContentRefused
from erstwhile.base.logs import Log
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, Outcome, Step
from erstwhile.layers.contract import Layer, LayerParts
from erstwhile.layers.notes import buffer as buffering
from erstwhile.layers.notes import store, topics
from erstwhile.layers.notes.buffer import timing_of
from erstwhile.layers.notes.buffer_rebuild import REBUILD_BUFFERS, BufferRebuild
from erstwhile.layers.notes.model import (
    NOTE,
    NOTES,
    TOPIC,
    TOPICS,
    Buffer,
    Kept,
    Night,
    Note,
    NoteStatement,
)
from erstwhile.layers.notes.topics import NIGHTLY, Nights, NoteFollower
from erstwhile.log import people
from erstwhile.log import store as log_store
from erstwhile.log.model import ChannelMessages
from erstwhile.memories import history, select
from erstwhile.memories import store as memories
from erstwhile.memories.model import ERASURE, HIDDEN, StoredMemory
from erstwhile.storage import EVERYWHERE, Transaction, column

if TYPE_CHECKING:
    from erstwhile.layers.notes.note import Claim, NoteMaterial, WrittenNote
    from erstwhile.writers.port import WriterAnswer

log = Log(__name__)


class NoteLayer(Layer):
    name = "notes"
    kinds = (TOPICS, NOTES)
    recipes = ("community", "full")
    tables = store.TABLES
    timers = (store.FLUSH,)

    def __init__(self, parts: LayerParts, followers: Sequence[NoteFollower]) -> None:
        super().__init__(parts)
        self._timing, self._followers = timing_of(parts.settings, parts.zone), followers
        self._nights = Nights(parts, self._timing, followers)
        self._rebuild_buffers = BufferRebuild(parts.database, parts.clock, self._timing)

    @property
    def steps(self) -> Mapping[str, Step]:
        return {
            store.FLUSH: self.flush,
            NIGHTLY: self._nights.step,
            REBUILD_BUFFERS: self._rebuild_buffers.step,
        }

    # Buffers

    async def before_append(self, tx: Transaction, channels: Sequence[str]) -> dict[str, Buffer]:
        """Return the open buffers, locked: a flush that would close one waits."""
        return await store.hold_open(tx, channels)

    async def appended(
        self,
        tx: Transaction,
        added: Sequence[ChannelMessages],
        held: Mapping[str, Buffer],
        now: datetime,
    ) -> None:
        """Add the messages of people to the buffers of their channels."""
        cut: list[Buffer] = []
        for each in added:
            said = buffering.by_people(each.messages, now)
            if said:
                cut += buffering.split(held.get(each.channel), each.channel, said, self._timing)
        await store.put_buffers(tx, cut, self._timing, now, held)

    async def start(self) -> None:
        """Set missing timers of buffers, and request a nightly run that was missed."""
        now = self._clock()

        async def take_up(tx: Transaction) -> None:
            if await self.wanted(tx):
                for row in await tx.all(
                    store.queries.without_timer, kind=store.FLUSH, only=tx.space
                ):
                    found = await store.buffer_at(tx, row["channel"], row["first_seq"])
                    if found is not None:
                        await store.set_timer(tx, found, self._timing, now)
                if await self._nights.missed(tx, now):
                    await self._nights.ask(tx, self._timing.last_closed(now), now)

        read = self._database.read
        lost = await read(
            EVERYWHERE,
            lambda tx: column(tx, store.queries.without_timer, kind=store.FLUSH, only=None),
        )
        for space in await log_store.spaces(self._database):
            if space in lost or await read(space, lambda tx: self._nights.missed(tx, now)):
                await self._database.write(space, take_up)

    # Notes

    async def flush(self, job: Job) -> Outcome:
        from erstwhile.layers.notes import note as noting  # not needed to add messages

        channel, first = str(job.payload["channel"]), int(job.payload["first_seq"])
        taken = await self._database.write(job.space, lambda tx: self._take(tx, channel, first))
        if isinstance(taken, Buffer) and not taken.closed:  # a message was added meanwhile
            return Outcome(lambda tx: store.set_timer(tx, taken, self._timing, self._clock()))
        if taken is None:
            return Outcome()
        said = await self._database.read(job.space, lambda tx: self._gather(tx, channel, taken))
        if not said.messages:
            return Outcome(lambda tx: self._leave_empty(tx, channel, taken))
        writers = await self._writers.for_space(job.space)
        answered, failure = await writers.answer(noting.ask(said))
        refused = isinstance(failure, ContentRefused) and len(said.messages) > buffering.FEW
        if isinstance(taken, Buffer) and refused:
            return Outcome(lambda tx: self._divide(tx, taken, said))
        if isinstance(taken, Note) and answered.draft:  # no better than the stored one
            return Outcome(failure=failure)
        note = self._note(job.space, said, taken, answered)
        told = answered.value.claims

        async def effects(tx: Transaction) -> None:
            await self._keep(tx, note, await stated(tx, said, told))

        return Outcome(effects, failure)

    async def _take(self, tx: Transaction, channel: str, first: int) -> Buffer | Note | None:
        """Return the buffer, closed if it is due; or else its note, if that is a draft."""
        now = self._clock()
        found = await store.close_due(tx, channel, first, self._timing, now)
        found = found or await store.buffer_at(tx, channel, first)
        if found is not None:
            return found
        note = await store.at_range(tx, channel, first)
        return note if note is not None and note.draft else None

    async def _gather(self, tx: Transaction, channel: str, taken: Buffer | Note) -> NoteMaterial:
        """Return its messages of people, without people who are blocked by now."""
        from erstwhile.layers.notes.note import NoteMaterial
        from erstwhile.writers import xml

        blocked = await people.blocked(tx)
        messages = await log_store.between(tx, channel, taken.first_seq, taken.last_seq)
        written = buffering.by_people(messages, self._clock())
        said = [each for each in written if each.person not in blocked]
        mentioned = {id for each in said for id in xml.mentions(each.text)}
        named = {each.person for each in said if each.person} | mentioned
        names = await people.labels_of(tx, named)
        return NoteMaterial(tx.space, channel, tuple(await people.tell_apart(tx, said)), names)

    def _note(
        self,
        space: str,
        said: NoteMaterial,
        taken: Buffer | Note,
        answered: WriterAnswer[WrittenNote],
    ) -> Note:
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
        """Store the note, remove its buffer and call the followers, in one transaction. The nightly
        run is requested first, because it locks its job before the notes."""
        now = self._clock()
        await self._nights.ask(tx, note.day, now)
        written = await store.put(tx, note, now)
        crash.point("notes.after_note")
        await tx.run(store.queries.drop_buffer, channel=note.channel, first=note.first_seq)
        crash.point("notes.after_buffer")
        for follower in self._followers if written else ():
            await follower.noted(tx, note, told, now)
        crash.point("notes.after_followers")
        place = {"first": note.first_seq, "last": note.last_seq, "draft": note.draft}
        log.info("notes.noted", channel=note.channel, **place)

    async def _divide(self, tx: Transaction, buffer: Buffer, said: NoteMaterial) -> None:
        """Request two notes in place of one that the model refuses: most of what was said may be fine."""
        if await store.buffer_at(tx, buffer.channel, buffer.first_seq) is not None:
            found = buffering.halves(buffer, said.messages)
            await store.put_buffers(tx, found, self._timing, self._clock())

    async def _leave_empty(self, tx: Transaction, channel: str, taken: Buffer | Note) -> None:
        """Store a note without text if all speakers are blocked: every message is in a note."""
        at = taken.updated_at if isinstance(taken, Buffer) else taken.to_at
        id = ids.derived("note", tx.space, channel, taken.first_seq, taken.last_seq)
        place = (taken.first_seq, taken.last_seq, self._timing.day(at))
        note = Note(id, NOTE, channel, *place, "", "", (), at, at, None, "", draft=False)
        now = self._clock()
        if await store.put(tx, note, now):
            for follower in self._followers:
                await follower.noted(tx, note, (), now)
        await tx.run(store.queries.drop_buffer, channel=channel, first=taken.first_seq)

    async def redraft(self, tx: Transaction) -> int:
        """Request every draft again, once a model is available. Parked jobs stay parked."""
        now = self._clock()
        found = await select.of_kinds(tx, (NOTE, TOPIC), drafts=True)
        drafts = [each for each in found if not (each.deleted_at or each.edited_at)]
        for each in drafts:
            if each.kind == TOPIC:
                await self._nights.ask(tx, date.fromisoformat(each.category), now, revive=False)
            else:
                job = store.flush_job(each.channel, each.range[1], now)
                await jobs.enqueue(tx, job, now, revive=False)
        return len(drafts)

    async def make_private(self, tx: Transaction, channel: str, now: datetime) -> None:
        await self._nights.make_private(tx, channel, now)

    # The nightly run, on request

    async def nightly(self, space: str) -> Night:
        return await self._nights.by_hand(space)

    def no_night(self) -> Night:
        """Return the result of a run that did nothing."""
        return Night(self._timing.day(self._clock()), 0, 0, 0)

    # Changes of notes

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        """Request the nightly run first, see `_keep`. A run over the note skips its group."""
        if memory.kind == NOTE:
            now = self._clock()
            await self._nights.ask(tx, self._timing.day(now), now)

    def described(self, memory: StoredMemory) -> StoredMemory:
        """Show an edited topic in search: it no longer only repeats a note."""
        return replace(memory, data=_without(memory, HIDDEN))

    async def deleted(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """Remove what a note stated. The notes of a deleted topic stay in it, so that they are not
        put into another."""
        by = memory.deleted_by or ""
        if memory.kind == TOPIC:
            members = (await memories.sources_of(tx, [memory.id])).get(memory.id, ())
            kept: Kept = {"members": list(members)}
        else:
            topic = await self._nights.take_apart(tx, memory.id, by, now)
            stated = [await each.unnoted(tx, memory.id, by, now) for each in self._followers]
            kept = {"topic": topic, "stated": stated}
        await memories.save(tx, [replace(memory, data={**memory.data, **kept})])

    async def check_restorable(self, tx: Transaction, memory: StoredMemory) -> None:
        if memory.kind == TOPIC:
            await topics.check_topic(tx, memory, self._visibility)

    async def restored(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """Restore a topic with its notes, or a note with its statements. The note returns to its
        topic if possible; otherwise the next nightly run puts it into one."""
        data = memory.data
        own = _without(memory, "members", "topic", "stated")
        await memories.save(tx, [replace(memory, data=own)])
        if memory.kind == TOPIC:
            await memories.set_sources(tx, memory.id, data["members"])
            return
        if data["topic"]:
            await topics.topic_again(tx, memory.id, data["topic"], self._visibility, now)
        by = (await history.versions(tx, memory.id))[-1].by
        for follower, stated in zip(self._followers, data["stated"], strict=True):
            await follower.renoted(tx, stated, by, now)

    # Changes of messages

    async def refuse(self, tx: Transaction) -> None:
        await jobs.hold_kind(tx, NIGHTLY)

    async def leave_out(self, tx: Transaction) -> bool:
        for row in await tx.all(store.queries.buffers_touched):
            place = {"channel": row["channel"], "first": row["first_seq"]}
            if row["messages"]:
                await tx.run(store.queries.shrink_buffer, **place, messages=row["messages"])
            else:
                await tx.run(store.queries.drop_buffer, **place)
        return False

    async def list_erased(self, tx: Transaction, person: str | None) -> None:
        await tx.run(store.queries.list_notes, person=person)
        await tx.run(store.queries.list_topics, person=person)

    async def erasing(self, tx: Transaction, gone: Sequence[str]) -> Collection[str]:
        """Request notes, and topics of their days, again from the messages that are left."""
        from erstwhile.memories import erase  # not needed to add messages

        now, kind = self._clock(), ids.kind_of(gone[0])
        for day in await erase.listed_categories(tx, kind):
            await self._nights.ask(tx, date.fromisoformat(day), now)
        if kind == TOPIC:
            return ()
        buffers, kept = await store.left_of_listed(tx)
        await store.put_buffers(tx, buffers, self._timing, now)
        await self._keep_places(tx, kept)
        return [each.id for each in kept]

    async def _keep_places(self, tx: Transaction, kept: Sequence[StoredMemory]) -> None:
        """Clear the text of listed notes that were deleted or have expired."""
        for memory in kept:
            blank = replace(
                memory, title="", text="", data={}, edited_by=memory.edited_by and ERASURE
            )
            await memories.save(tx, [replace(blank, deleted_by=memory.deleted_by and ERASURE)])
            await store.set_people(tx, memory.id, ())

    async def memories_expired(self, tx: Transaction, expired: Sequence[str]) -> None:
        """Show topics in search whose only note has expired: they no longer repeat it."""
        made = await memories.by_ids(tx, await memories.made_from(tx, expired))
        topics = [each for each in made.values() if each.kind == TOPIC]
        alone = [replace(each, data={}) for each in topics if each.data.get(HIDDEN)]
        await memories.save(tx, alone)
        await memories.index(tx, alone)

    async def emptied(self, tx: Transaction) -> None:
        """Delete topics that no person wrote, notes without text, buffers and nightly runs. Notes
        that stay are put into topics again."""
        await tx.run(store.queries.empty_buffers)
        await tx.run(store.queries.empty_nights)
        found = await select.of_kinds(tx, (NOTE, TOPIC))
        made = [each for each in found if not (each.edited_at or each.deleted_at)]
        gone = {each.id for each in made if each.kind == TOPIC and each.text}
        gone |= {each.id for each in made if each.kind == NOTE and not (each.text or each.writer)}
        await store.drop(tx, sorted(gone))
        for each in found:
            if each.kind == TOPIC and each.id not in gone:
                await memories.set_sources(tx, each.id, ())
        await tx.run(store.queries.empty_people)

    # Rebuilding

    async def rebuild(self, tx: Transaction) -> None:
        """Split every channel into buffers again, by the times of its messages."""
        for channel in await log_store.channels(tx):
            await self._rebuild_buffers.ask(tx, channel.channel, channel.last_seq)


async def stated(
    tx: Transaction, said: NoteMaterial, claims: Sequence[Claim]
) -> list[NoteStatement]:
    """Find whom each claim is about: a speaker, by id or name, or else the only person of the space
    with exactly that name. Claims about unknown or blocked people are left out."""
    known: dict[str, str | None] = {}
    for each in said.messages:
        for called in (each.name, said.names.get(each.person or "")):
            if called and each.person:
                name = _folded(called)
                known[name] = each.person if known.get(name, each.person) == each.person else None
    known |= {person: person for person in said.people}
    blocked = await people.blocked(tx)
    found: dict[tuple[str, str], NoteStatement] = {}
    for claim in claims:
        key = claim.about if claim.about in said.people else _folded(claim.about)
        if key not in known:
            others = await people.known_as(tx, claim.about)
            known[key] = others[0] if len(others) == 1 else None
        about, message = known[key], said.messages[claim.message - 1]
        if about is not None and about not in blocked:
            words = claim.section, claim.text, message.seq, message.at, claim.slot, claim.value
            found.setdefault((about, claim.text), NoteStatement(about, message.person, *words))
    return list(found.values())


def _folded(called: str) -> str:
    return " ".join(called.split()).removeprefix("@").casefold()


def _without(memory: StoredMemory, *names: str) -> Kept:
    return {name: value for name, value in memory.data.items() if name not in names}
