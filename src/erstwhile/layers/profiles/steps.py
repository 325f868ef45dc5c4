"""What the room does: take in what notes state, and consolidate at night."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from erstwhile.base import crash
from erstwhile.base.clock import Clock, moment
from erstwhile.base.logs import Log
from erstwhile.configuration.visibility import Visibility
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.facts import attribute
from erstwhile.layers.notes.model import Kept, Note, NoteStatement
from erstwhile.layers.profiles import consolidate, merge, removal, statements, store, withdraw
from erstwhile.layers.profiles.carry_out import Terms, carry_out, would_be
from erstwhile.layers.profiles.consolidate import ConsolidationPlan, Material, SourceNote
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.layers.profiles.store import StoredProfile, queries
from erstwhile.layers.profiles.withdraw import Ground
from erstwhile.layers.remembered.names import distinct_names
from erstwhile.log import people as everyone
from erstwhile.log import store as log_store
from erstwhile.memories import history
from erstwhile.storage import Database, Transaction
from erstwhile.writers.port import Writer, WriterAnswer, WriterQuestion
from erstwhile.writers.prompt import load

log = Log(__name__)

CONSOLIDATE = "profiles.consolidate"
_TOKENS_A_FACT = 60


class Profiles:
    """Facts of drafts vanish when their note is written anew, and what a night made without a model is looked at again the next night: so
    there is nothing else to redraft."""

    def __init__(self, database: Database, writers: WriterPool, clock: Clock, hearing: Visibility) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock
        self._hearing = hearing

    @property
    def steps(self) -> Mapping[str, Step]:
        return {CONSOLIDATE: self.consolidate}

    async def noted(self, tx: Transaction, note: Note, stated: Sequence[NoteStatement], now: datetime) -> None:
        """Takes what a note states into the profiles. Of a note written anew, what its draft stated no longer counts."""
        heard = statements.heard(stated, await everyone.blocked(tx))
        drafted = {row["person"] for row in await tx.all(queries.drafted_of, note=note.id)}
        for person in sorted(
            {each.about for each in heard} | drafted
        ):  # in one order, so that two notes never wait for each other
            await self._take(tx, note, statements.of_person(tx.space, note, heard, person), person, now)
        crash.point("profiles.after_facts")

    async def _take(self, tx: Transaction, note: Note, new: Sequence[ProfileFact], person: str, now: datetime) -> None:
        held = await store.hold(tx, person)
        new = await _wanted(tx, person, new)
        audiences = await self._hearing.audiences(tx, [note.channel, *(fact.channel for fact in held.facts)])
        begun = {**held.begun, note.id: note.from_at}
        after = merge.settled(merge.without_drafts(held.facts, note.id), begun)
        for fact in new:
            after = merge.take(after, fact, lambda channel: audiences.get(channel, channel), begun)
        await store.save(tx, held, after, note.writer, now)

    async def withdraw(self, tx: Transaction, channel: str, now: datetime) -> None:
        """The channel has become private: facts of open channels that also stand on it are told there alone. One that is of another private
        channel is told nowhere: neither may hear what the other said."""
        rows = await tx.all(queries.standing_on, channel=channel)
        audiences = await self._hearing.audiences(tx, {row["channel"] for row in rows})
        for person in sorted({row["person"] for row in rows}):
            theirs = {row["id"]: audiences[row["channel"]] for row in rows if row["person"] == person}
            await store.move(tx, await store.hold(tx, person), theirs, channel, now)

    async def unnoted(self, tx: Transaction, note: Note, by: str, now: datetime) -> Kept:
        """What a deleted note stated no longer counts; what other notes say too stands on those."""
        taken: Kept = {"facts": [], "moved": []}
        for row in await tx.all(queries.stated_in, note=note.id):
            held = await store.hold(tx, row["person"])
            grounds = {fact.id: await _ground(tx, fact, note.id) for fact in withdraw.uprooted(held.facts, note.id)}
            left = withdraw.without(held.facts, note.id, {id: each for id, each in grounds.items() if each is not None})
            begun = {id: at for id, at in held.begun.items() if id != note.id}
            theirs = await removal.take(tx, held, merge.settled(left, begun), by, now)
            await removal.name(tx, theirs["facts"], note.id)
            taken = {name: [*taken[name], *theirs[name]] for name in taken}
        return taken

    async def renoted(self, tx: Transaction, taken: Kept, by: str, now: datetime) -> None:
        """The note was brought back, and with it what it stated."""
        await removal.put_back(tx, taken["facts"], taken["moved"], by, now)
        await self._withdraw_again(tx, taken["facts"], now)

    async def bring_back(self, tx: Transaction, id: str, kept: Kept, by: str, now: datetime) -> None:
        """With what was put into it."""
        await store.hold(tx, kept["row"]["person"])
        await removal.still_there(tx, id, kept)
        these = [id, *kept["facts"]]
        await removal.put_back(tx, these, kept["moved"], by, now)
        await self._withdraw_again(tx, these, now)

    async def _withdraw_again(self, tx: Transaction, these: Sequence[str], now: datetime) -> None:
        """A channel they stand on may have become private while they were gone."""
        rows = [row for fact in await store.by_ids(tx, these) for row in await store.notes_of(tx, fact)]
        audiences = await self._hearing.audiences(tx, {row["channel"] for row in rows})
        for channel in sorted(channel for channel, audience in audiences.items() if audience):
            await self.withdraw(tx, channel, now)

    async def night_fell(self, tx: Transaction, people: Sequence[str], day: date, now: datetime) -> None:
        """Asks for the profiles of these people to be consolidated, where they have changed since they last were."""
        changed = {row["person"] for row in await tx.all(queries.changed)}
        for person in sorted(changed.intersection(people) - await everyone.blocked(tx)):
            payload = {"person": person, "day": day.isoformat()}
            lane = f"profiles:{person}"
            await jobs.enqueue(tx, NewJob(kind=CONSOLIDATE, key=person, payload=payload, lane=lane, pace="model"), now)

    async def consolidate(self, job: Job) -> Outcome:
        person, day = str(job.payload["person"]), str(job.payload["day"])
        held, seen = await self._database.read(job.space, lambda tx: self._material(tx, person, day))
        if not seen.facts:
            return Outcome(lambda tx: _consolidated(tx, person, held.seen))
        writers = await self._writers.for_space(job.space)
        answered, failure = await writers.answer(_ask(seen))
        found = await self._database.read(job.space, lambda tx: _out_of_notes(tx, seen, answered))

        async def effects(tx: Transaction) -> None:
            upto = await self._keep(tx, held, seen, answered, found)
            if not answered.draft:
                await _consolidated(tx, person, upto)
            crash.point("profiles.after_consolidation")
            log.info(
                "profiles.consolidated",
                facts=len(seen.facts),
                merged=len(answered.value.merged),
                dropped=len(answered.value.dropped),
                draft=answered.draft,
            )

        return Outcome(effects, failure)

    async def _material(self, tx: Transaction, person: str, day: str) -> tuple[StoredProfile, Material]:
        held = await store.read(tx, person)
        silent = await everyone.blocked(tx)
        facts = [fact for fact in held.facts if person not in silent and fact.said_by not in silent]
        rows = await tx.all(queries.took_part, person=person, day=day, limit=consolidate.MOST_NOTES)
        notes = [
            SourceNote(
                id=row["id"],
                channel=row["channel"],
                first_seq=row["first_seq"],
                last_seq=row["last_seq"],
                day=row["day"],
                title=row["title"],
                text=row["text"],
            )
            for row in rows
        ]
        names = await everyone.names_of(tx, [person, *(fact.said_by for fact in facts if fact.said_by)])
        names |= await distinct_names(tx, {fact.said_by for fact in facts if fact.said_by}, names)
        channels = {fact.channel for fact in facts} | {note.channel for note in notes}
        audiences = await self._hearing.audiences(tx, channels - {""})
        return held, consolidate.material(person, facts, notes, names, {**audiences, "": ""})

    async def _keep(
        self,
        tx: Transaction,
        was: StoredProfile,
        seen: Material,
        answered: WriterAnswer[ConsolidationPlan],
        found: Sequence[ProfileFact],
    ) -> int:
        """On the profile as it is now: what a person or a note changed meanwhile is left. Says up to which change it is consolidated."""
        held = await store.hold(tx, seen.person)
        now = self._clock()
        gone = await history.deleted(tx, would_be(held.facts, answered.value, tx.space))
        terms = Terms(
            space=tx.space,
            writer=answered.writer,
            now=now,
            found=tuple(await _wanted(tx, seen.person, await _still_noted(tx, found))),
            gone=frozenset(gone),
        )
        after = carry_out(held.facts, answered.value, seen, terms, held.begun)
        await store.save(tx, held, after, answered.writer, now)
        return (await store.read(tx, seen.person)).seen if held.seen == was.seen else was.seen


def _ask(seen: Material) -> WriterQuestion[ConsolidationPlan]:
    async def draft(_writer: Writer) -> ConsolidationPlan:
        return consolidate.extractive(seen)

    return WriterQuestion(
        prompt=load(__package__, "consolidate"),
        text=consolidate.show(seen),
        read=lambda answer: consolidate.read(answer, seen),
        draft=draft,
        schema=consolidate.schema(),
        cache_key="consolidate",
        room=_TOKENS_A_FACT * len(seen.facts),
    )


async def _wanted(tx: Transaction, person: str, new: Sequence[ProfileFact]) -> list[ProfileFact]:
    """Not what people deleted, nor what was said before they deleted all of it."""
    gone = await history.deleted(tx, [fact.id for fact in new])
    until = await store.deleted_until(tx, person)
    return [fact for fact in new if fact.id not in gone and (until is None or fact.at > until)]


async def _still_noted(tx: Transaction, found: Sequence[ProfileFact]) -> list[ProfileFact]:
    """Not what was read in a note that was deleted meanwhile."""
    return [fact for fact in found if any(row["text"] for row in await store.notes_of(tx, fact))]


async def _ground(tx: Transaction, fact: ProfileFact, without: str) -> Ground | None:
    """The next of its notes, and what its author said there that is closest to it."""
    note = next((row for row in await store.notes_of(tx, fact) if row["id"] != without), None)
    if note is None:
        return None
    author = fact.said_by or fact.person
    messages = await log_store.between(tx, note["channel"], note["first_seq"], note["last_seq"])
    leans = attribute.closest(fact.text, [each for each in messages if each.person == author])
    if leans is None:
        return Ground(note["id"], note["channel"], None, moment(note["from_at"]))
    return Ground(note["id"], note["channel"], leans.seq, leans.at)


async def _out_of_notes(
    tx: Transaction, seen: Material, answered: WriterAnswer[ConsolidationPlan]
) -> list[ProfileFact]:
    """The new facts that the night's reading took from notes, each with the message and the person it comes from."""
    notes = {note.id: note for note in seen.notes}
    silent = await everyone.blocked(tx)
    names = [*seen.names, *seen.names.values()]
    found = []
    for wanted in answered.value.merged:
        for note in [notes[id] for id in wanted.notes]:
            messages = await log_store.between(tx, note.channel, note.first_seq, note.last_seq)
            said = [message for message in messages if message.person not in silent]
            whose = (tx.space, seen.person, answered.writer)
            fact = statements.out_of_note(whose, wanted, note, said, names)
            if fact is not None:
                found.append(fact)
                break
    return found


async def _consolidated(tx: Transaction, person: str, upto: int) -> None:
    await tx.run(queries.consolidated, person=person, seen=upto)
