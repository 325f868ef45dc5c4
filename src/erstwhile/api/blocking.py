"""The API for code without async: each verb runs on an event loop in a thread of its own.
`blocking.pyi` has the types.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from pathlib import Path
from typing import Any, Self, TypeVar

from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.memory import open as open_async
from erstwhile.api.resource import Resource
from erstwhile.base.clock import Clock, utc_now
from erstwhile.base.errors import NotFound
from erstwhile.base.system import OwningProcess

T = TypeVar("T")


class Portal:
    """An event loop in a thread; `call` runs a coroutine there and waits for it."""

    def __init__(self) -> None:
        self.owner = OwningProcess()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="erstwhile-portal", daemon=True
        )
        self._thread.start()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result()
        finally:
            running.cancel()  # does nothing, unless Ctrl-C ended the wait

    def iterate(self, stream: AsyncIterator[T]) -> Iterator[T]:
        while not getattr(stream, "ended", False):
            if (found := self.call(_next(stream))) is None:
                return
            yield found

    def close(self) -> None:
        self.call(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _next(stream: AsyncIterator[T]) -> T | None:
    return await anext(stream, None)


class Blocking:
    """Wrap an object of the API: coroutines are run to their end, async iterators are iterators."""

    def __init__(self, target: Any, memory: SyncMemory) -> None:
        self._target, self._memory = target, memory

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._target, name)
        if isinstance(value, Resource):
            return Blocking(value, self._memory)
        if not inspect.ismethod(value):
            return value
        return functools.wraps(value)(functools.partial(self._do, value))

    def __dir__(self) -> list[str]:
        """Return the names of the wrapped object too: interactive shells complete from them."""
        return [*super().__dir__(), *(name for name in dir(self._target) if name[0] != "_")]

    def _do(self, verb: Any, /, *args: Any, **kwargs: Any) -> Any:
        portal = self._memory._open_portal()
        done = verb(*args, **kwargs)
        if inspect.iscoroutine(done):
            return portal.call(done)
        if isinstance(done, Channel):
            return SyncChannel(done, self._memory)
        return portal.iterate(done) if hasattr(done, "__anext__") else done


class SyncChannel(Blocking):
    """One conversation in a space."""

    def __repr__(self) -> str:
        return f"<SyncChannel {self.channel!r} of space {self.space!r}>"


class SyncMemory(Blocking):
    """`with erstwhile.open_sync(…) as memory`, or `connect_sync`."""

    def __init__(self, target: Memory) -> None:
        super().__init__(target, self)
        self._portal: Portal | None = None

    def __enter__(self) -> Self:
        self._portal = Portal()
        try:
            self._portal.call(self._target.__aenter__())
        except BaseException:  # the thread must not outlive a failed open
            self._portal.close()
            self._portal = None
            raise
        return self

    def __exit__(self, *how: object) -> None:
        portal, self._portal = self._portal, None
        if portal is not None and portal.owner.is_this:
            portal.call(self._target.__aexit__(*how))
            portal.close()

    def _open_portal(self) -> Portal:
        if self._portal is None:
            raise NotFound("This memory is not open. Use `with erstwhile.open_sync(…) as memory:`.")
        self._portal.owner.check()
        return self._portal


def open_sync(
    database: str | Path | None = None, *, clock: Clock = utc_now, **settings: Any
) -> SyncMemory:
    """Open a memory for blocking code: `with erstwhile.open_sync("chat.db") as memory`."""
    return SyncMemory(open_async(database, clock=clock, **settings))
