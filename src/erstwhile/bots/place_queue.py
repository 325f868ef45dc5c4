"""A queue of events per place: events of one place are handled in order, places in parallel."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from erstwhile.base.logs import Log
from erstwhile.bots import port

log = Log(__name__)

MAX_EVENTS: Final = 1_000  # waiting in one place
_BATCH: Final = 100
_RETRY_SECONDS: Final = (1.0, 300.0)  # first pause before a retry, and the longest


class GapMarker:
    """Marks where the queue has to catch up before it goes on."""


# Callbacks of a queue: handle events in order, and catch up. A call that raises is retried.
Process = Callable[[port.ChatPlace, list[port.QueueEvent]], Awaitable[None]]
CatchUp = Callable[[port.ChatPlace], Awaitable[None]]


class PlaceQueue:
    def __init__(
        self,
        place: port.ChatPlace,
        process: Process,
        catch_up: CatchUp,
        *,
        keeps_posts: bool = False,
    ) -> None:
        """`keeps_posts`: catching up finds no posts, so none is dropped."""
        self._keeps_posts = keeps_posts
        self.place, self.epoch, self._process, self._catch_up = place, 0, process, catch_up
        self._waiting: deque[port.QueueEvent | GapMarker] = deque()
        self._failures = 0
        self._task: asyncio.Task[None] | None = None
        self.closing = False

    @property
    def idle(self) -> bool:
        return not self._waiting and (self._task is None or self._task.done())

    @property
    def _named(self) -> dict[str, str]:
        return {"space": self.place.space, "channel": self.place.channel}

    def put(self, event: port.QueueEvent) -> None:
        """Add an event without waiting. A full queue drops posts, which are read later."""
        self.place = event.place
        self._waiting.append(event)
        if len(self._waiting) > MAX_EVENTS:
            log.warning("bot.queue_full", **self._named)
            if not self._keeps_posts:
                self._add_gap((port.PlaceChange, port.PlaceDeletion))
        self._start()

    def mark_gap(self) -> None:
        """Catch up next. Waiting posts are dropped, because catching up finds them."""
        self._add_gap((port.PlaceChange, port.PlaceDeletion, port.Edit, port.Deletion))
        self._start()

    def _add_gap(self, kept: tuple[type, ...]) -> None:
        if not self._keeps_posts:
            self._waiting = deque(each for each in self._waiting if isinstance(each, kept))
            while len(self._waiting) >= MAX_EVENTS:
                self._waiting.popleft()
        self._waiting.append(GapMarker())

    def _start(self) -> None:
        if not self.closing and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run(), name=f"lane {self.place.channel}")

    async def _run(self) -> None:
        while self._waiting:
            try:
                await self._step()
                self._failures = 0
            except port.UnreadablePlace as error:
                log.info("bot.place_unreadable", **self._named, reason=str(error))
            except Exception as error:  # noqa: BLE001 - other places go on, this one retries
                self._failures += 1
                reason = f"{type(error).__name__}: {error}"
                log.warning("bot.queue_failed", **self._named, reason=reason)
                if self.closing:
                    return
                first, most = _RETRY_SECONDS
                await asyncio.sleep(min(most, first * 2 ** (self._failures - 1)))

    async def _step(self) -> None:
        head = self._waiting[0]
        if isinstance(head, GapMarker):

            def filled() -> None:
                if self._waiting and self._waiting[0] is head:
                    self._waiting.popleft()

            try:
                await self._catch_up(self.place)
            except port.UnreadablePlace:
                filled()
                raise
            filled()
            return
        run: list[port.QueueEvent] = []
        while self._waiting and len(run) < _BATCH and not isinstance(self._waiting[0], GapMarker):
            run.append(self._waiting.popleft())  # type: ignore[arg-type]
        try:
            await self._process(self.place, run)
        except Exception:  # retried; catching up finds the posts
            if self._keeps_posts:
                self._waiting.extendleft(reversed(run))
            else:
                changes = [each for each in run if not isinstance(each, port.Post)]
                self._waiting.extendleft([GapMarker(), *reversed(changes)])
            raise

    async def drained(self) -> None:
        """Return when nothing waits."""
        while self._task is not None and not self.idle:
            await asyncio.wait([self._task])

    async def close(self, seconds: float) -> None:
        """Store what was received within this time; the rest is read at the next start."""
        self.closing = True
        task = self._task
        if task is None or task.done():
            return
        if not self._failures and not any(isinstance(each, GapMarker) for each in self._waiting):
            await asyncio.wait([task], timeout=seconds)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
