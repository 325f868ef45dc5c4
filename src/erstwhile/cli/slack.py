"""The Slack bot."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.api.memory import Memory
from erstwhile.api.memory import open as open_memory
from erstwhile.base.errors import SettingsError
from erstwhile.cli import output
from erstwhile.cli.bots import (
    ChannelChoice,
    Listen,
    ListenAll,
    Past,
    choose_channels,
    format_titles,
    listen_to,
    listening_titles,
    run_until_stopped,
    set_log_level,
)
from erstwhile.cli.options import Database, LogLevel

if TYPE_CHECKING:
    from erstwhile.bots.port import ChatPlace
    from erstwhile.bots.slack import SlackPlatform

_TOKENS = {"SLACK_BOT_TOKEN": "xoxb-", "SLACK_APP_TOKEN": "xapp-"}
_WHERE = {
    "SLACK_BOT_TOKEN": "It is the Bot User OAuth Token, on the page of your app (https://api.slack.com/apps) under OAuth & Permissions.",
    "SLACK_APP_TOKEN": "It is an App-Level Token with the scope connections:write, on the page of your app under Basic Information.",
}


def slack(
    listen: Listen = None,
    listen_all: ListenAll = False,
    past: Past = False,
    api: Annotated[
        str | None, typer.Option(help="An address to use in place of https://slack.com/api/.", metavar="URL")
    ] = None,
    log_level: LogLevel = "info",
    database: Database = None,
) -> None:
    """Listen and answer on Slack, until interrupted. Needs SLACK_BOT_TOKEN and SLACK_APP_TOKEN."""
    try:
        from erstwhile.bots.slack import SlackPlatform
    except ImportError as missing:
        raise SettingsError(f"The Slack bot needs {missing.name}: pip install 'erstwhile[slack]'.") from None
    set_log_level(log_level)
    token, app_token = (_token(name) for name in _TOKENS)
    platform = SlackPlatform(token, app_token, api)
    asyncio.run(run_until_stopped(_run(database, platform, choose_channels(listen, listen_all, past))))


def _token(name: str) -> str:
    given = os.environ.get(name, "").strip()
    if not given:
        raise SettingsError(f"Set {name}. {_WHERE[name]}")
    if not given.startswith(_TOKENS[name]):
        raise SettingsError(f"{name} begins with {_TOKENS[name]}; what is set is something else. {_WHERE[name]}")
    return given


async def _run(database: str | None, platform: SlackPlatform, chosen: ChannelChoice) -> None:
    from erstwhile.bots.bot import Bot

    places = await platform.channels()
    async with open_memory(database, worker=True) as memory:
        for place in places:
            if place in chosen:
                await listen_to(memory, place, past=chosen.past)
        await _welcome(memory, places, chosen)
        await Bot(memory, platform).run()


async def _welcome(memory: Memory, places: list[ChatPlace], chosen: ChannelChoice) -> None:
    for missing in chosen.missing(places):
        output.note(f"The bot is in no channel {missing}. Say /invite there, with its name.")
    shared = [place for place in places if not place.direct]
    titles = await listening_titles(memory, shared)
    output.note(f"Listening to {len(titles)} of {len(shared)} channels that the bot is in{format_titles(titles)}.")
    if not titles:
        output.note("Next: in a channel of yours, /invite the bot and say /erstwhile memory on; then mention it.")
