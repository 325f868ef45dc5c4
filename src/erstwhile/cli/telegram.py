"""The Telegram bot."""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.api.memory import open as open_memory
from erstwhile.base.errors import SettingsError
from erstwhile.cli import output
from erstwhile.cli.bots import listen_to, run_until_stopped, set_log_level
from erstwhile.cli.options import Database, LogLevel

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.bots.telegram import TelegramPlatform

_NO_TOKEN = "Set TELEGRAM_BOT_TOKEN. Make a bot with https://t.me/BotFather (/newbot), which tells its token."
_DEAF = (
    "In groups the bot gets only what is addressed to it. To let it listen: @BotFather, /setprivacy, Disable; "
    "then remove it from the group and add it again."
)


def telegram(
    listen: Annotated[
        list[str] | None,
        typer.Option("--listen", metavar="CHAT", help="Listen to this group, by id or @name; repeatable."),
    ] = None,
    api: Annotated[
        str | None, typer.Option(help="A Bot API server to use in place of https://api.telegram.org.", metavar="URL")
    ] = None,
    log_level: LogLevel = "info",
    database: Database = None,
) -> None:
    """Listen and answer on Telegram, until interrupted. Needs TELEGRAM_BOT_TOKEN."""
    try:
        from erstwhile.bots.telegram import TelegramPlatform
    except ImportError as missing:
        raise SettingsError(f"The Telegram bot needs {missing.name}: pip install 'erstwhile[telegram]'.") from None
    token = os.environ.get("TELEGRAM_BOT_TOKEN", "").strip()
    if not token:
        raise SettingsError(_NO_TOKEN)
    if not re.fullmatch(r"\d+:[\w-]+", token):
        raise SettingsError("TELEGRAM_BOT_TOKEN is a number, a colon and letters; what is set is something else.")
    set_log_level(log_level)

    async def run() -> None:
        await run_until_stopped(_run(database, TelegramPlatform(token, api), listen or []))

    asyncio.run(run())


async def _run(database: str | None, platform: TelegramPlatform, chats: list[str]) -> None:
    from erstwhile.bots.bot import Bot

    async with open_memory(database, worker=True) as memory:
        await _welcome(memory, platform, chats)
        await Bot(memory, platform).run()


async def _welcome(memory: Memory, platform: TelegramPlatform, chats: list[str]) -> None:
    us = await platform.identify()
    for name in chats:
        place = await platform.chat(name)
        if place is None:
            output.note(f"The bot is in no chat {name}. Add it to the group first.")
        else:
            await listen_to(memory, place, past=False, whole_seconds=True)
            output.note(f"Listening to {place.title}.")
    if not us.get("can_read_all_group_messages"):
        output.note(_DEAF)
    output.note(f"Write to it at https://t.me/{us.get('username')}; in a group, add it and say /memory on.")
