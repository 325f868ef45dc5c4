"""The nightly run: once a day and space, put notes into topics, and call the followers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final, Protocol

from erstwhile.base import crash, ids, records
from erstwhile.base.clock import micros
from erstwhile.base.errors import ConflictError, Error
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome
from erstwhile.layers.contract import LayerParts
from erstwhile.layers.notes import store
from erstwhile.layers.notes.buffer import Timing
from erstwhile.layers.notes.model import NOTE, TOPIC, Kept, Night, Note, NoteStatement
from erstwhile.layers.notes.store import FLUSH, queries
from erstwhile.log import people
from erstwhile.memories import history, select
from erstwhile.memories import store as memories
from erstwhile.memories.history import REPLACED, RESTORED, VersionEntry
from erstwhile.memories.model import StoredMemory, from_row, to_row
from erstwhile.receipts import store as receipts
from erstwhile.storage import Transaction, column, value

if TYPE_CHECKING:
    from erstwhile.layers.notes.cluster import Group
    from erstwhile.layers.notes.night import Topic
    from erstwhile.writers.writers import Writers

NIGHTLY: Final = "notes.nightly"
_AT_A_TIME: Final = 8  # groups; after an import there may be hundreds
_MISSED: Final = timedelta(hours=24)
_PAUSE: Final = timedelta(minutes=1)


class NoteFollower(Protocol):
    """A layer made from notes. It is called in the transaction that writes them."""

    async def noted(
        self, tx: Transaction, note: Note, stated: Sequence[NoteStatement], now: datetime
    ) -> None:
        """Take in a note that was written. If it replaces a draft, what the draft stated no longer counts."""
        ...

    async def unnoted(self, tx: Transaction, note: str, by: str, now: datetime) -> Kept:
        """Take out a note that was deleted: what it stated no longer counts. Return what restores that."""
        ...

    async def renoted(self, tx: Transaction, taken: Kept, by: str, now: datetime) -> None:
        """Take in a note that was restored."""
        ...

    async def night_fell(
        self, tx: Transaction, people: Sequence[str], day: date, now: datetime
    ) -> None:
        """Take in that the topics are made. These people took part in notes since the last nightly run."""
        ...


@dataclass(frozen=True, slots=True)
class _Made:
    group: Group
    notes: tuple[Note, ...]
    topics: tuple[Topic, ...]
    writer: str
    draft: bool


@dataclass(frozen=True, slots=True)
class _Work:
    """`more`: there are groups beyond these."""

    made: tuple[_Made, ...]
    more: bool
    failure: Error | None


class Nights:
    def __init__(
        self, parts: LayerParts, timing: Timing, followers: Sequence[NoteFollower]
    ) -> None:
        self._database, self._writers, self._clock = parts.database, parts.writers, parts.clock
        self._visibility, self._timing, self._followers = parts.visibility, timing, followers

    async def ask(
        self,
        tx: Transaction,
        day: date,
        now: datetime,
        *,
        later: timedelta = timedelta(0),
        revive: bool = True,
    ) -> None:
        """Request the nightly run of a day. One job does all past days."""
        when = self._timing.night_of(day)
        if when <= now:
            day, when = max(day, self._timing.last_closed(now)), now + later
        key = day.isoformat()
        job = NewJob(
            NIGHTLY, key=key, payload={"day": key}, lane=NIGHTLY, pace="model", due=when, limit=when
        )
        await jobs.enqueue(tx, job, now, revive=revive)

    async def take_apart(self, tx: Transaction, note: str, by: str, now: datetime) -> str | None:
        """Remove the topic of a deleted note, because it contains the note's content. The next
        nightly run puts its other notes into topics again. An edited topic stays. Return its id."""
        topic = (await store.topics_of(tx, [note])).get(note)
        memory = await memories.get(tx, topic) if topic else None
        if memory is not None and memory.text and memory.edited_at is None:
            (shown,) = await store.by_ids(tx, [memory.id])
            members = tuple(dict.fromkeys([*shown.notes, note]))  # it is deleted already
            await _drop(tx, [memory], by, now)
            await history.keep(tx, memory.id, keep(memory, replace(shown, notes=members), note))
        return topic

    async def missed(self, tx: Transaction, now: datetime) -> bool:
        """Return whether the last nightly run of the space was over a day ago, or never."""
        return await tx.first(queries.missed, since=micros(now - _MISSED)) is not None

    async def make_private(self, tx: Transaction, channel: str, now: datetime) -> None:
        """Remove topics for everyone with notes of a channel that has become private, even edited
        ones. The next nightly run puts their notes into topics again, those of the channel
        apart."""
        gone = await select.topics_with(tx, channel)
        if gone:  # the job first, see `Notes._keep`
            await self.ask(tx, self._timing.day(now), now)
        await store.drop(tx, gone)
        await history.expire(tx, gone, now)

    async def step(self, job: Job) -> Outcome:
        day = date.fromisoformat(str(job.payload["day"]))
        to_note, to_replace = await self._database.read(
            job.space, lambda tx: self._still_to_write(tx, day)
        )
        if to_note:
            return Outcome()  # the note that is still being written requests this job again
        if to_replace:
            return Outcome(lambda tx: self.ask(tx, day, self._clock(), later=_PAUSE))
        writers = await self._writers.for_space(job.space)
        work = await self._work(writers, job.space, day, redo=not writers.best.draft)

        async def effects(tx: Transaction) -> None:
            now = self._clock()
            await self._keep(tx, work, day, now)
            if work.more:
                await self.ask(tx, day, now)

        return Outcome(effects, work.failure)

    async def by_hand(self, space: str) -> Night:
        """Put all notes up to now that are in no topic into topics."""
        today = self._timing.day(self._clock())
        total = Night(today, 0, 0, 0)
        writers = await self._writers.for_space(space)
        redo = not writers.best.draft
        while True:
            erased = await self._database.read(space, receipts.number)
            work = await self._work(writers, space, today, redo=redo)
            redo = redo and work.failure is None

            async def unit(tx: Transaction, work: _Work = work, erased: int = erased) -> Night:
                await receipts.refuse_if_erased(tx, erased, receipts.no_message)
                now = self._clock()
                if work.failure is not None:  # drafts are there; the next run asks the model again
                    await self.ask(tx, today, now)
                return await self._keep(tx, work, today, now, by_hand=True)

            done = await self._database.write(space, unit)
            counts = ("notes", "topics", "people")
            both = (getattr(total, name) + getattr(done, name) for name in counts)
            total = Night(today, *both)
            if not work.more:
                return total

    async def _still_to_write(self, tx: Transaction, day: date) -> tuple[bool, bool]:
        """Return whether notes up to a day are to be written, and drafts of them to be replaced."""
        ended = datetime.combine(day + timedelta(days=1), time(), self._timing.zone).astimezone(UTC)
        due = json.dumps(await jobs.due_payloads(tx, FLUSH, self._clock()))
        note = await tx.first(queries.still_to_note, rows=due, before=micros(ended))
        draft = await select.first_draft(tx, NOTE, due, day.isoformat())
        return note is not None, draft is not None

    # Making topics

    async def _work(self, writers: Writers, space: str, day: date, *, redo: bool) -> _Work:
        found = await self._database.read(space, lambda tx: self._groups(tx, day, redo=redo))
        made: list[_Made] = []
        failure: Error | None = None
        for group in found[:_AT_A_TIME]:
            if failure is not None and group.done:
                continue  # it has its drafts already
            using = writers if failure is None else replace(writers, best=writers.drafts)
            one, failed = await self._cluster(using, space, group)
            failure = failure or failed
            if failed is None or not group.done:
                made.append(one)
        return _Work(tuple(made), len(found) > _AT_A_TIME, failure)

    async def _groups(self, tx: Transaction, day: date, *, redo: bool) -> list[Group]:
        """Return groups; notes in no topic come before those in a draft of one."""
        from erstwhile.layers.notes import cluster  # not needed to add messages

        rows = await select.loose_notes(tx, day.isoformat(), redo=redo)
        loose = [records.from_row(cluster.LooseNote, row) for row in rows]
        audiences = await self._visibility.audiences(tx, {each.channel for each in loose})
        found = [each for each in cluster.groups(loose, audiences) if each.would_change]
        return sorted(found, key=lambda group: group.done)

    async def _cluster(
        self, writers: Writers, space: str, group: Group
    ) -> tuple[_Made, Error | None]:
        from erstwhile.layers.notes import cluster, night

        async def read(tx: Transaction) -> tuple[list[Note], Mapping[str, str]]:
            notes = await store.by_ids(tx, [each.id for each in group.notes])
            there = {person for note in notes for person in note.people}
            return notes, await people.labels_of(tx, there)

        notes, names = await self._database.read(space, read)
        if len(notes) <= cluster.FEWEST:  # as many topics as notes: nothing to sort
            draft = any(note.draft for note in notes)
            writer = notes[0].writer if notes else ""
            return _Made(group, tuple(notes), night.themselves(notes), writer, draft), None
        answered, failure = await writers.answer(night.ask(notes, names, self._timing.topics))
        return _Made(group, tuple(notes), answered.value, answered.writer, answered.draft), failure

    # Writing

    async def _keep(
        self, tx: Transaction, work: _Work, day: date, now: datetime, *, by_hand: bool = False
    ) -> Night:
        kept = [made for made in work.made if await self._put(tx, made, now)]
        put = [each for made in kept for each in made.group.notes]
        fresh = [each for each in put if each.topic is None]
        replaced = {each.topic for each in put if each.topic is not None}
        topics = sum(len(made.topics) for made in kept) - len(replaced)
        crash.point("notes.after_topics")
        if work.more:
            partial = Night(day, len(fresh), topics, 0)
            await store.record_night(tx, partial, None)
            return partial
        took_part = {person for made in kept for note in made.notes for person in note.people}
        active = await self._active(tx, day, took_part)
        night = Night(day, len(fresh), topics, len(active))
        if kept or active or by_hand or not await value(tx, queries.night, day=day.isoformat()):
            await store.record_night(tx, night, now)
            for follower in self._followers if active else ():
                await follower.night_fell(tx, active, day, now)
        return night

    async def _active(self, tx: Transaction, day: date, these: set[str]) -> list[str]:
        """Return who took part, also in notes that were too few for a topic."""
        since = await store.last_night(tx)
        begin = micros(since) if since else -(2**62)
        found = await column(tx, queries.active_since, since=begin, day=day.isoformat())
        return sorted(these.union(found) - await people.blocked(tx))

    async def _put(self, tx: Transaction, made: _Made, now: datetime) -> bool:
        """Store the topics. Return False if another run came first, or a note has changed since."""
        seen = {each.id: each.topic for each in made.group.notes}
        notes = [each for each in await select.hold(tx, list(seen)) if each.text]
        topics = await store.topics_of(tx, list(seen), deleted=True)
        held = {each.id: topics.get(each.id) for each in notes}
        says = {each.id: (each.title, each.text) for each in notes}
        read = {note.id: (note.title, note.text) for note in made.notes}
        changed = held != seen or says != read or not made.topics
        if changed or not await self._still_for_them(tx, made.group):
            return False
        fresh = [self._note(tx.space, made, topic) for topic in made.topics]
        drafts = {id for id in seen.values() if id is not None} - {note.id for note in fresh}
        replaced = await memories.by_ids(tx, sorted(drafts))
        await _drop(tx, list(replaced.values()), made.writer, now)
        for topic in fresh:
            await memories.set_sources(tx, topic.id, topic.notes)
            await store.put(tx, topic, now)
        return True

    async def _still_for_them(self, tx: Transaction, group: Group) -> bool:
        """Return whether no channel has become private or open meanwhile."""
        found = await self._visibility.audiences(tx, {each.channel for each in group.notes})
        return {found.of(each.channel, each.first_seq) for each in group.notes} <= {group.audience}

    def _note(self, space: str, made: _Made, topic: Topic) -> Note:
        notes = [made.notes[place] for place in topic.notes]
        named, group = tuple(note.id for note in notes), made.group
        return Note(
            id=ids.derived("topic", space, group.audience, group.day.isoformat(), *sorted(named)),
            kind=TOPIC,
            channel=group.audience,
            first_seq=0,
            last_seq=0,
            day=group.day,
            title=topic.title,
            text=topic.text,
            people=tuple(sorted({person for note in notes for person in note.people})),
            from_at=min(note.from_at for note in notes),
            to_at=max(note.to_at for note in notes),
            topic=None,
            writer=made.writer,
            draft=made.draft,
            notes=named,
        )


async def _drop(tx: Transaction, topics: Sequence[StoredMemory], by: str, now: datetime) -> None:
    """Remove topics. One that someone has edited stays, without its notes."""
    for topic in topics:
        if topic.edited_at is not None:
            await memories.set_sources(tx, topic.id, ())
    gone = [topic for topic in topics if topic.edited_at is None]
    await store.drop(tx, [topic.id for topic in gone])
    entries = [VersionEntry(topic.id, topic.text, by, REPLACED) for topic in gone]
    await history.record(tx, entries, now)


# Restoring topics, and notes into the topic they were in


def keep(memory: StoredMemory, topic: Note, note: str) -> Kept:
    """Return what is needed to restore a topic that is removed because a note of it was deleted."""
    people, members = list(topic.people), list(topic.notes)
    return {"row": to_row(memory), "people": people, "members": members, "with": note}


async def check_topic(tx: Transaction, memory: StoredMemory, visibility: Visibility) -> None:
    """Check that a topic can be restored: its notes must exist and be in no other topic."""
    rows = await _loose(tx, memory.data["members"], memory.id)
    if rows is None:
        raise ConflictError(
            f"The notes of {memory.id} are in other topics now, or are gone, so it can't be restored."
        )
    if not await _fit(tx, memory.channel, rows, visibility):
        raise ConflictError(
            f"A channel of {memory.id} became private, or open, since it was deleted."
        )


async def topic_again(
    tx: Transaction, note: str, topic: str, visibility: Visibility, now: datetime
) -> None:
    """Restore the topic that was removed with this note, if no other topic has its notes."""
    kept, last = await history.kept(tx, topic), (await history.versions(tx, topic))[-1:]
    if kept.get("with") != note or not last or last[0].action != REPLACED:
        return
    if await memories.get(tx, topic, deleted=True):
        return
    memory = from_row(kept["row"])
    rows = await _loose(tx, kept["members"], topic)
    if rows is None or not await _fit(tx, memory.channel, rows, visibility):
        return
    by = (await history.versions(tx, note))[-1].by
    await memories.put(tx, [memory], now, (by, RESTORED))
    await store.set_people(tx, topic, kept["people"])
    await memories.set_sources(tx, topic, kept["members"])


async def _loose(tx: Transaction, members: Sequence[str], topic: str) -> list[StoredMemory] | None:
    """Lock and return the notes; None unless all exist and are in no other topic."""
    notes = await select.hold(tx, members)
    topics = await store.topics_of(tx, members, deleted=True)
    alone = [each for each in notes if topics.get(each.id, topic) == topic]
    free = [each for each in alone if each.text or each.writer]
    return free if len(free) == len(set(members)) else None


async def _fit(
    tx: Transaction, audience: str, notes: Sequence[StoredMemory], visibility: Visibility
) -> bool:
    found = await visibility.audiences(tx, {each.channel for each in notes})
    return {found.of(each.channel, each.range[1]) for each in notes} <= {audience}
