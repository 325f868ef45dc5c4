"""The Slack bot."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base.errors import SettingsError
from erstwhile.base.logs import to_stderr
from erstwhile.cli import output
from erstwhile.cli.options import Database
from erstwhile.memory import Memory
from erstwhile.memory import open as open_memory

if TYPE_CHECKING:
    from erstwhile.platforms.port import Place
    from erstwhile.platforms.slack import SlackPlatform

_TOKENS = {"SLACK_BOT_TOKEN": "xoxb-", "SLACK_APP_TOKEN": "xapp-"}
_WHERE = {
    "SLACK_BOT_TOKEN": "It is the Bot User OAuth Token, on the page of your app (https://api.slack.com/apps) under OAuth & Permissions.",
    "SLACK_APP_TOKEN": "It is an App-Level Token with the scope connections:write, on the page of your app under Basic Information.",
}
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The channels to listen to, by id or name, from now on or with what was said there before."""

    names: frozenset[str]
    all: bool
    past: bool

    def __contains__(self, place: Place) -> bool:
        return bool(self.names & {place.channel, place.title}) or (self.all and not place.direct)


def slack(
    listen: Annotated[
        list[str] | None,
        typer.Option("--listen", metavar="CHANNEL", help="Listen to this channel, by name or id; again for more."),
    ] = None,
    listen_all: Annotated[bool, typer.Option("--listen-all", help="Listen to every channel the bot is in.")] = False,
    past: Annotated[bool, typer.Option("--past", help="Also take in what was said there before.")] = False,
    api: Annotated[
        str | None, typer.Option(help="An address to use in place of https://slack.com/api/.", metavar="URL")
    ] = None,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "info",
    database: Database = None,
) -> None:
    """Listen and answer on Slack, until interrupted. Needs SLACK_BOT_TOKEN and SLACK_APP_TOKEN."""
    try:
        from erstwhile.platforms.slack import SlackPlatform
    except ImportError as missing:
        raise SettingsError(f"The Slack bot needs {missing.name}: pip install 'erstwhile[slack]'.") from None
    if log_level not in ("debug", "info", "warning", "error"):
        raise SettingsError(f"There is no log level {log_level!r}: debug, info, warning or error.")
    token, app_token = (_token(name) for name in _TOKENS)
    to_stderr(log_level)
    wanted = _Wanted(frozenset(name.lstrip("#") for name in listen or ()), listen_all, past)
    asyncio.run(_until_told(_run(database, SlackPlatform(token, app_token, api), wanted)))


def _token(name: str) -> str:
    given = os.environ.get(name, "").strip()
    if not given:
        raise SettingsError(f"Set {name}. {_WHERE[name]}")
    if not given.startswith(_TOKENS[name]):
        raise SettingsError(f"{name} begins with {_TOKENS[name]}; what is set is something else. {_WHERE[name]}")
    return given


async def _until_told(work: Coroutine[None, None, None]) -> None:
    running = asyncio.ensure_future(work)
    if sys.platform != "win32":  # there Ctrl-C interrupts by itself
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(each, running.cancel)
    with suppress(asyncio.CancelledError):
        await running
    output.note("Stopped.")


async def _run(database: str | None, platform: SlackPlatform, wanted: _Wanted) -> None:
    from erstwhile.platforms.bot import Bot

    places = await platform.channels()
    async with open_memory(database, worker=True) as memory:
        for place in places:
            if place in wanted:
                await _listen(memory, place, past=wanted.past)
        await _welcome(memory, places, wanted)
        await Bot(memory, platform).run()


async def _listen(memory: Memory, place: Place, *, past: bool) -> None:
    """What someone chose before stays as it is, unless the past is wanted now."""
    before = next((each for each in await memory.listening(space=place.space) if each.channel == place.channel), None)
    if before is not None and before.on and not (past and before.since):
        return
    since = "" if past else datetime.now(UTC).isoformat()
    await memory.listen(memory.channel(place.channel, place.space), since=since, title=place.title)


async def _welcome(memory: Memory, places: list[Place], wanted: _Wanted) -> None:
    for missing in sorted(wanted.names - {name for place in places for name in (place.channel, place.title)}):
        output.note(f"The bot is in no channel {missing}. Say /invite there, with its name.")
    spaces = {place.space for place in places}
    on = {each.channel for space in spaces for each in await memory.listening(space=space) if each.on}
    shared = [place for place in places if not place.direct]
    titles = sorted(f"#{place.title}" for place in shared if place.channel in on)
    listed = ": " + ", ".join(titles[:_SHOWN]) + (", …" if len(titles) > _SHOWN else "") if titles else ""
    output.note(f"Listening to {len(titles)} of {len(shared)} channels that the bot is in{listed}.")
    if not titles:
        output.note("Next: in a channel of yours, /invite the bot and say /erstwhile memory on; then mention it.")
