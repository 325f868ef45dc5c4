"""The discord.py client: its events in order, another API address, and the slash commands."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

import aiohttp
import discord
import yarl
from discord import app_commands
from discord.gateway import DiscordWebSocket
from discord.http import HTTPClient, Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass

log = Log(__name__)


@dataclass(frozen=True, slots=True)
class ConnectionTiming:
    """Seconds between two new sessions (Discord asks for five), from the last server to ready, and
    without a heartbeat before the connection is given up."""

    session: float = 5.0
    ready: float = 2.0
    silence: float = 60.0


def intents() -> discord.Intents:
    """Return the events to request. The member list is privileged and not needed."""
    return discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)


class _RestClient(HTTPClient):
    """Sends requests to another address. `Route.BASE` stays as other clients need it."""

    api: str

    async def request(self, route: Route, **more: Any) -> Any:
        return await super().request(_redirect(route, self.api), **more)

    async def ws_connect(self, url: str, *, compress: int = 0) -> aiohttp.ClientWebSocketResponse:
        asked = yarl.URL(url)
        if asked.host == DiscordWebSocket.DEFAULT_GATEWAY.host:
            _, address, _ = await self.get_bot_gateway()
            url = str(yarl.URL(address).with_query(asked.query))
        return await super().ws_connect(url, compress=compress)


class _Webhooks(AsyncWebhookAdapter):
    """Redirects replies to slash commands, which do not use the REST client."""

    def __init__(self, api: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # discord.py left it so
        self._api = api

    async def request(self, route: Route, session: aiohttp.ClientSession, **more: Any) -> Any:
        return await super().request(_redirect(route, self._api), session, **more)


def _redirect(route: Route, api: str) -> Route:
    route.url = route.url.replace(Route.BASE, api, 1)
    return route


class DiscordClient(discord.Client):
    """Calls `on_event` at once and in order; discord.py itself starts a task for each."""

    def __init__(
        self, on_event: Callable[..., None], api: str | None, timing: ConnectionTiming
    ) -> None:
        super().__init__(
            intents=intents(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            allowed_mentions=discord.AllowedMentions.none(),
            guild_ready_timeout=timing.ready,
            heartbeat_timeout=timing.silence,
        )
        self._on_event, self._timing = on_event, timing
        self._webhooks = _Webhooks(api) if api else None
        if api:
            rest = _RestClient(self.loop)
            rest.api = api
            self.http = self._connection.http = rest
        self.before_connecting: Callable[[], Any] | None = None

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        try:
            self._on_event(event, *args)
        except Exception as trouble:  # noqa: BLE001 - the connection stays
            log.error("discord.event_failed", kind=event, error=type(trouble).__name__)
        super().dispatch(event, *args, **kwargs)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002
        if not initial:
            await asyncio.sleep(self._timing.session)

    async def setup_hook(self) -> None:
        if self.before_connecting is not None:
            await self.before_connecting()

    @contextmanager
    def answering(self) -> Iterator[None]:
        if self._webhooks is None:
            yield
            return
        token = async_context.set(self._webhooks)
        try:
            yield
        finally:
            async_context.reset(token)


class _LogHandler(logging.Handler):
    """Forwards warnings without their arguments, which may hold a message or a secret."""

    def emit(self, record: logging.LogRecord) -> None:
        if "voice will NOT be supported" in str(record.msg):
            return
        error = record.exc_info[1] if record.exc_info else None
        fields = {"says": str(record.msg), "error": type(error).__name__ if error else None}
        (log.error if record.levelno >= logging.ERROR and error is None else log.warning)(
            "discord.library", **fields
        )


@contextmanager
def forward_library_logs() -> Iterator[None]:
    library, relay = logging.getLogger("discord"), _LogHandler(logging.WARNING)
    before = library.propagate
    library.addHandler(relay)
    library.propagate = False
    try:
        yield
    finally:
        library.removeHandler(relay)
        library.propagate = before


Tree = app_commands.CommandTree[Any]
# Called with the interaction, the verb, the words after it, and the person it names.
CommandHandler = Callable[[discord.Interaction, str, str, str | None], Awaitable[None]]
_CONTEXTS = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False)
_INSTALLS = app_commands.AppInstallationType(guild=True, user=False)


def command_tree(client: discord.Client, on_command: CommandHandler) -> Tree:
    allowed: Any = {"allowed_contexts": _CONTEXTS, "allowed_installs": _INSTALLS}
    tree = app_commands.CommandTree(client, **allowed)
    group = app_commands.Group(name="memory", description="The memory of this channel.", **allowed)
    tree.add_command(group)

    def add(where: Any, name: str, description: str, callback: Any, **parameters: str) -> None:
        told = app_commands.describe(**parameters)(callback)
        where.add_command(app_commands.Command(name=name, description=description, callback=told))

    def plain(verb: str, words: str) -> Any:
        async def command(interaction: discord.Interaction) -> None:
            await on_command(interaction, verb, words, None)

        return command

    def fact(verb: str) -> Any:
        async def command(
            interaction: discord.Interaction, what: str, who: discord.User | None = None
        ) -> None:
            await on_command(interaction, verb, what, str(who.id) if who else None)

        return command

    async def about(interaction: discord.Interaction, who: discord.User) -> None:
        await on_command(interaction, "about", "", str(who.id))

    async def forget_me(interaction: discord.Interaction, confirm: str = "") -> None:
        await on_command(interaction, "forget-me", confirm, None)

    choices = [app_commands.Choice(name=each, value=each) for each in ("stop", "start")]

    @app_commands.choices(choice=choices)
    async def privacy(interaction: discord.Interaction, choice: str = "") -> None:
        await on_command(interaction, "privacy", choice, None)

    async def on(interaction: discord.Interaction, past: bool = False) -> None:
        await on_command(interaction, "memory", "on past" if past else "on", None)

    who, own = "About whom, if not about you.", "What to remember, in your own words."
    add(tree, "remember", "Remember something.", fact("remember"), what=own, who=who)
    said = "Forget something that you asked to remember."
    add(tree, "forget", said, fact("forget"), what="What to forget.", who=who)
    said = "Show what is known about someone, from channels that you can read."
    add(tree, "about", said, about, who="About whom.")
    known = "what-do-you-know"
    add(tree, known, "Show everything that is known about you.", plain(known, ""))
    said = "Write yes to confirm. Without it, shows what would be erased."
    erase = "Erase your messages and everything made from them."
    add(tree, "forget-me", erase, forget_me, confirm=said)
    said = "stop: keep nothing you say from now on. start: keep it again."
    shown = "Show what is kept, who can see it, and your choices."
    add(tree, "privacy", shown, privacy, choice=said)
    explain = "Show where the last answer here came from."
    add(group, "explain", explain, plain("memory", "explain"))
    said = "Listen in this channel. Only for those who manage it."
    add(group, "on", said, on, past="Also store earlier messages.")
    said = "Stop listening in this channel. Only for those who manage it."
    add(group, "off", said, plain("memory", "off"))
    said = "Show whether the bot listens here, and since when."
    add(group, "status", said, plain("memory", "status"))
    return tree


async def register_commands(commands: Tree) -> None:
    client = commands.client
    assert client.application_id is not None
    wanted = [each.to_dict(commands) for each in commands.get_commands()]
    there: list[Any] = list(await client.http.get_global_commands(client.application_id))
    by_name = itemgetter("name")
    if not _matches(sorted(wanted, key=by_name), sorted(there, key=by_name)):
        await commands.sync()
        log.info("discord.commands_registered", count=len(wanted))


def _matches(wanted: Any, there: Any) -> bool:
    """Compare commands. Discord adds fields of its own and leaves out empty ones."""
    if isinstance(wanted, dict):
        there = there if isinstance(there, dict) else {}
        return all(_matches(value, there.get(name)) for name, value in wanted.items())
    if isinstance(wanted, list | tuple):
        there = there or []
        return len(wanted) == len(there) and all(map(_matches, wanted, there))
    return wanted == there or (not wanted and not there)
