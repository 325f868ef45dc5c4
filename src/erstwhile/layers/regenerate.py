"""Making one range again because someone asked: all of it is replaced in one transaction, or nothing.

A worker may be busy with the same range. Its job is closed in that transaction, so that its result, older than ours, is refused; and a meta
that is just being made from what was there before starts over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from erstwhile.base.clock import Clock
from erstwhile.base.errors import Error, InvalidInput, ModelError, NotFound, StorageBusy
from erstwhile.erasures import store as erasures
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.layers.facts import store as facts
from erstwhile.layers.facts.model import Reading
from erstwhile.layers.facts.steps import EXTRACT, Facts
from erstwhile.layers.replaced import Regenerated as Regenerated
from erstwhile.layers.replaced import Replacing
from erstwhile.layers.structured import store as structured
from erstwhile.layers.structured.model import Reading as Noted
from erstwhile.layers.structured.steps import STRUCTURE, StructuredMemories
from erstwhile.layers.summaries import store as chunks
from erstwhile.layers.summaries.model import Chunk, Range, Summary
from erstwhile.layers.summaries.steps import CONDENSE, SUMMARISE, Chunks
from erstwhile.log import append
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.storage import Database, Transaction, Unit

WHAT: Final = ("chunk", "facts", "structured", "meta", "embeddings")
_TRIES: Final = 5  # of a meta whose parts change while it is being written
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    channel: str
    first: int
    last: int
    what: str
    overwrite: bool = False


class Regenerate:
    def __init__(self, database: Database, rooms: tuple[Chunks, Facts, StructuredMemories], clock: Clock) -> None:
        self._database = database
        self._chunks, self._facts, self._structured = rooms
        self._clock = clock

    async def regenerate(self, space: str, wanted: Wanted) -> Regenerated:
        if wanted.what not in WHAT:
            raise InvalidInput(f"Unknown {wanted.what!r}. What can be regenerated: {', '.join(WHAT)}.")
        check_range(wanted)
        chunk = await self._database.read(space, lambda tx: find(tx, wanted))
        await self._database.read(space, lambda tx: refuse_what_expired(tx, wanted))
        make = dict(zip(WHAT, (self._chunk, self._read, self._note, self._meta, self._index), strict=True))
        job = Replacing(wanted.channel, wanted.overwrite)
        replaced, kept = await make[wanted.what](space, chunk, job)
        undo = job.undo if wanted.what != "embeddings" and (replaced or job.gone) else ""
        return Regenerated(wanted.what, wanted.first, wanted.last, tuple(replaced), tuple(kept), job.gone, undo)

    async def realign(self, space: str, channel: str) -> int:
        """Makes every stale meta again, lowest level first, so that each is made from what is now below it."""
        done = 0
        while stale := await self._database.read(space, lambda tx: chunks.stale(tx, channel)):
            replaced, _ = await self._meta(space, stale[0], Replacing(channel))
            done += len(replaced)
        return done

    # Each gives the ids replaced and the ids kept.

    async def _chunk(self, space: str, chunk: Chunk, job: Replacing) -> tuple[list[str], list[str]]:
        """Summary, facts and structured memories, all from the messages, at the same time."""
        range = chunk.range
        erased = await self._database.read(space, erasures.number)
        wanted = await self._database.read(space, self._structured.wanted)
        (summary, failed), (reading, failed_too), (noted, failed_as_well) = await asyncio.gather(
            # no call is spent on what will be kept
            self._chunks.summary(space, range) if job.overwrite or not chunk.edited else _nothing(),
            self._facts.read(space, range),
            self._structured.read(space, range) if wanted else _nothing(),
        )
        _refuse(failed or failed_too or failed_as_well, range)

        async def unit(tx: Transaction) -> tuple[list[str], list[str]]:
            job.begin()
            changed = summary is not None and await self._replace_summary(tx, range, summary, job)
            replaced, kept = await self._replace_facts(tx, range, reading, job)
            if noted is not None:
                more, kept_too = await self._replace_structured(tx, range, noted, job)
                replaced, kept = replaced + more, kept + kept_too
            replaced, kept = ([chunk.id, *replaced], kept) if changed else (replaced, [chunk.id, *kept])
            await job.keep(tx, replaced, kept)
            return replaced, kept

        return await self._database.write(space, _unless_erased(unit, erased, range))

    async def _read(self, space: str, chunk: Chunk, job: Replacing) -> tuple[list[str], list[str]]:
        range = chunk.range
        erased = await self._database.read(space, erasures.number)
        reading, failed = await self._facts.read(space, range)
        _refuse(failed, range)

        async def unit(tx: Transaction) -> tuple[list[str], list[str]]:
            job.begin()
            replaced, kept = await self._replace_facts(tx, range, reading, job)
            await job.keep(tx, replaced, kept)
            return replaced, kept

        return await self._database.write(space, _unless_erased(unit, erased, range))

    async def _note(self, space: str, chunk: Chunk, job: Replacing) -> tuple[list[str], list[str]]:
        range = chunk.range
        erased = await self._database.read(space, erasures.number)
        noted, failed = await self._structured.read(space, range)
        _refuse(failed, range)

        async def unit(tx: Transaction) -> tuple[list[str], list[str]]:
            job.begin()
            replaced, kept = await self._replace_structured(tx, range, noted, job)
            await job.keep(tx, replaced, kept)
            return replaced, kept

        return await self._database.write(space, _unless_erased(unit, erased, range))

    async def _meta(self, space: str, meta: Chunk, job: Replacing) -> tuple[list[str], list[str]]:
        if meta.edited and not job.overwrite:
            return [], [meta.id]
        for _ in range(_TRIES):
            summary, failed = await self._chunks.meta(space, meta.range)
            _refuse(failed, meta.range)
            changed = await self._database.write(
                space,
                lambda tx: self._replace_meta(tx, meta.range, summary, job),  # noqa: B023
            )
            if changed is not None:
                return ([meta.id], []) if changed else ([], [meta.id])
        raise StorageBusy(f"What is below {meta.range.first}–{meta.range.last} keeps changing. Try again in a moment.")

    async def _index(self, space: str, chunk: Chunk, _job: Replacing) -> tuple[list[str], list[str]]:
        """The search documents of a range: its messages, its summary, its facts and structured memories. They are also what
        vectors will be made of."""
        range = chunk.range

        async def unit(tx: Transaction) -> tuple[list[str], list[str]]:
            messages = await log.between(tx, range.channel, range.first, range.last)
            await documents.remove(tx, [each.id for each in messages])
            made = [append.document(range.channel, each, append.search_terms(each)) for each in messages]
            await documents.add(tx, made)
            await chunks.hold(tx, range.channel)
            await facts.hold(tx, range.channel, range.first, range.last)
            summed_up = list((await memories.by_ids(tx, [chunk.id])).values())
            found = [*summed_up, *await memories.in_place(tx, facts.place_of(range))]
            await memories.index(tx, found)
            await structured.hold_range(tx, range.channel, range.first, range.last)
            noted = await memories.in_place(tx, structured.place_of(range))
            await memories.index(tx, noted)
            made_anew = (messages, found, noted)
            return [each.id for some in made_anew for each in some], []

        return await self._database.write(space, unit)

    # Writing

    async def _replace_summary(self, tx: Transaction, range: Range, summary: Summary, job: Replacing) -> bool:
        now = self._clock()
        await chunks.hold(tx, range.channel)
        await jobs.mark_done(tx, CONDENSE if range.level else SUMMARISE, range.key, now)
        await job.memory(tx, self._chunks, range.id(tx.space))
        changed = await chunks.replace(tx, range, summary, now, overwrite=job.overwrite)
        if changed:
            await self._chunks.disturb_above(tx, range.id(tx.space))
        await self._chunks.form_groups(tx, range.channel, range.level, now)
        return changed

    async def _replace_facts(
        self, tx: Transaction, range: Range, reading: Reading, job: Replacing
    ) -> tuple[list[str], list[str]]:
        now = self._clock()
        await jobs.mark_done(tx, EXTRACT, range.key, now)
        await facts.hold(tx, range.channel, range.first, range.last)
        await job.memories(tx, self._facts, facts.place_of(range))
        await self._facts.replace(tx, reading, now, overwrite=job.overwrite)
        there = await facts.of_range(tx, range.channel, range.first, range.last)
        replaced = [fact.id for fact in there if fact.edited_by is None]
        return replaced, [fact.id for fact in there if fact.edited_by is not None]

    async def _replace_structured(
        self, tx: Transaction, range: Range, noted: Noted, job: Replacing
    ) -> tuple[list[str], list[str]]:
        now = self._clock()
        await jobs.mark_done(tx, STRUCTURE, range.key, now)
        await structured.hold_range(tx, range.channel, range.first, range.last)
        await job.memories(tx, self._structured, structured.place_of(range))
        await self._structured.replace(tx, noted, now, overwrite=job.overwrite)
        there = await structured.of_range(tx, range.channel, range.first, range.last)
        replaced = [each.id for each in there if each.edited_by is None]
        return replaced, [each.id for each in there if each.edited_by is not None]

    async def _replace_meta(self, tx: Transaction, range: Range, summary: Summary, job: Replacing) -> bool | None:
        """None when what it was made from is no longer what is there."""
        await chunks.hold(tx, range.channel)
        parts = await chunks.children(tx, range.id(tx.space))
        if [(part.id, part.text) for part in parts] != [(part.id, part.text) for part in summary.parts]:
            return None
        job.begin()
        changed = await self._replace_summary(tx, range, summary, job)
        id = range.id(tx.space)
        await job.keep(tx, [id] if changed else [], [] if changed else [id])
        return changed


def _unless_erased(unit: Unit[T], erased: int, range: Range) -> Unit[T]:
    """What a model made of words that were erased meanwhile is not kept."""

    async def guarded(tx: Transaction) -> T:
        await erasures.refuse_if_erased(tx, erased, erasures.within(range.channel, range.first, range.last))
        return await unit(tx)

    return guarded


async def _nothing() -> tuple[None, None]:
    """Where there is nothing to write."""
    return None, None


def _refuse(failure: Error | None, range: Range) -> None:
    if isinstance(failure, ModelError):
        raise ModelError(
            f"{range.first}–{range.last} of {range.channel!r} stays as it was: {failure} "
            "`erstwhile doctor` says what is wrong; then regenerate it again."
        ) from failure
    if failure is not None:
        raise failure


def check_range(wanted: Wanted) -> None:
    if not 1 <= wanted.first <= wanted.last < 2**53:
        raise InvalidInput(f"{wanted.first}–{wanted.last} is no range. Give its first and last message.")


async def refuse_what_expired(tx: Transaction, wanted: Wanted) -> None:
    """What is made of the messages themselves would be made of less than it is now."""
    if wanted.what in ("meta", "embeddings"):
        return
    gone = await log.missing(tx, wanted.channel, wanted.first, wanted.last)
    if gone:
        many = wanted.last - wanted.first + 1
        raise NotFound(
            f"{gone} of the {many} messages {wanted.first}–{wanted.last} of {wanted.channel!r} have expired (ERSTWHILE_RETENTION), "
            "or were erased. What was made of them can't be made again; it stays as it is, and can be edited by hand."
        )


async def find(tx: Transaction, wanted: Wanted) -> Chunk:
    level = None if wanted.what == "meta" else 0
    there = await chunks.ranges(tx, wanted.channel, level)
    if wanted.what == "embeddings":
        there += await chunks.ranges(tx, wanted.channel, None)
    for chunk in there:
        if (chunk.range.first, chunk.range.last) == (wanted.first, wanted.last):
            return chunk
    raise NotFound(_nearest(wanted, there))


def _nearest(wanted: Wanted, there: Sequence[Chunk]) -> str:
    kind = "meta" if wanted.what == "meta" else "chunk"
    if not there:
        return f"{wanted.channel!r} has no {kind} yet. `erstwhile settle` makes what is due."
    near = sorted(there, key=lambda each: abs(each.range.first - wanted.first) + abs(each.range.last - wanted.last))[:3]
    named = ", ".join(f"{each.first}–{each.last}" for each in sorted((chunk.range for chunk in near), key=_place))
    return f"{wanted.channel!r} has no {kind} {wanted.first}–{wanted.last}. Near it there are {named}."


def _place(range: Range) -> tuple[int, int]:
    return range.first, range.last
