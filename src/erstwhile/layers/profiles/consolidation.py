"""The job that consolidates a profile: read it, ask a writer for a plan, apply the plan."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from typing import Final

from erstwhile.base import crash
from erstwhile.base.logs import Log
from erstwhile.jobs.model import Job, Outcome
from erstwhile.layers import threads
from erstwhile.layers.contract import LayerParts
from erstwhile.layers.notes import store as notes
from erstwhile.layers.profiles import consolidate, merge, statements, store
from erstwhile.layers.profiles.carry_out import Terms, carry_out, would_be
from erstwhile.layers.profiles.consolidate import ConsolidationPlan, Material
from erstwhile.layers.profiles.model import ProfileFact, notes_of
from erstwhile.layers.profiles.store import StoredProfile, queries
from erstwhile.log import people
from erstwhile.log import store as log_store
from erstwhile.memories import history
from erstwhile.storage import Transaction
from erstwhile.writers.port import Halves, Writer, WriterAnswer, WriterQuestion
from erstwhile.writers.prompt import load

log = Log(__name__)

CONSOLIDATE: Final = "profiles.consolidate"
_TOKENS_A_FACT: Final = 60


class Consolidation:
    def __init__(self, parts: LayerParts) -> None:
        self._database, self._writers = parts.database, parts.writers
        self._clock, self._visibility = parts.clock, parts.visibility

    async def step(self, job: Job) -> Outcome:
        person, day = str(job.payload["person"]), str(job.payload["day"])
        held, seen = await self._database.read(
            job.space, lambda tx: self._material(tx, person, day)
        )
        if not alike(seen):  # no call where there is nothing to merge
            return Outcome(lambda tx: _consolidated(tx, person, held.seen))
        writers = await self._writers.for_space(job.space)
        answered, failure = await writers.answer(_ask(seen))
        found = await self._database.read(job.space, lambda tx: _out_of_notes(tx, seen, answered))

        async def effects(tx: Transaction) -> None:
            upto = await self._keep(tx, held, seen, answered, found)
            if not answered.draft:
                await _consolidated(tx, person, upto)
            crash.point("profiles.after_consolidation")
            plan = answered.value
            made = {"merged": len(plan.merged), "dropped": len(plan.dropped)}
            log.info("profiles.consolidated", facts=len(seen.facts), **made, draft=answered.draft)

        return Outcome(effects, failure)

    async def _material(
        self, tx: Transaction, person: str, day: str
    ) -> tuple[StoredProfile, Material]:
        held = await store.read(tx, person)
        blocked = await people.blocked(tx)
        facts = [
            fact for fact in held.facts if person not in blocked and fact.said_by not in blocked
        ]
        read = await notes.of_day(tx, person, day, consolidate.MOST_NOTES)
        speakers = (fact.said_by for fact in facts if fact.said_by)
        names = await people.labels_of(tx, [person, *speakers])
        channels = {fact.channel for fact in facts} | {note.channel for note in read}
        audiences = await self._visibility.audiences(tx, channels - {""})
        return held, consolidate.material(person, facts, read, names, audiences)

    async def _keep(
        self,
        tx: Transaction,
        was: StoredProfile,
        seen: Material,
        answered: WriterAnswer[ConsolidationPlan],
        found: Sequence[ProfileFact],
    ) -> int:
        """Apply the plan to the profile as it is now; what changed meanwhile is skipped. Return the
        time of the last change that is consolidated."""
        held = await store.hold(tx, seen.person)
        now = self._clock()
        gone = await history.deleted(tx, would_be(held.facts, answered.value, tx.space))
        noted = await notes_of(tx, found)  # a note may have been deleted meanwhile
        there = [fact for fact in found if any(note.text for note in noted[fact.id])]
        new = tuple(await wanted(tx, seen.person, there))
        terms = Terms(tx.space, answered.writer, now, found=new, gone=frozenset(gone))
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
        schema=consolidate.schema(seen),
        cache_key="consolidate",
        room=_TOKENS_A_FACT * len(seen.facts),
        check=lambda plan: consolidate.borne(plan, seen),
        halves=lambda: _halves(seen),
    )


def _halves(seen: Material) -> Halves[WriterQuestion[ConsolidationPlan], ConsolidationPlan] | None:
    divided = consolidate.divided(seen)
    if divided is None:
        return None
    first, rest = divided

    def joined(one: ConsolidationPlan, other: ConsolidationPlan) -> ConsolidationPlan:
        return ConsolidationPlan((*one.merged, *other.merged), (*one.dropped, *other.dropped))

    return Halves(_ask(first), lambda _: _ask(rest), joined)


async def wanted(tx: Transaction, person: str, new: Sequence[ProfileFact]) -> list[ProfileFact]:
    """Skip facts that people deleted, and those said before they deleted the whole profile."""
    gone = await history.deleted(tx, [fact.id for fact in new])
    until = await store.deleted_until(tx, person)
    return [fact for fact in new if fact.id not in gone and (until is None or fact.at > until)]


async def _out_of_notes(
    tx: Transaction, seen: Material, answered: WriterAnswer[ConsolidationPlan]
) -> list[ProfileFact]:
    """Return the new facts that the model found in notes, each with its message and speaker."""
    by_id = {note.id: note for note in seen.notes}
    blocked = await people.blocked(tx)
    names = [*seen.names, *seen.names.values()]
    found = []
    for merged in answered.value.merged:
        for note in [by_id[id] for id in merged.notes]:
            messages = await log_store.between(tx, note.channel, note.first_seq, note.last_seq)
            said = [message for message in messages if message.person not in blocked]
            whose = (tx.space, seen.person, answered.writer)
            fact = statements.out_of_note(whose, merged, note, said, names)
            if fact is not None:
                found.append(fact)
                break
    return found


async def _consolidated(tx: Transaction, person: str, upto: int) -> None:
    await tx.run(queries.consolidated, person=person, seen=upto)


# The share of the shorter fact's weight that two facts have in common, as for facts of several
# channels (`facts/links.py`): rare words count more.
_ENOUGH: Final = 0.45


def alike(seen: Material) -> bool:
    """Return whether two facts may say the same or contradict each other. Notes alone are no
    reason: what they state about people became facts when they were written."""
    name = frozenset(merge.words(seen.names.get(seen.person, seen.person)))
    words = {fact.id: frozenset(merge.words(fact.text)) - name for fact in seen.facts}
    held = Counter(chain.from_iterable(words.values()))

    def weight(of: Iterable[str]) -> float:
        return sum(math.log(1 + len(words) / held[word]) for word in of)

    def similar(one: ProfileFact, other: ProfileFact) -> bool:
        least = min(weight(words[one.id]), weight(words[other.id]))
        return least > 0 and weight(words[one.id] & words[other.id]) >= _ENOUGH * least

    def mergeable(one: ProfileFact, other: ProfileFact) -> bool:
        """Return whether one could be put into the other, or ended by it."""
        places = {seen.audience(one), seen.audience(other)} - {""}
        return one.said_by == other.said_by and not (one.fixed and other.fixed) and len(places) < 2

    for one, other in combinations(seen.facts, 2):
        same_slot = one.slot and one.slot == other.slot and one.slot not in threads.TASTES
        if mergeable(one, other) and (same_slot or similar(one, other)):
            return True
    return False
