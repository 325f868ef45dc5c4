"""What the tests of Slack share: who listens to the adapter, and waiting until something is so."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import erstwhile
from erstwhile.bots.bot import Bot
from erstwhile.bots.port import ChatPlace, Gap, PlatformEvent, Post
from erstwhile.bots.slack import SlackPlatform
from support.slack import SlackServer

PING_SECONDS = 0.25
SPACE = "slack:T0TEAM"
T = TypeVar("T", bound=PlatformEvent)


_RUNNING: list[Bot] = []


async def until(true: Callable[[], object | Awaitable[object]], what: str = "it to be so", seconds: int = 60) -> None:
    """Generous: a busy machine is not a failure."""
    for _ in range(40 * seconds):
        found = true()
        if await found if isinstance(found, Awaitable) else found:
            return
        await asyncio.sleep(0.025)
    raise AssertionError(f"waited in vain for {what}")


class Ears:
    """Everything that the adapter hands over."""

    def __init__(self, platform: SlackPlatform) -> None:
        self.platform = platform
        self.events: list[PlatformEvent] = []

    def of(self, kind: type[T]) -> list[T]:
        return [each for each in self.events if isinstance(each, kind)]

    def texts(self) -> list[str]:
        return [each.text for each in self.of(Post) if not each.bot]

    async def place(self, channel: str) -> ChatPlace:
        return next(each for each in await self.platform.places() if each.channel == channel)


def platform_of(slack: SlackServer) -> SlackPlatform:
    return SlackPlatform(slack.token, slack.app_token, slack.api, ping_seconds=PING_SECONDS)


@contextlib.asynccontextmanager
async def listening(slack: SlackServer) -> AsyncIterator[Ears]:
    ears = Ears(platform_of(slack))
    task = asyncio.create_task(ears.platform.run(ears.events.append))
    try:
        await until(lambda: task.done() or ears.of(Gap), "the connection")
        if task.done():
            task.result()
        yield ears
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def stands(slack: SlackServer, *channels: str) -> dict[str, dict[str, str]]:
    """What people's messages say in these channels and their threads, by place and key."""
    found: dict[str, dict[str, str]] = {}
    for channel in channels:
        where = slack.workspace.conversations[channel]
        for message in where.ordered():
            user = slack.workspace.users.get(message["user"])
            if user is None or user.bot or message.get("subtype") == "tombstone":
                continue
            thread = message.get("thread_ts", message["ts"])
            place = channel if thread == message["ts"] else f"{channel}:{thread}"
            found.setdefault(place, {})[f"slack:{channel}:{message['ts']}"] = message["text"]
    return found


async def stored(memory: erstwhile.Memory) -> dict[str, dict[str, str]]:
    """All that the memory holds of the workspace, in the same shape."""
    found: dict[str, dict[str, str]] = {}
    for each in await memory.channels(space=SPACE):
        messages = [message async for message in memory.channel(each.channel, SPACE).messages()]
        if messages:
            found[each.channel] = {str(message.key): message.text for message in messages}
    return found


async def until_same(memory: erstwhile.Memory, slack: SlackServer, *channels: str, seconds: int = 60) -> None:
    """Until the store is what stands there."""

    async def differences() -> list[tuple[str, str, str | None, str | None]]:
        """Where, which message, what is stored and what stands there."""
        kept, there = await stored(memory), stands(slack, *channels)
        return [
            (place, key, has, is_)
            for place in sorted({*kept, *there})
            for key in sorted({*kept.get(place, {}), *there.get(place, {})})
            if (has := kept.get(place, {}).get(key)) != (is_ := there.get(place, {}).get(key))
        ]

    left: list[tuple[str, str, str | None, str | None]] = []

    async def same() -> bool:
        """For a moment it may be so by chance, before a message that is gone by now was stored."""
        nonlocal left
        busy = not all(bot.idle for bot in _RUNNING)
        left = await differences()
        return not left and not busy and all(bot.idle for bot in _RUNNING)

    with contextlib.suppress(AssertionError):
        await until(same, seconds=seconds)
    assert not left, f"(place, key, stored, stands there): {left}"


@contextlib.asynccontextmanager
async def bot_on(memory: erstwhile.Memory, slack: SlackServer) -> AsyncIterator[Bot]:
    """A bot that is connected."""
    bot = Bot(memory, platform_of(slack))
    greeted = slack.sockets.greeted
    task = asyncio.create_task(bot.run())
    try:
        await until(lambda: task.done() or slack.sockets.greeted > greeted, "the connection")
        _RUNNING.append(bot)
        yield bot
    finally:
        _RUNNING[:] = [each for each in _RUNNING if each is not bot]
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
