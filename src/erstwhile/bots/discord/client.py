"""discord.py's client: which events it asks for, that they are handed on in order, and that it can talk to another address."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import HTTPClient, Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

from erstwhile.base.logs import Log

log = Log(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: between two new sessions (Discord wants five), from the last server told of to being ready, and without any sign of life."""

    session: float = 5.0
    ready: float = 2.0
    silence: float = 60.0


def intents() -> discord.Intents:
    """Not the list of members, which is privileged: who wrote is told with each message, and who can read is asked when it matters."""
    return discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)


class _Rest(HTTPClient):
    """Every address is made from `Route.BASE`, a constant of the class, so it is exchanged in each route and nothing is changed for other
    clients of this process."""

    api: str

    async def request(self, route: Route, **more: Any) -> Any:
        return await super().request(_elsewhere(route, self.api), **more)

    async def ws_connect(self, url: str, *, compress: int = 0) -> aiohttp.ClientWebSocketResponse:
        asked = yarl.URL(url)
        if asked.host == DiscordWebSocket.DEFAULT_GATEWAY.host:
            _, address, _ = await self.get_bot_gateway()
            url = str(yarl.URL(address).with_query(asked.query))
        return await super().ws_connect(url, compress=compress)


class _Webhooks(AsyncWebhookAdapter):
    """Answers to slash commands take another way through discord.py than everything else."""

    def __init__(self, api: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # discord.py left it so
        self._api = api

    async def request(self, route: Route, session: aiohttp.ClientSession, **more: Any) -> Any:
        return await super().request(_elsewhere(route, self._api), session, **more)


def _elsewhere(route: Route, api: str) -> Route:
    route.url = route.url.replace(Route.BASE, api, 1)
    return route


class Client(discord.Client):
    """`happened` gets the name and the arguments of each event, at once and in order: discord.py itself would start a task for each."""

    def __init__(self, happened: Callable[..., None], api: str | None, pace: Pace) -> None:
        super().__init__(
            intents=intents(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            allowed_mentions=discord.AllowedMentions.none(),
            guild_ready_timeout=pace.ready,
            heartbeat_timeout=pace.silence,
        )
        self._happened = happened
        self._pace = pace
        self._webhooks = _Webhooks(api) if api else None
        if api:
            rest = _Rest(self.loop)
            rest.api = api
            self.http = self._connection.http = rest
        self.before_connecting: Callable[[], Any] | None = None

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        try:
            self._happened(event, *args)
        except Exception as trouble:  # noqa: BLE001 - one event that Discord shaped otherwise must not end the connection
            log.error("discord.event_failed", kind=event, error=type(trouble).__name__)
        super().dispatch(event, *args, **kwargs)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002
        if not initial:
            await asyncio.sleep(self._pace.session)

    async def setup_hook(self) -> None:
        if self.before_connecting is not None:
            await self.before_connecting()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Around whatever answers a slash command."""
        if self._webhooks is None:
            yield
            return
        token = async_context.set(self._webhooks)
        try:
            yield
        finally:
            async_context.reset(token)


class _Relay(logging.Handler):
    """What discord.py has to say, among our own lines. Only the sentence, not what is filled in: that can be a message or an address with a
    secret in it."""

    def emit(self, record: logging.LogRecord) -> None:
        if "voice will NOT be supported" in str(record.msg):
            return
        error = record.exc_info[1] if record.exc_info else None
        fields = {"says": str(record.msg), "error": type(error).__name__ if error else None}
        (log.error if record.levelno >= logging.ERROR and error is None else log.warning)("discord.library", **fields)


@contextmanager
def relayed() -> Iterator[None]:
    library, relay = logging.getLogger("discord"), _Relay(logging.WARNING)
    before = library.propagate
    library.addHandler(relay)
    library.propagate = False
    try:
        yield
    finally:
        library.removeHandler(relay)
        library.propagate = before
