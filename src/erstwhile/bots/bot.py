"""The bot: stores what happens on a platform, and answers. The same for every platform."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from typing import Any, Final

from erstwhile.api.memory import Memory
from erstwhile.base.clock import Clock, utc_now
from erstwhile.base.errors import NotFound, StorageError
from erstwhile.base.logs import Log
from erstwhile.bots import port
from erstwhile.bots.capture import Capture, HistorySync, PlaceRegister
from erstwhile.bots.commands import SlashCommands
from erstwhile.bots.place_queue import PlaceQueue
from erstwhile.bots.responder import Responder

log = Log(__name__)

_CONCURRENT: Final = 3  # places that catch up at the same time
_GRACE: Final = 5.0  # seconds that running work gets when the bot stops
_REFRESH_SECONDS: Final = 60.0  # seconds between reloads of choices made elsewhere
_SAVE_SECONDS: Final = 60.0  # seconds between saves of a place's position
_REFRESHING: Final = "bot look around"


class Bot:
    """Run a bot: `await Bot(memory, platform).run()`, with a memory whose worker is on.

    Ends when cancelled, or with the error that the platform raises.
    """

    def __init__(self, memory: Memory, platform: port.Platform, *, clock: Clock = utc_now) -> None:
        self._memory, self._platform, self._clock = memory, platform, clock
        platform.stored = self.stored
        # Commands, and posts that may opt a conversation in.
        self._untaken: set[asyncio.Event] = set()
        self.register = PlaceRegister(memory)
        self._capture = Capture(self.register, platform.name)
        self._history_sync = HistorySync(memory, platform, self.register, clock)
        self._queues: dict[tuple[str, str], PlaceQueue] = {}
        self._epoch = 0
        # Cleared by a gap: until places are reloaded nobody knows who can read what, and nothing is
        # answered.
        self._places_known = asyncio.Event()
        self._closing = False  # running work must not start a queue that nobody closes
        self._slots = asyncio.Semaphore(_CONCURRENT)
        self._positions: dict[tuple[str, str], tuple[float, str]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._responder = Responder(platform, self.register)
        self._commands = SlashCommands(platform, self._responder, clock, self.listening_changed)

    async def run(self) -> None:
        background = [
            asyncio.create_task(self._repeat(self._reload_all), name="bot choices"),
            asyncio.create_task(self._repeat(self._audit_one), name="bot audit"),
        ]
        try:
            await self._platform.run(self.handle)
        finally:
            for task in background:
                task.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            await self._close()

    def handle(self, event: port.PlatformEvent) -> None:
        """Accept an event without waiting."""
        if isinstance(event, port.Gap):
            self._epoch += 1
            self._places_known.clear()
            if not any(task.get_name() == _REFRESHING for task in self._tasks):
                self._start_task(self._refresh_places(), "look around")
        elif isinstance(event, port.SlashCommand):
            self.register.update([event.place])
            self._start_task(self._answer(event, self._expect()), "command")
        else:
            if not isinstance(event, port.PlaceDeletion):
                self.register.update([event.place])
            if not self.register.is_ignored(event.place):
                self._queue_of(event.place).put(event)
            if isinstance(event, port.Post) and event.addressed and not event.bot:
                self._start_task(self._answer(event, self._expect()), "answer")

    def _expect(self) -> asyncio.Event:
        taken = asyncio.Event()
        self._untaken.add(taken)
        return taken

    async def _answer(self, asked: port.SlashCommand | port.Post, taken: asyncio.Event) -> None:
        try:
            await self._places_known.wait()
            if isinstance(asked, port.SlashCommand):
                await self._commands.answer(asked)
            else:
                await self._opt_in_surely(asked)
        finally:
            taken.set()
            self._untaken.discard(taken)
        if isinstance(asked, port.Post):
            await self._responder.answer(asked)

    async def _opt_in_surely(self, post: port.Post) -> None:
        """Without a history, a lost post is gone: try until the database is back."""
        pause = 1.0
        while True:
            try:
                return await self._opt_in(post)
            except StorageError as error:
                if self._platform.has_history:
                    raise
                log.warning("bot.opt_in_failed", reason=str(error))
            await asyncio.sleep(pause)
            pause = min(_REFRESH_SECONDS, 2 * pause)

    async def _opt_in(self, post: port.Post) -> None:
        """Listen to a direct conversation in which someone writes to the bot."""
        place = post.place
        if not place.direct or not self.register.is_enabled(place.space):
            return
        await self.register.load_state(place)
        if self.register.own_choice(place) is None:
            await self.register.declare(place)
            chat = self.register.chat(place)
            since, by = post.at.isoformat(), post.person
            await self._memory.channels.listen(chat, since=since, by=by, title=place.title)
            await self.listening_changed(place)
            if not self._platform.has_history:  # nothing else would find this post
                self._queue_of(place).put(post)

    async def stored(self) -> None:
        """Return when everything that was reported so far is on disk. Answers may be under way."""
        for taken in tuple(self._untaken):
            await taken.wait()
        for queue in tuple(self._queues.values()):
            await queue.drained()

    async def listening_changed(self, place: port.ChatPlace) -> None:
        await self.register.load(place.space)
        self._queue_of(place).mark_gap()

    @property
    def idle(self) -> bool:
        """Whether nothing waits to be stored or answered."""
        return not self._tasks and all(queue.idle for queue in self._queues.values())

    # Queues

    def _queue_of(self, place: port.ChatPlace) -> PlaceQueue:
        """Return the queue of a place. It first catches up if there was a gap since it last did."""
        key = place.space, place.channel
        queue = self._queues.get(key)
        if queue is None:
            keeps = not self._platform.has_history
            queue = PlaceQueue(place, self._process, self._catch_up, keeps_posts=keeps)
            self._queues[key], queue.closing = queue, self._closing
        if queue.epoch < self._epoch:
            queue.epoch = self._epoch
            queue.mark_gap()
        return queue

    async def _process(self, place: port.ChatPlace, events: list[port.QueueEvent]) -> None:
        run: list[Any] = []
        for event in events:
            if not isinstance(event, (port.PlaceChange, port.PlaceDeletion)):
                run.append(event)
                continue
            await self._store(place, run)
            run = []
            if isinstance(event, port.PlaceDeletion):
                await self._erase_place(place)
            elif (await self.register.load_state(event.place)).tracked:
                await self.register.declare(event.place)
        await self._store(place, run)

    async def _store(self, place: port.ChatPlace, run: list[Any]) -> None:
        last = await self._capture.take(place, run) if run else ""
        if not last:
            return
        key = place.space, place.channel
        now = time.monotonic()
        saved_at = self._positions.get(key, (now - _SAVE_SECONDS, ""))[0]
        if now - saved_at >= _SAVE_SECONDS or key in self._capture.refused:
            # Save at once: a refused message must not be stored later, when its sender is no longer
            # blocked.
            await self._memory.channels.mark_read(self.register.chat(place), last)
            self._capture.refused.discard(key)
            self._positions[key] = now, ""
        else:
            self._positions[key] = saved_at, last

    async def _erase_place(self, place: port.ChatPlace) -> None:
        self.register.forget(place)
        known = self.register.places.values()
        for thread in [each for each in known if each.parent == place.channel]:
            await self._erase_place(thread)
        try:
            await self._memory.erase(space=place.space, channel=place.channel)
        except NotFound:
            log.debug("bot.nothing_to_erase", space=place.space, channel=place.channel)
        await self.register.load(place.space)

    async def _catch_up(self, place: port.ChatPlace) -> None:
        async with self._slots:
            await self._history_sync.catch_up(place)
        self._positions.pop((place.space, place.channel), None)

    async def _refresh_places(self) -> None:
        """Load all places, with growing pauses between attempts. Repeats if another gap occurs."""
        pause = 1.0
        while True:
            epoch = self._epoch
            try:
                await self._load_places()
                if epoch == self._epoch:
                    self._places_known.set()
                    return
            except Exception as error:  # noqa: BLE001 - it must be tried again
                log.warning("bot.places_failed", reason=f"{type(error).__name__}: {error}")
                await asyncio.sleep(pause)
                pause = min(_REFRESH_SECONDS, 2 * pause)

    async def _load_places(self) -> None:
        """Declare who can read what, then catch up, also with places no longer listed."""
        before = set(self.register.places)
        places = await self._platform.places()
        self.register.update(places, gone=before)
        direct = f"{self._platform.name}:direct"
        for space in sorted({place.space for place in places} | {direct}):
            await self.register.load(space)
            # With stored content, or a choice, that the platform does not list.
            missing = self.register.missing_channels(space)
            found = [self._platform.unlisted(space, channel) for channel in missing]
            unlisted = [each for each in found if each is not None]
            self.register.update(unlisted)
            places += unlisted + self.register.missing_places(space, direct=space == direct)
        known = [place for place in places if self.register.state_of(place).tracked]
        for place in known:
            if self.register.is_declared(place):
                await self.register.declare(place)
        for place in known:
            self._queue_of(place)

    # Background work

    async def _repeat(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(_REFRESH_SECONDS)
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - the bot goes on
                log.warning("bot.reload_failed", reason=f"{type(error).__name__}: {error}")

    async def _reload_all(self) -> None:
        """Apply choices made elsewhere without a restart."""
        for space in self.register.spaces:
            await self.reload(space)

    async def reload(self, space: str) -> None:
        """Reload the choices of a space. Places that are now listened to catch up."""
        places = [place for (of, _), place in self.register.places.items() if of == space]
        before = {place.channel: self.register.state_of(place) for place in places}
        await self.register.load(space)
        for place in places:
            was, now = before[place.channel], self.register.state_of(place)
            other = (was.since, bool(was.last_key)) != (now.since, bool(now.last_key))
            if now.on and (not was.on or other):
                self._queue_of(place).mark_gap()

    async def _audit_one(self) -> None:
        """Compare the place that was compared longest ago, if that is more than a day."""
        before = self._clock() - timedelta(days=1)
        never = before - timedelta(days=10_000)
        states = {place: self.register.state_of(place) for place in self.register.places.values()}
        known = {place: state for place, state in states.items() if state.tracked}
        last = {place: state.audited_at or never for place, state in known.items()}
        place = min(last, key=lambda each: last[each], default=None)
        if not self._platform.has_history or place is None or last[place] > before:
            return
        try:
            await self._history_sync.audit(place)
        except port.UnreadablePlace:  # try again tomorrow
            await self._memory.channels.mark_checked(self.register.chat(place), "")
        await self.register.load(place.space)

    def _start_task(self, work: Coroutine[Any, Any, None], what: str) -> None:
        async def logged() -> None:
            try:
                await work
            except Exception as error:  # noqa: BLE001 - one failed task must not stop the bot
                log.error("bot.task_failed", what=what, reason=f"{type(error).__name__}: {error}")

        task = asyncio.create_task(logged(), name=f"bot {what}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _close(self) -> None:
        """Store what was received. Answers in progress get a few seconds."""
        self._closing = True
        for task in self._tasks:
            if task.get_name() == _REFRESHING:
                task.cancel()
        await asyncio.gather(*(queue.close(_GRACE) for queue in self._queues.values()))
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=_GRACE)
        for task in set(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(Exception):  # otherwise a little more is read at the next start
            for (space, channel), (_, last) in self._positions.items():
                if last:
                    chat = self._memory.channel(channel, space)
                    await self._memory.channels.mark_read(chat, last)
