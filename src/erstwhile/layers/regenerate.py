"""Regenerate the memories of one range, all in one transaction, and undo it.

A worker may be busy with the same range. That transaction closes its job, so that its older result
is refused; a meta that is being made from the old summaries starts over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any, Final

from erstwhile.base import ids
from erstwhile.base.clock import Clock
from erstwhile.base.errors import (
    ConflictError,
    Error,
    InvalidInput,
    ModelError,
    NotFound,
    StorageBusy,
)
from erstwhile.base.records import dataclass
from erstwhile.jobs import store as jobs
from erstwhile.layers import READERS, Layers
from erstwhile.layers.summaries import store as chunks
from erstwhile.layers.summaries.model import Chunk, ChunkReading, NewSummary, Range
from erstwhile.layers.summaries.reader import ChunkReader
from erstwhile.layers.summaries.steps import CONDENSE, SUMMARISE
from erstwhile.log import append
from erstwhile.log import store as log
from erstwhile.log.reindex import replace_documents
from erstwhile.memories import history
from erstwhile.memories import store as memories
from erstwhile.memories.history import DELETED, REPLACED, RESTORED, VersionEntry
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.model import from_row, to_row
from erstwhile.memories.store import SourceRange
from erstwhile.receipts import store as receipts
from erstwhile.storage import Database, Transaction

WHAT: Final = ("chunk", *READERS, "meta", "embeddings")
_TRIES: Final = 5  # for a meta whose parts change while it is written
Ids = tuple[list[str], list[str]]  # of what was replaced, and of what was kept


@dataclass(frozen=True, slots=True)
class RegenerateRange:
    channel: str
    first: int
    last: int
    what: str
    overwrite: bool = False


class Regenerate:
    def __init__(self, database: Database, layers: Layers, clock: Clock) -> None:
        self._database = database
        self._chunks, self._readers = layers.chunks, layers.readers
        self._clock = clock

    async def regenerate(self, space: str, wanted: RegenerateRange) -> RegenerateResult:
        if wanted.what not in WHAT:
            raise InvalidInput(
                f"Unknown {wanted.what!r}. What can be regenerated: {', '.join(WHAT)}."
            )
        check_range(wanted)
        chunk = await self._database.read(space, lambda tx: find(tx, wanted))
        await self._database.read(space, lambda tx: check_complete(tx, wanted))
        make: dict[str, Callable[[str, Chunk, RegenerationRecord], Awaitable[Ids]]] = {
            "chunk": partial(self._remake, readers=()),
            **{name: partial(self._remake, readers=[each]) for name, each in self._readers.items()},
            "meta": self._meta,
            "embeddings": self._index,
        }
        job = RegenerationRecord(wanted.channel, wanted.overwrite)
        replaced, kept = await make[wanted.what](space, chunk, job)
        undo = job.undo if wanted.what != "embeddings" and (replaced or job.gone) else ""
        place = wanted.what, wanted.first, wanted.last
        return RegenerateResult(*place, tuple(replaced), tuple(kept), job.gone, undo)

    async def realign(self, space: str, channel: str) -> int:
        """Regenerate every stale meta, lowest level first, so that each is made from current parts."""
        done = 0
        while stale := await self._database.read(space, lambda tx: chunks.stale(tx, channel)):
            replaced, _ = await self._meta(space, stale[0], RegenerationRecord(channel))
            done += len(replaced)
        return done

    async def _remake(
        self, space: str, chunk: Chunk, job: RegenerationRecord, readers: Sequence[ChunkReader]
    ) -> Ids:
        """Make what these readers make; without any, the summary and what all of them make."""
        range, whole = chunk.range, not readers
        erased = await self._database.read(space, receipts.number)
        if whole:
            readers = [
                each
                for each in self._readers.values()
                if await self._database.read(space, each.wanted)
            ]
        # no call for what will be kept
        summarised = whole and (job.overwrite or not chunk.edited)
        (summary, failed), read = await asyncio.gather(
            self._chunks.summary(space, range) if summarised else _nothing(),
            asyncio.gather(*(reader.read(space, range) for reader in readers)),
        )
        _refuse(next(filter(None, (failed, *(failure for _, failure in read))), None), range)

        async def unit(tx: Transaction) -> Ids:
            await receipts.refuse_if_erased(
                tx, erased, receipts.within(range.channel, range.first, range.last)
            )
            job.begin()
            changed = summary is not None and await self._replace_summary(tx, range, summary, job)
            replaced = [chunk.id] if changed else []
            kept = [chunk.id] if whole and not changed else []
            for reader, (reading, _) in zip(readers, read, strict=True):
                more = await self._replace_reading(tx, reader, range, reading, job)
                replaced, kept = replaced + more[0], kept + more[1]
            await job.keep(tx, replaced, kept)
            return replaced, kept

        return await self._database.write(space, unit)

    async def _meta(self, space: str, meta: Chunk, job: RegenerationRecord) -> Ids:
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
        place = f"{meta.range.first}–{meta.range.last}"
        raise StorageBusy(f"The summaries under {place} keep changing. Try again in a moment.")

    async def _index(self, space: str, chunk: Chunk, _job: RegenerationRecord) -> Ids:
        """Write the search documents of a range again, and so its vectors. They are those of its
        messages, its summary and what the readers made from it."""
        range = chunk.range

        async def unit(tx: Transaction) -> Ids:
            messages = await log.between(tx, range.channel, range.first, range.last)
            await replace_documents(tx, append.search_documents(messages))
            await chunks.hold(tx, range.channel)
            found = list((await memories.by_ids(tx, [chunk.id])).values())
            for reader in self._readers.values():
                await reader.hold_range(tx, range)
                found += await memories.in_place(tx, reader.place_of(range))
            await memories.index(tx, found)
            return [*(each.id for each in messages), *(each.id for each in found)], []

        return await self._database.write(space, unit)

    # Writing

    async def _replace_summary(
        self, tx: Transaction, range: Range, summary: NewSummary, job: RegenerationRecord
    ) -> bool:
        now = self._clock()
        await chunks.hold(tx, range.channel)
        await jobs.mark_done(tx, CONDENSE if range.level else SUMMARISE, range.key, now)
        await job.memory(tx, self._chunks, range.id(tx.space))
        changed = await chunks.replace(tx, range, summary, now, overwrite=job.overwrite)
        if changed:
            await self._chunks.disturb_above(tx, range.id(tx.space))
        await self._chunks.form_groups(tx, range.channel, range.level, now)
        return changed

    async def _replace_reading(
        self,
        tx: Transaction,
        reader: ChunkReader,
        range: Range,
        reading: ChunkReading,
        job: RegenerationRecord,
    ) -> Ids:
        now = self._clock()
        await jobs.mark_done(tx, reader.job, range.key, now)
        await reader.hold_range(tx, range)
        await job.memories(tx, reader, reader.place_of(range))
        await reader.replace(tx, reading, now, overwrite=job.overwrite)
        there = await memories.in_place(tx, reader.place_of(range))
        replaced = [each.id for each in there if each.edited_by is None]
        return replaced, [each.id for each in there if each.edited_by is not None]

    async def _replace_meta(
        self, tx: Transaction, range: Range, summary: NewSummary, job: RegenerationRecord
    ) -> bool | None:
        """Replace a meta. Return None if its parts have changed meanwhile."""
        await chunks.hold(tx, range.channel)
        parts = await chunks.children(tx, range.id(tx.space))
        if [(each.id, each.text) for each in parts] != [
            (each.id, each.text) for each in summary.parts
        ]:
            return None
        job.begin()
        changed = await self._replace_summary(tx, range, summary, job)
        id = range.id(tx.space)
        await job.keep(tx, [id] if changed else [], [] if changed else [id])
        return changed


async def _nothing() -> tuple[None, None]:
    return None, None


def _refuse(failure: Error | None, range: Range) -> None:
    if isinstance(failure, ModelError):
        raise ModelError(
            f"{range.first}–{range.last} of {range.channel!r} stays as it was: {failure} "
            "`erstwhile doctor` says what is wrong; then regenerate it again."
        ) from failure
    if failure is not None:
        raise failure


def check_range(wanted: RegenerateRange) -> None:
    if not 1 <= wanted.first <= wanted.last < 2**53:
        raise InvalidInput(
            f"{wanted.first}–{wanted.last} is not a range. Name its first and last message, from 1 on."
        )


async def check_complete(tx: Transaction, wanted: RegenerateRange) -> None:
    """Refuse a range with missing messages: its new memories would say less than the old ones."""
    if wanted.what in ("meta", "embeddings"):
        return
    gone = await log.missing(tx, wanted.channel, wanted.first, wanted.last)
    if gone:
        many = wanted.last - wanted.first + 1
        raise NotFound(
            f"{gone} of the {many} messages {wanted.first}–{wanted.last} of {wanted.channel!r}"
            " have expired (ERSTWHILE_RETENTION), or were erased. Their memories can't be made again;"
            " they stay as they are, and can be edited by hand."
        )


async def find(tx: Transaction, wanted: RegenerateRange) -> Chunk:
    level = None if wanted.what == "meta" else 0
    there = await chunks.ranges(tx, wanted.channel, level)
    if wanted.what == "embeddings":
        there += await chunks.ranges(tx, wanted.channel, None)
    for chunk in there:
        if (chunk.range.first, chunk.range.last) == (wanted.first, wanted.last):
            return chunk
    raise NotFound(_nearest(wanted, there))


def _nearest(wanted: RegenerateRange, there: Sequence[Chunk]) -> str:
    kind = "meta" if wanted.what == "meta" else "chunk"
    if not there:
        return f"{wanted.channel!r} has no {kind} yet. `erstwhile settle` makes what is due."

    def distance(place: tuple[int, int]) -> int:
        return abs(place[0] - wanted.first) + abs(place[1] - wanted.last)

    places = [(each.range.first, each.range.last) for each in there]
    near = sorted(sorted(places, key=distance)[:3])
    named = ", ".join(f"{first}–{last}" for first, last in near)
    return (
        f"{wanted.channel!r} has no {kind} {wanted.first}–{wanted.last}. Near it there are {named}."
    )


@dataclass(frozen=True, slots=True)
class RegenerateResult:
    """What a regeneration did, by ids. `replaced`: made again; `kept`: edited by people, and left;
    `gone`: there before, and not any more. `undo` identifies it for `Undo`; "" if there is nothing
    to undo."""

    what: str
    first: int
    last: int
    replaced: tuple[str, ...]
    kept: tuple[str, ...]
    gone: tuple[str, ...] = ()
    undo: str = ""


@dataclass
class RegenerationRecord:
    """One regeneration. It reads the old memories in the transaction that replaces them."""

    channel: str
    overwrite: bool = False
    undo: str = field(default_factory=lambda: ids.new("req"))
    gone: tuple[str, ...] = ()
    _before: dict[str, dict[str, Any]] = field(default_factory=dict)

    def begin(self) -> None:
        """Start over: a transaction may be tried more than once."""
        self._before, self.gone = {}, ()

    async def memory(self, tx: Transaction, owner: Hooks, id: str) -> None:
        """Remember one memory, also if a person deleted it."""
        memory = await memories.get(tx, id, deleted=True)
        if memory is not None:
            self._before[id] = {"row": to_row(memory), "beside": await owner.beside(tx, memory)}

    async def memories(self, tx: Transaction, owner: Hooks, place: SourceRange) -> None:
        """Remember the memories of a range."""
        for memory in await memories.in_place(tx, place):
            await self.memory(tx, owner, memory.id)

    async def keep(self, tx: Transaction, made: Sequence[str], left: Sequence[str]) -> None:
        """Store the old memories after they were replaced by `made`; `left` were not replaced."""
        all = {*made, *self._before} - {*left}
        mark = _mark(self.undo, self.channel, len(all))
        for id in all:
            await history.keep(tx, id, {**self._before.get(id, {}), "undo": mark})
        self.gone = tuple(id for id in self._before if id not in {*made, *left})


class Undo:
    def __init__(self, owners: Mapping[str, Hooks], clock: Clock) -> None:
        self._owners = owners
        self._clock = clock

    async def undo(self, tx: Transaction, channel: str, made: RegenerateResult, by: str) -> int:
        """Undo a regeneration completely. Refuse if anything was changed since. The caller's `made`
        is checked: it must be this regeneration, all of it, in this channel."""
        now = self._clock()
        named = dict.fromkeys([*made.replaced, *made.gone])
        kept = {id: await history.kept(tx, id) for id in named}
        if not made.undo or not kept:
            raise InvalidInput("There is nothing to undo: nothing was replaced.")
        mark = _mark(made.undo, channel, len(kept))
        if any(each.get("undo") != mark for each in kept.values()):
            raise ConflictError(
                "It can't be undone: a memory has been changed since. `history` shows its versions."
            )
        for kind, owner in self._owners.items():
            of_kind = {id: each for id, each in kept.items() if ids.kind_of(id) == kind}
            await _undo(tx, owner, of_kind)
        back = {id: each["row"] for id, each in kept.items() if "row" in each}
        was_deleted = {id: row.get("deleted_at") is not None for id, row in back.items()}
        actions = {id: DELETED if gone else RESTORED for id, gone in was_deleted.items()}
        changes = [VersionEntry(id, row["text"], by, actions[id]) for id, row in back.items()]
        for id in sorted(kept.keys() - back.keys()):
            text = (await history.versions(tx, id))[-1].text
            changes.append(VersionEntry(id, text, by, REPLACED))
        await history.record(tx, changes, now)
        return len(back)


async def _undo(tx: Transaction, owner: Hooks, kept: Mapping[str, Mapping[str, Any]]) -> None:
    back = {id: from_row(each["row"]) for id, each in kept.items() if "row" in each}
    there = await memories.by_ids(tx, list(kept))
    for memory in (*there.values(), *back.values()):
        await owner.hold(tx, memory)
    await memories.drop(tx, list(there), owner)
    await memories.save(tx, list(back.values()))
    await memories.index(tx, [each for each in back.values() if each.deleted_at is None])
    for id, memory in back.items():
        await owner.put_back(tx, memory, kept[id]["beside"])


def _mark(undo: str, channel: str, many: int) -> list[Any]:
    return [undo, channel, many]
