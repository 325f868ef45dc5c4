"""The door. Everything that talks to erstwhile from outside goes through `Memory` and `Channel`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from erstwhile import asking, wiring
from erstwhile.admitting import Admitting
from erstwhile.archive import restore as restoring
from erstwhile.archive.model import Backup, Progress, no_progress
from erstwhile.archiving import Archiving
from erstwhile.base.clock import Clock, utc_now
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.base.settings import Settings, load
from erstwhile.by_hand import ByHand
from erstwhile.channel import Channel as Channel
from erstwhile.configuration import prompts as choice_of_prompts
from erstwhile.configuration import seal, trying
from erstwhile.configuration import space as choices
from erstwhile.configuration.prompts import Shown
from erstwhile.configuration.space import Choice
from erstwhile.configuration.trying import Tried
from erstwhile.context import recipes
from erstwhile.doctor import Finding, examine, soundness
from erstwhile.erasing import Erasing
from erstwhile.gatekeeping import Gatekeeping
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import SHOWN, ListedJob, QueueCount, Settled
from erstwhile.layers.rebuild import rebuild
from erstwhile.listening import Listening
from erstwhile.log import append, check
from erstwhile.log import store as log
from erstwhile.log.model import Message, NewMessage
from erstwhile.looking import Looking
from erstwhile.noting import Noting
from erstwhile.on_record import OnRecord
from erstwhile.portraying import Portraying
from erstwhile.profiling import Profiling
from erstwhile.reviewing import Reviewing
from erstwhile.search import sources as recall_sources
from erstwhile.search.model import Source
from erstwhile.storage import EVERYWHERE, Transaction
from erstwhile.storage import migrate as migrations
from erstwhile.telling import Telling


class Memory(
    ByHand,
    OnRecord,
    Looking,
    Reviewing,
    Gatekeeping,
    Listening,
    Telling,
    Portraying,
    Noting,
    Profiling,
    Admitting,
    Erasing,
    Archiving,
):
    """`async with erstwhile.open(…) as memory`."""

    def __init__(self, settings: Settings, clock: Clock = utc_now) -> None:
        self.settings = settings
        self._clock = clock
        self._house: wiring.House | None = None
        self._redrafted = False
        self._replies: dict[asyncio.Task[None], asking.Leaving] = {}

    async def __aenter__(self) -> Self:
        house = wiring.build(self.settings, self._clock)
        await house.database.open()
        try:
            await migrations.ready(house.database)
        except BaseException:  # whatever it was, nothing may stay open
            await house.database.close()
            raise
        self._house = house
        if self.settings.worker:
            await self._redraft()
            house.worker.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._house is not None:
            await self._house.feed.close()
        while self._replies:  # what is broken off may have something to log itself
            for turn in self._replies.values():
                turn.leave()
            await asyncio.gather(*self._replies, return_exceptions=True)
        house, self._house = self._house, None
        if house is not None:
            await house.worker.stop()
            if house.embedder is not None:
                await house.embedder.close()
            await house.writers.close()
            await house.recorder.close()
            await house.database.close()

    @property
    def house(self) -> wiring.House:
        if self._house is None:
            raise NotFound("This memory is not open. Use `async with erstwhile.open(…) as memory:`.")
        return self._house

    # Saying and asking

    def channel(self, channel: str, space: str | None = None) -> Channel:
        return Channel(self, channel, self.settings.space if space is None else space)

    async def sources(self, id: str, *, space: str | None = None) -> Source:
        """Where a memory comes from, down to its messages."""
        return await self._read(self._space(space), lambda tx: recall_sources.sources(tx, id))

    # Work

    async def settle(self) -> Settled:
        """Runs everything that is due, here and now. What waits for a later time stays waiting."""
        await self._redraft()
        return await self.house.worker.settle()

    async def work(self) -> None:
        """Runs jobs as they become due, until cancelled: what `erstwhile worker` does."""
        await self._redraft()
        await self.house.worker.run()

    async def jobs(self, *, space: str | None = None, state: str | None = None, limit: int = 100) -> list[ListedJob]:
        """Of one space, or of all. Timers (conversations that are not quiet yet, the coming night) are listed by `state="timer"`."""
        if state is not None and state not in SHOWN:
            raise InvalidInput(f"Unknown state {state!r}. Use one of {', '.join(SHOWN)}.")
        return await self._read(
            self._anywhere(space), lambda tx: jobs.listed(tx, self._clock(), state=state, limit=limit)
        )

    async def queue(self, *, space: str | None = None) -> list[QueueCount]:
        """How many jobs there are to do, by state and kind, of one space or of all; those that are done are not counted."""
        return await self._read(self._anywhere(space), lambda tx: jobs.queue(tx, self._clock()))

    async def retry(self, job: str | None = None, *, space: str | None = None) -> int:
        """Makes a job due now: the one named, or every parked one. Says how many."""
        if job is not None:
            check.identifier("job", job)
        count = await self.house.database.write(self._anywhere(space), lambda tx: jobs.retry(tx, job, self._clock()))
        if job is not None and not count:
            raise NotFound(f"There is no waiting or parked job {job}. `erstwhile jobs list` shows them.")
        self.house.worker.wake()
        return count

    async def park(self, job: str, reason: str, *, space: str | None = None) -> None:
        """Sets a job aside, with a reason, until it is retried."""
        check.identifier("job", job)
        check.words("reason", reason)
        now = self._clock()
        if not await self.house.database.write(self._anywhere(space), lambda tx: jobs.park(tx, job, reason, now)):
            raise NotFound(f"There is no waiting or running job {job}. `erstwhile jobs list` shows them.")

    async def rebuild(self, *, space: str | None = None) -> None:
        """Drops everything derived in a space and asks for it again from the log; `settle` or a worker then makes it."""
        house = self.house

        async def unit(tx: Transaction) -> None:
            used = recipes.rooms(await choices.recipe(tx) or self.settings.recipe)
            chunks, briefs = house.chunks if "chunks" in used else None, house.briefs if "brief" in used else None
            notes = house.notes if "notes" in used else None
            await rebuild(tx, chunks, briefs, house.reindex, notes)

        await house.database.write(self._space(space), unit)
        house.worker.wake()

    async def doctor(self, *, space: str | None = None, quick: bool = False) -> list[Finding]:
        """What is wrong or worth knowing, and what to do about it; `quick` leaves out reading the whole database for damage."""
        house, chosen = self.house, self._space(space)
        sound = [] if quick else await soundness(house.database)
        return sound + await examine(house.database, house.writers, house.embedder, chosen, self._clock())

    # Choosing

    async def prompts(self, *, space: str | None = None, person: str | None = None) -> list[Shown]:
        """Each prompt as it is in force for the person, or for the space."""
        return await self._read(self._space(space), lambda tx: choice_of_prompts.listed(tx, _person(person)))

    async def set_prompt(
        self, name: str, instructions: str, *, space: str | None = None, person: str | None = None
    ) -> None:
        """Puts a prompt in place of ours, for the space or for one person in it, from the next piece of work on."""
        who, now = _person(person), self._clock()
        await self.house.database.write(
            self._space(space), lambda tx: choice_of_prompts.put(tx, name, instructions, who, now)
        )

    async def reset_prompt(self, name: str, *, space: str | None = None, person: str | None = None) -> bool:
        """Takes a prompt back; says whether there was one."""
        who = _person(person)
        return await self.house.database.write(self._space(space), lambda tx: choice_of_prompts.drop(tx, name, who))

    async def configure(
        self,
        *,
        space: str | None = None,
        model: str | None = None,
        model_strong: str | None = None,
        chat_model: str | None = None,
        base_url: str | None = None,
        recipe: str | None = None,
        api_key: str | None = None,
        privacy: str | None = None,
        retention: str | None = None,
    ) -> None:
        """What a space has of its own, from the next piece of work on: None leaves a setting, "" takes it back. The key is sealed."""
        given = (model, model_strong, chat_model, base_url, recipe, api_key, privacy, retention)
        values = {
            name: choices.checked(name, value)
            for name, value in zip(choices.NAMES, given, strict=True)
            if value is not None
        }
        if values.get("api_key"):
            values["api_key"] = seal.close(self.settings.secret_key.get_secret_value(), values["api_key"])
        chosen, now = self._space(space), self._clock()

        async def unit(tx: Transaction) -> None:
            await choices.put(tx, values, self.settings, now)
            if "retention" in values:
                await self.house.retention.wind(tx, now)

        await self.house.database.write(chosen, unit)
        await self._redraft_in(chosen)
        self.house.worker.wake()

    async def configuration(self, *, space: str | None = None) -> list[Choice]:
        """What is in force in a space, and whose choice it is. Of a key it says that there is one."""
        return choices.shown(await self._read(self._space(space), choices.own), self.settings)

    async def try_model(self, role: str = "light", *, space: str | None = None) -> Tried:
        """Really asks a model of the space one tiny question: `light`, `strong`, `chat` or the `embedder`. What is wrong is told, not
        raised; what it takes is recorded as `try`."""
        return await trying.try_model(self.house.writers, self.house.embedder, self._space(space), role)

    # Inside

    def _anywhere(self, space: str | None) -> str:
        return EVERYWHERE if space is None else check.identifier("space", space)

    def _see_to(self, turn: asking.Leaving, logged: asyncio.Task[None]) -> None:
        """A reply in the making is logged as far as it got before the memory closes."""
        self._replies[logged] = turn
        logged.add_done_callback(lambda done: self._replies.pop(done, None))

    async def _append(
        self,
        channel: Channel,
        messages: Sequence[NewMessage | Mapping[str, Any]],
        agreed: append.Agreed = append.agree,
        question: Message | None = None,
    ) -> list[Message]:
        """`question`: what the messages answer; if that was erased meanwhile, they are not stored."""
        now = self._clock()
        checked = [
            check.message(each, largest=self.settings.message_bytes, channel=channel.channel) for each in messages
        ]
        if not checked:
            return []
        prepared = [append.prepare(each, now) for each in checked]
        if not self._remembered(channel.space):
            return [each.message for each in prepared]
        house = self.house

        async def unit(tx: Transaction) -> list[Message]:
            if question is not None:
                await append.check_asked(tx, channel.channel, question, now)
            rooms = recipes.rooms(await choices.recipe(tx) or self.settings.recipe)
            known = (("chunks", house.chunks), ("brief", house.briefs), ("notes", house.notes))
            listeners: list[append.Listener] = [room for name, room in known if name in rooms]
            if self.settings.retention:  # a space's own turns its timer on where it is set
                listeners.append(house.retention)
            stored = await append.append(tx, channel.channel, prepared, listeners, now)
            agreed(stored)
            return stored

        try:
            stored = await house.database.write(channel.space, unit)
        except append.Unasked:
            return [each.message for each in prepared]
        house.worker.wake()
        return stored

    async def _redraft(self) -> None:
        """Once per opening: where a model has become available, the extractive drafts are asked for again."""
        house = self.house
        if self._redrafted:
            return
        self._redrafted = True
        await house.notes.start(self._notes_wanted)
        await house.retention.start(self._clock())
        drafting = self.settings.chosen_model == "extractive"
        for space in await (choices.with_a_model if drafting else log.spaces)(house.database):
            await self._redraft_in(space)

    async def _notes_wanted(self, tx: Transaction) -> bool:
        return "notes" in recipes.rooms(await choices.recipe(tx) or self.settings.recipe)

    async def _redraft_in(self, space: str) -> None:
        house = self.house
        if (await house.writers.for_space(space)).best.draft:
            return

        async def unit(tx: Transaction) -> None:
            await house.chunks.redraft(tx)
            await house.facts.redraft(tx)
            await house.structured.redraft(tx)
            await house.briefs.redraft(tx)
            await house.told.redraft(tx)
            await house.days.redraft(tx)
            await house.notes.redraft(tx)

        await house.database.write(space, unit)


def _person(person: str | None) -> str | None:
    return None if person is None else check.identifier("person", person)


def open(database: str | None = None, *, clock: Clock = utc_now, **settings: Any) -> Memory:
    """Opens a memory: `async with erstwhile.open("chat.db") as memory`. Without a database, the one of the settings."""
    return Memory(load(database=database, **settings), clock)


async def migrate(database: str | None = None, **settings: Any) -> list[str]:
    """Brings a database's structure up to date and names the migrations applied."""
    chosen = wiring.open_database(load(database=database, **settings))
    await chosen.open()
    try:
        return await migrations.migrate(chosen)
    finally:
        await chosen.close()


async def restore(
    database: str | None, file: str | Path, *, progress: Progress = no_progress, **settings: Any
) -> Backup:
    """Fills an empty database, or one that does not exist yet, from a backup: all of it, or nothing."""
    chosen = wiring.open_database(load(database=database, **settings))
    await chosen.open()
    try:
        return await restoring.restore(chosen, Path(file), progress)
    finally:
        await chosen.close()
