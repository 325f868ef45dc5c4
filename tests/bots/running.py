"""A bot at work on a platform in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pretend import Pretend, Server

import erstwhile
from erstwhile.bots.bot import Bot

SPACE = "pretend:1"


async def quiet(bot: Bot) -> None:
    """Until all that was heard is stored and answered."""
    still = 0
    while still < 3:
        await asyncio.sleep(0.005)
        still = still + 1 if bot.idle else 0


@asynccontextmanager
async def at_work(memory: erstwhile.Memory, server: Server, platform: Pretend | None = None) -> AsyncIterator[Bot]:
    bot = Bot(memory, platform or Pretend(server), clock=server.now)
    task = asyncio.create_task(bot.run())
    try:
        await asyncio.sleep(0)
        await quiet(bot)
        yield bot
        await quiet(bot)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def stored(memory: erstwhile.Memory, channel: str, space: str = SPACE) -> dict[str, str]:
    return {each.key or "": each.text async for each in memory.channel(channel, space).messages()}


def standing(server: Server, channel: str, since: int = 0) -> dict[str, str]:
    """What people said there after the message of this number."""
    return {
        each.key: each.text
        for each in server.said.get(channel, [])
        if not each.bot and each.text.strip() and int(each.key.split(":")[1]) > since
    }
