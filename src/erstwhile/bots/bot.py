"""The bot: takes in what happens on a platform, and answers. The same for every platform."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from typing import Any, Final

from erstwhile.api.memory import Memory
from erstwhile.base.clock import Clock, utc_now
from erstwhile.base.errors import NotFound
from erstwhile.base.logs import Log
from erstwhile.bots.answering import Answering
from erstwhile.bots.capture import Capture
from erstwhile.bots.catching_up import CatchingUp
from erstwhile.bots.commands import Commands
from erstwhile.bots.lanes import Event as LaneEvent
from erstwhile.bots.lanes import Lane
from erstwhile.bots.listened import Register
from erstwhile.bots.port import Asked, Event, Gone, Missed, Moved, Place, Platform, Said, Unreadable

log = Log(__name__)

_AT_ONCE: Final = 3  # places caught up with
_GRACE: Final = 5.0  # seconds for what is under way when the bot stops
_LOOK: Final = 60.0  # seconds between looks at what was chosen elsewhere
_MARK: Final = 60.0  # seconds between notes of how far a place was heard
_LOOKING: Final = "bot look around"


class Bot:
    """`await Bot(memory, platform).run()`, with a memory whose worker is on. Ends when cancelled, or with what the platform raises."""

    def __init__(self, memory: Memory, platform: Platform, *, clock: Clock = utc_now) -> None:
        self._memory = memory
        self._platform = platform
        self._clock = clock
        self.register = Register(memory)
        self._capture = Capture(self.register, platform.name)
        self._catching_up = CatchingUp(memory, platform, self.register, clock)
        self._lanes: dict[tuple[str, str], Lane] = {}
        self._epoch = 0
        self._looked = (
            asyncio.Event()
        )  # since the last gap: before that nobody knows who can read what, and nothing is told
        self._closing = False  # what is still at work must not start a lane that nobody ends
        self._gate = asyncio.Semaphore(_AT_ONCE)
        self._marked: dict[tuple[str, str], tuple[float, str]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._answering = Answering(memory, platform, self.register)
        self._commands = Commands(memory, platform, self._answering, clock, self.heard_anew)

    async def run(self) -> None:
        beside = [
            asyncio.create_task(self._again_and_again(self._look_again), name="bot choices"),
            asyncio.create_task(self._again_and_again(self._audit_one), name="bot audit"),
        ]
        try:
            await self._platform.run(self.hear)
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await self._close()

    def hear(self, event: Event) -> None:
        """Takes an event in at once."""
        if isinstance(event, Missed):
            self._epoch += 1
            self._looked.clear()
            if not any(task.get_name() == _LOOKING for task in self._tasks):
                self._later(self._look_around(), "look around")
        elif isinstance(event, Asked):
            self.register.see([event.place])
            self._later(self._asked(event), "command")
        else:
            if not isinstance(event, Gone):
                self.register.see([event.place])
            if not self.register.unheard(event.place):
                self._lane(event.place).put(event)
            if isinstance(event, Said) and event.addressed and not event.bot:
                self._later(self._addressed(event), "answer")

    async def _asked(self, asked: Asked) -> None:
        await self._looked.wait()
        await self._commands.answer(asked)

    async def _addressed(self, said: Said) -> None:
        """Whoever talks to us alone has chosen to be heard."""
        await self._looked.wait()
        place = said.place
        if place.direct and self.register.remembered(place.space):
            await self.register.ear(place)
            if self.register.chosen(place) is None:
                await self.register.declare(place)
                chat = self.register.chat(place)
                await self._memory.channels.listen(chat, since=said.at.isoformat(), by=said.person, title=place.title)
                await self.heard_anew(place)
        await self._answering.answer(said)

    async def heard_anew(self, place: Place) -> None:
        """Something else was chosen for the place."""
        await self.register.load(place.space)
        self._lane(place).behind()

    @property
    def idle(self) -> bool:
        """Nothing that was heard is waiting to be stored or answered."""
        return not self._tasks and all(lane.idle for lane in self._lanes.values())

    # Lanes

    def _lane(self, place: Place) -> Lane:
        """One that was not caught up with since the last gap is, before anything else."""
        key = place.space, place.channel
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(place, self._take, self._catch_up)
            lane.closing = self._closing
        if lane.epoch < self._epoch:
            lane.epoch = self._epoch
            lane.behind()
        return lane

    async def _take(self, place: Place, events: list[LaneEvent]) -> None:
        run: list[Any] = []
        for event in events:
            if not isinstance(event, (Moved, Gone)):
                run.append(event)
                continue
            await self._store(place, run)
            run = []
            if isinstance(event, Gone):
                await self._gone(place)
            elif (await self.register.ear(event.place)).known:
                await self.register.declare(event.place)
        await self._store(place, run)

    async def _store(self, place: Place, run: list[Any]) -> None:
        last = await self._capture.take(place, run) if run else ""
        if not last:
            return
        key = place.space, place.channel
        now = time.monotonic()
        marked = self._marked.get(key, (now - _MARK, ""))[0]
        if now - marked >= _MARK or key in self._capture.refused:
            # What was refused must not come back when it is looked up later and its sender is no longer blocked.
            await self._memory.channels.mark_read(self.register.chat(place), last)
            self._capture.refused.discard(key)
            self._marked[key] = now, ""
        else:
            self._marked[key] = marked, last

    async def _gone(self, place: Place) -> None:
        """Its threads went with it."""
        self.register.forget(place)
        for thread in [each for each in self.register.places.values() if each.parent == place.channel]:
            await self._gone(thread)
        try:
            await self._memory.erase(space=place.space, channel=place.channel)
        except NotFound:
            log.debug("platform.nothing_to_erase", space=place.space, channel=place.channel)
        await self.register.load(place.space)

    async def _catch_up(self, place: Place) -> None:
        async with self._gate:
            await self._catching_up.catch_up(place)
        self._marked.pop((place.space, place.channel), None)

    async def _look_around(self) -> None:
        """Until it succeeds, less and less often; once more if there was another gap meanwhile."""
        pause = 1.0
        while True:
            epoch = self._epoch
            try:
                await self._see_all()
                if epoch == self._epoch:
                    self._looked.set()
                    return
            except Exception as error:  # noqa: BLE001 - platform and database may fail in any way; without this nothing is caught up with
                log.warning("platform.places_failed", reason=f"{type(error).__name__}: {error}")
                await asyncio.sleep(pause)
                pause = min(_LOOK, 2 * pause)

    async def _see_all(self) -> None:
        """Who can read what is declared first. Then every place that is listened to is caught up with; also those that the platform doesn't
        name, which may be gone: then it says so when they are looked up."""
        before = set(self.register.places)
        places = await self._platform.places()
        self.register.see(places, no_longer=before)
        direct = f"{self._platform.name}:direct"
        for space in sorted({place.space for place in places} | {direct}):
            await self.register.load(space)
            places += self._unlisted(space, direct=space == direct)
        known = [place for place in places if self.register.now(place).known]
        for place in known:
            if self.register.declared(place):
                await self.register.declare(place)
        for place in known:
            self._lane(place)

    def _unlisted(self, space: str, *, direct: bool) -> list[Place]:
        """What the platform doesn't name: places of which something is stored, as it knows them, and whatever was chosen or heard."""
        found = [self._platform.unlisted(space, channel) for channel in self.register.unnamed(space)]
        places = [each for each in found if each is not None]
        self.register.see(places)
        return places + self.register.unseen(space, direct=direct)

    # Beside

    async def _again_and_again(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - the next look may succeed; the bot lives on
                log.warning("platform.look_failed", reason=f"{type(error).__name__}: {error}")

    async def _look_again(self) -> None:
        """What was chosen elsewhere takes effect without a restart."""
        for space in self.register.spaces:
            await self.look_again(space)

    async def look_again(self, space: str) -> None:
        """Loads what was chosen; a place that is listened to now, and was not, is caught up with."""
        places = [place for (of, _), place in self.register.places.items() if of == space]
        before = {place.channel: self.register.now(place) for place in places}
        await self.register.load(space)
        for place in places:
            was, now = before[place.channel], self.register.now(place)
            if now.on and (not was.on or (was.since, bool(was.heard)) != (now.since, bool(now.heard))):
                self._lane(place).behind()

    async def _audit_one(self) -> None:
        """The place that was compared longest ago, if that is a day."""
        before = self._clock() - timedelta(days=1)
        never = before - timedelta(days=10_000)
        last = {
            place: self.register.now(place).audited_at or never
            for place in self.register.places.values()
            if self.register.now(place).known
        }
        place = min(last, key=lambda each: last[each], default=None)
        if place is None or last[place] > before:
            return
        try:
            await self._catching_up.audit(place)
        except Unreadable:  # it has its turn again tomorrow
            await self._memory.channels.mark_checked(self.register.chat(place), "")
        await self.register.load(place.space)

    def _later(self, work: Coroutine[Any, Any, None], what: str) -> None:
        task = asyncio.create_task(self._logged(work, what), name=f"bot {what}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _logged(self, work: Coroutine[Any, Any, None], what: str) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 - whatever it was, the bot lives on
            log.error("platform.failed", what=what, reason=f"{type(error).__name__}: {error}")

    async def _close(self) -> None:
        """Cancelled or not, what was heard is stored, and what is being answered gets a few seconds."""
        self._closing = True
        for task in self._tasks:
            if task.get_name() == _LOOKING:
                task.cancel()
        await asyncio.gather(*(lane.close(_GRACE) for lane in self._lanes.values()))
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=_GRACE)
        for task in set(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(Exception):  # then a little more is looked up at the next start
            for (space, channel), (_, last) in self._marked.items():
                if last:
                    await self._memory.channels.mark_read(self._memory.channel(channel, space), last)
