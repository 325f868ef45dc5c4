"""The discord.py client: which events it requests, their order, and another API address."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import aiohttp
import discord
import yarl
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
    """Sends requests to another address. Each route is changed, not `Route.BASE`, so that other
    clients of this process are not affected."""

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
    """Calls `on_event` with the name and arguments of each event, at once and in order. discord.py
    itself starts a task for each."""

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
        """Redirect replies to slash commands that are sent inside this block."""
        if self._webhooks is None:
            yield
            return
        token = async_context.set(self._webhooks)
        try:
            yield
        finally:
            async_context.reset(token)


class _LogHandler(logging.Handler):
    """Forwards discord.py's warnings to our log. Only the message template: its arguments may hold
    a message or a secret address."""

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
