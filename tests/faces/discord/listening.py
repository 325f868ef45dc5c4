"""A platform that is connected to the Discord on loopback, and what it heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from erstwhile.bots.discord import ConnectionTiming, DiscordPlatform
from erstwhile.bots.port import Gap, PlatformEvent
from support.discord import DiscordServer

HURRY = ConnectionTiming(session=0.0, ready=0.05)
E = TypeVar("E")


async def until(true: Callable[[], Any], timeout: float = 120) -> None:
    async with asyncio.timeout(timeout):
        while not true():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)


@dataclass
class Heard:
    platform: DiscordPlatform
    events: list[PlatformEvent] = field(default_factory=list)

    def of(self, kind: type[E]) -> list[E]:
        return [each for each in self.events if isinstance(each, kind)]

    async def next(self, kind: type[E], number: int = 1) -> E:
        await until(lambda: len(self.of(kind)) >= number)
        return self.of(kind)[number - 1]


@asynccontextmanager
async def connected(discord: DiscordServer, timing: ConnectionTiming = HURRY) -> AsyncIterator[Heard]:
    heard = Heard(DiscordPlatform(discord.token, discord.api, timing=timing))
    running = asyncio.create_task(heard.platform.run(heard.events.append))
    try:
        await heard.next(Gap)
        await heard.platform.places()
        yield heard
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
