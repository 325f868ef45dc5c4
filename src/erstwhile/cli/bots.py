"""The Discord, the Slack and the Telegram bot."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from erstwhile.api.memory import open as open_memory
from erstwhile.base.errors import SettingsError
from erstwhile.base.records import dataclass
from erstwhile.cli import output
from erstwhile.cli.options import Database, LogLevel, Memory, needs, set_log_level

if TYPE_CHECKING:
    from erstwhile.bots.bot import Bot
    from erstwhile.bots.port import ChatPlace, Platform

_SHOWN = 20

Listen = Annotated[
    list[str] | None,
    typer.Option(
        "--listen", metavar="CHANNEL", help="Listen to this channel, by name or id; repeatable."
    ),
]


def _address(told: str) -> Any:
    return typer.Option(help=told, metavar="URL")


ListenAll = Annotated[bool, "Listen to every channel the bot can read."]
Past = Annotated[bool, "Also store earlier messages."]
_GROUP = "Listen to this group, by id or @name; repeatable."
Groups = Annotated[list[str] | None, typer.Option("--listen", metavar="CHAT", help=_GROUP)]
DiscordApi = Annotated[
    str | None, _address("A proxy to use in place of https://discord.com/api/v10.")
]
SlackApi = Annotated[str | None, _address("An address to use in place of https://slack.com/api/.")]
TelegramApi = Annotated[
    str | None, _address("A Bot API server to use in place of https://api.telegram.org.")
]


@dataclass(frozen=True, slots=True)
class ChannelChoice:
    """Channels to listen to, by id or name. `past`: with earlier messages."""

    names: frozenset[str]
    all: bool
    past: bool

    @classmethod
    def of(cls, listen: list[str] | None, listen_all: bool, past: bool) -> ChannelChoice:
        return cls(frozenset(name.lstrip("#") for name in listen or ()), listen_all, past)

    def __contains__(self, place: ChatPlace) -> bool:
        named = self.all or place.title in self.names
        return place.channel in self.names or (named and place.parent is None and not place.direct)

    def missing(self, places: Iterable[ChatPlace]) -> list[str]:
        known = {name for place in places for name in (place.channel, place.title)}
        return sorted(self.names - known)


def _token(name: str, missing: str, shape: str = ".+", wrong: str = "") -> str:
    given = os.environ.get(name, "").strip()
    if not given:
        raise SettingsError(f"Set {name}{missing}")
    if not re.fullmatch(shape, given):
        raise SettingsError(f"{name} {wrong}")
    return given


def _run(
    platform: Platform,
    database: str | None,
    welcome: Callable[[Memory, Bot], Awaitable[None]],
    *,
    while_it_runs: bool = False,
) -> None:
    """Run a bot until it ends, or SIGTERM or Ctrl-C stops it."""
    from erstwhile.bots.bot import Bot

    async def run() -> None:
        async with open_memory(database, worker=True) as memory:
            bot = Bot(memory, platform)
            greeting = asyncio.ensure_future(welcome(memory, bot))
            try:
                if not while_it_runs:
                    await greeting
                await bot.run()
            finally:
                greeting.cancel()
                await asyncio.gather(greeting, return_exceptions=True)

    async def run_until_stopped() -> None:
        running = asyncio.ensure_future(run())
        if sys.platform != "win32":  # there Ctrl-C interrupts by itself
            for each in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(each, running.cancel)
        with suppress(asyncio.CancelledError):
            await running
        output.note("Stopped.")

    asyncio.run(run_until_stopped())


async def _listen_to(
    memory: Memory, place: ChatPlace, *, past: bool, whole_seconds: bool = False
) -> bool:
    """Listen to a channel; return whether that changed anything. `whole_seconds`: the platform's
    times are."""
    listened = await memory.channels.listening(space=place.space)
    before = next((each for each in listened if each.channel == place.channel), None)
    if before is not None and before.on and not (past and before.since):
        return False
    now = datetime.now(UTC)
    since = "" if past else (now.replace(microsecond=0) if whole_seconds else now).isoformat()
    await memory.channels.listen(
        memory.channel(place.channel, place.space), since=since, title=place.title
    )
    return True


async def _listening(memory: Memory, places: Iterable[ChatPlace]) -> tuple[int, str]:
    """Return how many of these channels are listened to, and their titles."""
    spaces = {place.space for place in places}
    listened = {space: await memory.channels.listening(space=space) for space in spaces}
    on = {(space, each.channel) for space, found in listened.items() for each in found if each.on}
    titles = sorted(f"#{place.title}" for place in places if (place.space, place.channel) in on)
    more = ", …" if len(titles) > _SHOWN else ""
    return len(titles), f": {', '.join(titles[:_SHOWN])}{more}" if titles else ""


def discord(
    listen: Listen = None,
    listen_all: ListenAll = False,
    past: Past = False,
    api: DiscordApi = None,
    log_level: LogLevel = "info",
    database: Database = None,
) -> None:
    """Listen and answer on Discord, until interrupted. Needs DISCORD_TOKEN."""
    with needs("The Discord bot", "discord"):
        from erstwhile.bots.discord import DiscordPlatform
    token = _token(
        "DISCORD_TOKEN",
        " to your bot's token. Make a bot at https://discord.com/developers/applications (New Application, "
        "Bot, Reset Token) and turn on MESSAGE CONTENT INTENT there.",
    )
    set_log_level(log_level)
    platform, chosen = DiscordPlatform(token, api), ChannelChoice.of(listen, listen_all, past)

    async def welcome(memory: Memory, bot: Bot) -> None:
        """Once connected, listen to what was named, and say what to do next."""
        servers, places = await platform.servers(), await platform.places()
        for place in places:
            if place in chosen and await _listen_to(memory, place, past=past):
                await bot.listening_changed(place)
        for missing in chosen.missing(places):
            output.note(f"There is no channel {missing} that the bot can read.")
        anywhere = 0
        for space, name in sorted(servers.items(), key=lambda each: each[1]):
            here = [place for place in places if place.space == space and place.parent is None]
            count, titles = await _listening(memory, here)
            anywhere += count
            output.note(f"In {name}, listening to {count} of {len(here)} channels{titles}.")
        output.note(f"Invite the bot to a server: {await platform.invitation()}")
        if not anywhere:
            how = "in a channel of yours, /memory on; then mention the bot, or try /privacy."
            output.note(f"Next: {how}")

    _run(platform, database, welcome, while_it_runs=True)


def _slack_token(name: str, begin: str, where: str) -> str:
    wrong = f"begins with {begin}; what is set is something else. {where}"
    return _token(name, f". {where}", f"{begin}.*", wrong)


def slack(
    listen: Listen = None,
    listen_all: ListenAll = False,
    past: Past = False,
    api: SlackApi = None,
    log_level: LogLevel = "info",
    database: Database = None,
) -> None:
    """Listen and answer on Slack, until interrupted. Needs SLACK_BOT_TOKEN and SLACK_APP_TOKEN."""
    with needs("The Slack bot", "slack"):
        from erstwhile.bots.slack import SlackPlatform
    set_log_level(log_level)
    where = "It is the Bot User OAuth Token, on the page of your app (https://api.slack.com/apps) under OAuth & Permissions."
    token = _slack_token("SLACK_BOT_TOKEN", "xoxb-", where)
    where = "It is an App-Level Token with the scope connections:write, on the page of your app under Basic Information."
    app_token = _slack_token("SLACK_APP_TOKEN", "xapp-", where)
    platform = SlackPlatform(token, app_token, api)
    chosen = ChannelChoice.of(listen, listen_all, past)

    async def welcome(memory: Memory, _bot: Bot) -> None:
        places = await platform.channels()
        for place in places:
            if place in chosen:
                await _listen_to(memory, place, past=past)
        for missing in chosen.missing(places):
            output.note(f"The bot is in no channel {missing}. Say /invite there, with its name.")
        shared = [place for place in places if not place.direct]
        count, titles = await _listening(memory, shared)
        output.note(f"Listening to {count} of {len(shared)} channels that the bot is in{titles}.")
        if not count:
            how = "in a channel of yours, /invite the bot and say /erstwhile memory on; then mention it."
            output.note(f"Next: {how}")

    _run(platform, database, welcome)


def telegram(
    listen: Groups = None,
    api: TelegramApi = None,
    log_level: LogLevel = "info",
    database: Database = None,
) -> None:
    """Listen and answer on Telegram, until interrupted. Needs TELEGRAM_BOT_TOKEN."""
    with needs("The Telegram bot", "telegram"):
        from erstwhile.bots.telegram import TelegramPlatform
    token = _token(
        "TELEGRAM_BOT_TOKEN",
        ". Make a bot with https://t.me/BotFather (/newbot), which tells its token.",
        r"\d+:[\w-]+",
        "is a number, a colon and letters; what is set is something else.",
    )
    set_log_level(log_level)
    platform = TelegramPlatform(token, api)

    async def welcome(memory: Memory, _bot: Bot) -> None:
        us = await platform.identify()
        for name in listen or ():
            place = await platform.chat(name)
            if place is None:
                output.note(f"The bot is in no chat {name}. Add it to the group first.")
            else:
                await _listen_to(memory, place, past=False, whole_seconds=True)
                output.note(f"Listening to {place.title}.")
        if not us.get("can_read_all_group_messages"):
            output.note(
                "In groups the bot gets only what is addressed to it. To let it listen: @BotFather, /setprivacy, "
                "Disable; then remove it from the group and add it again."
            )
        how = "in a group, add it and say /memory on."
        output.note(f"Write to it at https://t.me/{us.get('username')}; {how}")

    _run(platform, database, welcome)
