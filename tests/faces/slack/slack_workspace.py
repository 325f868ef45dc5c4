"""What the tests of Slack share: who listens to the adapter, and waiting until something is so."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from erstwhile.platforms.port import Event, Missed, Place, Said
from erstwhile.platforms.slack import SlackPlatform
from erstwhile.testing.slack import SlackServer

BEAT = 0.25
T = TypeVar("T", bound=Event)


async def until(true: Callable[[], object | Awaitable[object]], what: str = "it to be so") -> None:
    """Generous: a busy machine is not a failure."""
    for _ in range(2400):
        found = true()
        if await found if isinstance(found, Awaitable) else found:
            return
        await asyncio.sleep(0.025)
    raise AssertionError(f"waited in vain for {what}")


class Ears:
    """Everything that the adapter hands over."""

    def __init__(self, platform: SlackPlatform) -> None:
        self.platform = platform
        self.events: list[Event] = []

    def of(self, kind: type[T]) -> list[T]:
        return [each for each in self.events if isinstance(each, kind)]

    def texts(self) -> list[str]:
        return [each.text for each in self.of(Said) if not each.bot]

    async def place(self, channel: str) -> Place:
        return next(each for each in await self.platform.places() if each.channel == channel)


def platform_of(slack: SlackServer) -> SlackPlatform:
    return SlackPlatform(slack.token, slack.app_token, slack.api, beat=BEAT)


@contextlib.asynccontextmanager
async def listening(slack: SlackServer) -> AsyncIterator[Ears]:
    ears = Ears(platform_of(slack))
    task = asyncio.create_task(ears.platform.run(ears.events.append))
    try:
        await until(lambda: task.done() or ears.of(Missed), "the connection")
        if task.done():
            task.result()
        yield ears
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
