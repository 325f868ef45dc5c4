"""The layer: remember and forget. A telling is on disk and visible before a model is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from erstwhile.base import trust
from erstwhile.base.clock import micros
from erstwhile.base.errors import ConflictError, Error, InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.contract import Layer, Remake
from erstwhile.layers.remembered import lines, merge, removal, store, writing
from erstwhile.layers.remembered.merge import MergeResult
from erstwhile.layers.remembered.model import (
    FORGET,
    PLAIN,
    REMEMBER,
    TOLD,
    ForgetResult,
    RememberRequest,
    ToldText,
)
from erstwhile.layers.remembered.names import PersonNames, known_here, name_tellers, without_blocked
from erstwhile.layers.remembered.store import HAND, StoredText, TextOwner, TextUpdate, queries
from erstwhile.layers.remembered.writing import Numbered
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.memories.kinds import Kind, Texts
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction, column, value
from erstwhile.tables.model import Subject, Table
from erstwhile.text import suspect
from erstwhile.writers.writers import Writers

if TYPE_CHECKING:
    from erstwhile.layers.retention.steps import Run

MERGE: Final = "told.merge"
LONGEST: Final = 16_000  # characters of one text

# The caller waits for the model. The job, due after this time, is for callers that crashed.
_GRACE: Final = timedelta(minutes=2)
_ATTEMPTS: Final = 4  # while others change the same text
_BATCHES: Final = 8  # of tellings, in one job

# Data of a deleted text: how far it had come, and its last telling.
_PROGRESS, _LAST = "progress", "last_telling"

Forgets = dict[int, tuple[bool, tuple[str, ...]]]  # by number: whether it was found, and what went


async def _shown(tx: Transaction, memories: Sequence[StoredMemory]) -> Texts:
    """Return the texts without quotations and without what blocked people said."""
    texts = await without_blocked(tx, [each.text for each in memories])
    return {each.id: lines.unquoted(text) for each, text in zip(memories, texts, strict=True)}


KIND = kinds.register(
    Kind(
        TOLD,
        label="Told",
        plural="told",
        ranged=False,
        unsourced=trust.USER,
        shown=_shown,
        sources=lambda tx, found: store.messages_of(tx, [each.id for each in found]),
        searched=lambda memory: lines.unquoted(memory.text),
        one="remembered",
        many="remembered",
        colour=TOLD,
        page="person",
    )
)


@dataclass(frozen=True, slots=True)
class _Replay:
    """How far a model came from the text it last wrote."""

    was: StoredText
    text: str
    merged: int
    writer: str
    failure: Error | None
    forgotten: Forgets = field(default_factory=dict)


class RememberedTexts(Layer):
    name = "told"
    rebuilt = False
    kinds = (KIND,)
    tables = (
        Table("told", ("person",), ("audience",), memory=("id",)),
        Table("tellings", ("person", "said_by"), ("audience", "channel"), counted=True),
    )

    @property
    def steps(self) -> Mapping[str, Step]:
        return {MERGE: self.merge}

    async def remember(self, space: str, telling: RememberRequest) -> ToldText:
        (place,) = await self.remember_all(space, [telling])
        held = await self._database.read(space, lambda tx: store.read(tx, place))
        assert held is not None
        return held.told

    async def remember_all(
        self, space: str, tellings: Sequence[RememberRequest]
    ) -> list[TextOwner]:
        """Remember tellings in one transaction, in order. Return the texts they are in."""
        writers = await self._writers.for_space(space)
        modelled = not writers.best.draft

        async def unit(tx: Transaction) -> list[TextOwner]:
            places: list[TextOwner] = []
            for each in tellings:
                flag = suspect.flag(each.words) or suspect.flag(lines.seen(each.words))
                told = replace(each, action=REMEMBER, flag=flag, words=writers.masked(each.words))
                await _admit(tx, told, self._clock())
                audience = await self._visibility.audience(tx, told.channel, told.seq)
                place = TextOwner(told.person, audience)
                await self._take(tx, place, told, modelled=modelled)
                places.append(place)
            return list(dict.fromkeys(places))

        places = await self._database.write(space, unit)
        for place in places if modelled else ():
            await self._ask_now(space, place, writers)
        return places

    async def forget(self, space: str, telling: RememberRequest) -> ForgetResult:
        """Forget it in every text that is visible to who asks; the app itself sees all of them."""
        writers = await self._writers.for_space(space)
        asked = replace(telling, action=FORGET, flag="")
        taken: dict[TextOwner, tuple[int, MergeResult]] = {}

        async def unit(tx: Transaction) -> None:
            taken.clear()
            # Nothing to forget, and nobody is added for it.
            if not await people.is_known(tx, asked.person):
                return
            await _admit(tx, asked, self._clock())
            for place in await self._places(tx, asked):
                taken[place] = await self._take(tx, place, asked, modelled=not writers.best.draft)

        await self._database.write(space, unit)
        found = False
        removed: list[str] = []
        for place, (number, merged) in taken.items():
            there, gone = merged.changed, merged.removed
            if not writers.best.draft:
                by_model = await self._ask_now(space, place, writers)
                there, gone = by_model.get(number, (there, gone))
            found, removed = found or there, [*removed, *gone]

        async def result(tx: Transaction) -> ForgetResult:
            held = [await store.read(tx, place) for place in taken]
            left = [each.told for each in held if each is not None]
            text = "\n".join(each.text for each in left if each.text)
            draft = any(each.draft for each in left)
            unsure = dict.fromkeys(line for _, each in taken.values() for line in each.unsure)
            named = () if found else tuple(unsure)
            return ForgetResult(found, asked.person, text, "\n".join(removed), draft, named)

        return await self._database.read(space, result)

    async def known_here(
        self, tx: Transaction, ids: Iterable[str], here: str, asker: str | None
    ) -> list[str]:
        """Return those of these people whom the `asker` can know of `here`."""
        return await known_here(tx, self._visibility, ids, here, asker)

    async def _places(self, tx: Transaction, asked: RememberRequest) -> list[TextOwner]:
        home = TextOwner(asked.person, await self._visibility.audience(tx, asked.channel))
        places = [each.audience for each in await store.of_person(tx, asked.person)]
        visible = await self._visibility.visible(tx, asked.channel, places, asked.said_by)
        return [TextOwner(asked.person, each) for each in places if each in visible] or [home]

    async def _take(
        self, tx: Transaction, place: TextOwner, told: RememberRequest, *, modelled: bool
    ) -> tuple[int, MergeResult]:
        now = self._clock()
        held = await store.hold(tx, place, now)
        who = await name_tellers(tx, told.person, [told.said_by])
        merged = merge.apply(held.told.text, told, who)
        if len(merged.text) > LONGEST and len(merged.text) > len(held.told.text):
            raise InvalidInput(
                f"The text about {told.person!r} would be longer than {LONGEST:,} characters."
                " Forget something first, or edit it."
            )
        number = held.last + 1
        told = replace(told, found=merged.changed or told.action == REMEMBER)
        await store.add_telling(tx, place, number, told, now)
        cleared = told.action == FORGET and merge.everything(told.words, who.names)
        # No model is needed for a quotation, for what is there already, or for an empty text.
        settled = bool(told.flag) or cleared or (told.action == REMEMBER and not merged.changed)
        if (settled and held.merged == held.last) or (cleared and who.teller(told.said_by).own):
            new = TextUpdate(merged.text, PLAIN, False, merged.text, number)
        else:
            new = TextUpdate(merged.text, PLAIN, True, held.base, held.merged)
            if modelled:
                await self._enqueue(tx, place, now + _GRACE)
        await store.put(tx, held, new, now)
        return number, merged

    async def _enqueue(
        self, tx: Transaction, place: TextOwner, due: datetime, *, revive: bool = True
    ) -> None:
        job = NewJob(kind=MERGE, key=place.key, payload=place.row, pace="model", due=due, limit=due)
        await jobs.enqueue(tx, job, self._clock(), revive=revive)

    # Merging by a model

    async def _ask_now(self, space: str, place: TextOwner, writers: Writers) -> Forgets:
        """Let the model merge. Return what it found of what was to be forgotten."""
        found: Forgets = {}
        for _ in range(_ATTEMPTS):
            made = await self._replay(space, place, writers)
            if made is None:
                return found

            async def unit(tx: Transaction, made: _Replay = made) -> bool:
                kept, left = await self._keep(tx, made)
                if made.failure is not None:
                    await self._enqueue(tx, place, self._clock())
                elif not left:
                    await jobs.mark_done(tx, MERGE, place.key, self._clock())
                return kept

            if await self._database.write(space, unit):
                found |= made.forgotten
            if made.failure is not None:
                return found
        await self._database.write(space, lambda tx: self._enqueue(tx, place, self._clock()))
        return found

    async def merge(self, job: Job) -> Outcome:
        place = TextOwner(str(job.payload["person"]), str(job.payload["audience"]))
        made = await self._replay(job.space, place, await self._writers.for_space(job.space))

        async def effects(tx: Transaction) -> None:
            if made is not None:
                kept, left = await self._keep(tx, made)
                if left and made.failure is None and kept:
                    await self._enqueue(tx, place, self._clock())

        return Outcome(effects, made.failure if made else None)

    async def _replay(self, space: str, place: TextOwner, writers: Writers) -> _Replay | None:
        """Let a model merge the tellings since it last wrote, in order; None if there are none."""

        async def unit(tx: Transaction) -> tuple[StoredText | None, list[Numbered], PersonNames]:
            held = await store.read(tx, place)
            pending = await store.since(tx, place, held.merged) if held else []
            tellers = [each.said_by for _, each in pending]
            return held, pending, await name_tellers(tx, place.person, tellers)

        held, pending, who = await self._database.read(space, unit)
        if held is None or not pending or writers.best.draft:
            return None
        text, merged, writer = held.base, held.merged, held.told.writer
        forgotten: Forgets = {}
        failure: Error | None = None
        for batch in writing.batches(pending)[:_BATCHES]:
            wrote, failure = await writing.take_in(writers, text, [each for _, each in batch], who)
            if failure is not None:
                break
            text, merged, writer = wrote.text, batch[-1][0], wrote.writer or writer
            if batch[-1][1].action == FORGET:
                forgotten[merged] = (wrote.found, wrote.gone)
        return _Replay(held, text, merged, writer, failure, forgotten)

    async def _keep(self, tx: Transaction, made: _Replay) -> tuple[bool, bool]:
        """Store what a model wrote. Return whether it was stored (not if someone else was faster),
        and whether there is more to merge."""
        now = self._clock()
        if await store.read(tx, made.was.place) is None:  # erased while the model wrote
            return False, False
        held = await store.hold(tx, made.was.place, now)
        if (held.merged, held.base) != (made.was.merged, made.was.base) or made.merged > held.last:
            return False, held.merged < held.last
        if made.merged == held.merged:
            return True, True
        later = await store.since(tx, held.place, made.merged)
        who = await name_tellers(tx, held.told.person, [each.said_by for _, each in later])
        text = made.text
        for _, telling in later:
            text = merge.apply(text, telling, who).text
        for number, (found, _) in made.forgotten.items():
            await tx.run(queries.set_found, **held.place.row, number=number, found=int(found))
        new = TextUpdate(text, PLAIN if later else made.writer, bool(later), made.text, made.merged)
        await store.put(tx, held, new, now)
        return True, bool(later)

    async def redraft(self, tx: Transaction) -> int:
        """Enqueue every draft again. Parked jobs stay parked."""
        places = [TextOwner(**row) for row in await tx.all(queries.drafts)]
        for place in places:
            await self._enqueue(tx, place, self._clock(), revive=False)
        return len(places)

    async def make_private(self, tx: Transaction, channel: str, now: datetime) -> None:
        """Move what was told in a channel out of the public texts: it has become private."""
        for person in await column(tx, queries.told_in, channel=channel):
            for place in await removal.make_private(tx, person, channel, now):
                await self._enqueue(tx, place, now)

    # Hooks

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        await self._held(tx, memory)

    async def _held(self, tx: Transaction, memory: StoredMemory) -> StoredText:
        return await store.hold(tx, TextOwner(memory.person or "", memory.channel), self._clock())

    def described(self, memory: StoredMemory) -> StoredMemory:
        return replace(memory, writer=f"{HAND}{memory.edited_by}", at=memory.edited_at or memory.at)

    async def edited(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """Count all earlier tellings as merged."""
        await self._settle(tx, await self._held(tx, memory), memory.text, now)

    async def deleted(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        held = await self._held(tx, memory)
        data = {**memory.data, _PROGRESS: held.progress, _LAST: held.last}
        await memories.save(tx, [replace(memory, data=data)])
        await self._settle(tx, held, "", now)

    async def _settle(self, tx: Transaction, held: StoredText, text: str, now: datetime) -> None:
        told = replace(held.told, version=held.told.version + 1, changed_at=now)
        await store.set_progress(tx, replace(held, told=told, base=text, merged=held.last))

    async def check_restorable(self, tx: Transaction, memory: StoredMemory) -> None:
        if (await self._held(tx, memory)).last != memory.data.get(_LAST):
            raise ConflictError(
                f"{memory.id} can't be restored: there is a newer text about {memory.person!r}."
            )

    async def restored(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        progress: dict[str, Any] = memory.data[_PROGRESS]
        await tx.run(queries.set, id=memory.id, **progress)
        await memories.save(tx, [replace(memory, data={})])
        if memory.draft:
            await self._enqueue(tx, TextOwner(memory.person or "", memory.channel), now)

    async def leave_out(self, tx: Transaction) -> bool:
        return await tx.first(queries.told_in_listed) is not None

    async def list_erased(self, tx: Transaction, person: str | None) -> None:
        await tx.run(queries.list_erased, person=person)

    async def erased(self, tx: Transaction, subject: Subject) -> Remake | None:
        places = await removal.erase(tx, subject, self._clock())

        async def remake(tx: Transaction, now: datetime) -> None:
            for place in places:
                await self._enqueue(tx, place, now)

        return remake

    async def expire(self, run: Run, _kind: str, before: datetime, now: datetime) -> int:
        gone = await run.all(lambda tx: removal.expire(tx, self, before, now))
        await run.all(lambda tx: removal.expire_tellings(tx, before))
        return gone

    async def count_old(self, tx: Transaction, _kind: str, before: datetime) -> int:
        return int(await value(tx, queries.count_old, before=micros(before)))

    # Reading

    async def of(
        self, tx: Transaction, person: str, here: str | None, asker: str | None = None
    ) -> str:
        """Return what is remembered about a person and visible `here` (None: the operator, who
        alone sees quotations)."""
        if person in await people.blocked(tx):
            return ""
        texts = await store.of_person(tx, person)
        visible = await self._visibility.visible(tx, here, [each.audience for each in texts], asker)
        allowed = await without_blocked(tx, [each.text for each in texts])
        found = zip(texts, allowed, strict=True)
        shared = [text for each, text in found if each.audience in visible]
        shown = shared if here is None else [lines.unquoted(text) for text in shared]
        return "\n".join(filter(None, shown))


async def _admit(tx: Transaction, told: RememberRequest, now: datetime) -> None:
    """Add the space and the person. Refuse blocked people."""
    await people.refuse_blocked(tx, told.person, told.said_by)
    await log.add_space(tx, now)
    await people.add(tx, told.person, now)
