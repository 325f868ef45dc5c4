"""One place after the other within itself, all places beside each other: a lane keeps the order of what happened in one place."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from erstwhile.base.logs import Log
from erstwhile.bots.port import Gone, Moved, Place, Retracted, Revised, Said, Unreadable

log = Log(__name__)

MOST: Final = 1_000  # events that may wait in one place
_BATCH: Final = 100
_PATIENCE: Final = (1.0, 300.0)  # seconds to the first try again, and at most

Event = Said | Revised | Retracted | Moved | Gone


class Behind:
    """Stands in a lane where it has to be caught up with before it goes on."""


# What a lane has done for it: a run of events, in order; and catching up. What they raise is tried again.
Take = Callable[[Place, list[Event]], Awaitable[None]]
CatchUp = Callable[[Place], Awaitable[None]]


class Lane:
    def __init__(self, place: Place, take: Take, catch_up: CatchUp, patience: tuple[float, float] = _PATIENCE) -> None:
        self.place = place
        self.epoch = 0
        self._take = take
        self._catch_up = catch_up
        self._waiting: deque[Event | Behind] = deque()
        self._patience = patience
        self._failures = 0
        self._task: asyncio.Task[None] | None = None
        self.closing = False

    @property
    def idle(self) -> bool:
        return not self._waiting and (self._task is None or self._task.done())

    def put(self, event: Event) -> None:
        """Never waits. What is too much is dropped, and looked up later."""
        self.place = event.place
        self._waiting.append(event)
        if len(self._waiting) > MOST:
            log.warning("platform.lane_full", space=self.place.space, channel=self.place.channel)
            self._drop((Moved, Gone))
        self._start()

    def behind(self) -> None:
        """What was said meanwhile is found when catching up, in its order; what changed is followed before."""
        self._drop((Moved, Gone, Revised, Retracted))
        self._start()

    def _drop(self, kept: tuple[type, ...]) -> None:
        self._waiting = deque(each for each in self._waiting if isinstance(each, kept))
        while len(self._waiting) >= MOST:
            self._waiting.popleft()
        self._waiting.append(Behind())

    def _start(self) -> None:
        if not self.closing and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run(), name=f"lane {self.place.channel}")

    async def _run(self) -> None:
        while self._waiting:
            try:
                await self._step()
                self._failures = 0
            except Unreadable as error:
                log.info("platform.unreadable", space=self.place.space, channel=self.place.channel, reason=str(error))
            except Exception as error:  # noqa: BLE001 - a platform or a database may fail in any way; the others go on, this one is tried again
                self._failures += 1
                log.warning(
                    "platform.lane_failed",
                    space=self.place.space,
                    channel=self.place.channel,
                    reason=f"{type(error).__name__}: {error}",
                )
                if self.closing:
                    return
                first, most = self._patience
                await asyncio.sleep(min(most, first * 2 ** (self._failures - 1)))

    async def _step(self) -> None:
        head = self._waiting[0]
        if isinstance(head, Behind):
            await self._catch(head)
            return
        run: list[Event] = []
        while self._waiting and len(run) < _BATCH and not isinstance(self._waiting[0], Behind):
            run.append(self._waiting.popleft())  # type: ignore[arg-type]
        try:
            await self._take(self.place, run)
        except Exception:  # tried again; what was said is found when catching up
            changes = [each for each in run if not isinstance(each, Said)]
            self._waiting.extendleft([Behind(), *reversed(changes)])
            raise

    async def _catch(self, marker: Behind) -> None:
        """A gap that opens meanwhile has a marker of its own, which stays."""
        done = False
        try:
            await self._catch_up(self.place)
            done = True
        except Unreadable:
            done = True
            raise
        finally:
            if done and self._waiting and self._waiting[0] is marker:
                self._waiting.popleft()

    async def close(self, seconds: float) -> None:
        """What was heard is stored, as far as that goes in time; what is left is looked up at the next start."""
        self.closing = True
        task = self._task
        if task is None or task.done():
            return
        if not self._failures and not any(isinstance(each, Behind) for each in self._waiting):
            await asyncio.wait([task], timeout=seconds)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
