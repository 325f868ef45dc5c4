"""Socket Mode connections. The next is opened before Slack ends the current one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress

import aiohttp
from slack_sdk.socket_mode.aiohttp import SocketModeClient

from erstwhile.base.errors import SettingsError
from erstwhile.base.logs import Log
from erstwhile.bots.slack.web_api import Json, SlackApi, library, retry

log = Log(__name__)
_PLANNED = ("refresh_requested", "warning")  # the connection still delivers for some seconds


class SocketConnection(SocketModeClient):
    """One connection that never reconnects: slack_sdk would close it before it has another, and
    retry a used address for ever. `ending`: it has ended, or will soon, because of `reason`."""

    def __init__(
        self, url: str, api: SlackApi, taken: Callable[[Json], None], ping_seconds: float
    ) -> None:
        super().__init__("", logger=library, web_client=api.client, ping_interval=ping_seconds)
        self.wss_uri = url
        self.on_message_listeners.append(self._receive)
        self.on_error_listeners.append(self._on_error)
        self.ready, self.ending = asyncio.Event(), asyncio.Event()
        self.reason = ""
        self._taken = taken

    @property
    def is_open(self) -> bool:
        session = self.current_session
        return self.ready.is_set() and session is not None and not session.closed

    async def connect(self) -> None:
        await super().connect()  # type: ignore[no-untyped-call]

    async def close(self) -> None:
        await super().close()  # type: ignore[no-untyped-call]

    async def connect_to_new_endpoint(self, force: bool = False) -> None:  # noqa: ARG002
        self.ending.set()

    async def _on_error(self, _: aiohttp.WSMessage) -> None:
        self.ending.set()

    async def _receive(self, message: aiohttp.WSMessage) -> None:
        """Pass a message on in the order of arrival; slack_sdk's own listeners run in parallel."""
        body = json.loads(message.data) if message.data.startswith("{") else {}
        if body.get("type") == "disconnect":
            self.reason = str(body.get("reason"))
            return
        self._taken(body)
        if body.get("type") == "hello":
            self.ready.set()
        if body.get("envelope_id"):
            with suppress(ConnectionError):  # Slack sends it again
                await self.send_message(json.dumps({"envelope_id": body["envelope_id"]}))


class SocketConnections:
    """Opens one connection after another. `taken` gets each message, and a hello with `gap`:
    whether anything may have been missed."""

    def __init__(
        self, app_token: str, api: SlackApi, taken: Callable[[Json], None], ping_seconds: float
    ) -> None:
        self._app_token = app_token
        self._api = api
        self._taken = taken
        self._ping_seconds = ping_seconds
        self._closing: set[asyncio.Task[None]] = set()
        self._current: SocketConnection | None = None

    async def run(self) -> None:
        try:
            while True:
                fresh = await self._open()
                before, self._current = self._current, fresh
                if before is not None:
                    self._close_later(before)
                await fresh.ending.wait()
                await self._handle_end(fresh)
        finally:
            for task in self._closing:
                task.cancel()
            await asyncio.gather(*self._closing, return_exceptions=True)
            if self._current is not None:
                await self._current.close()

    async def _handle_end(self, connection: SocketConnection) -> None:
        log.info("slack.connection_ending", reason=connection.reason or "lost")
        if connection.reason == "link_disabled":
            off = "Socket Mode is off for this app. Turn it on under Socket Mode on the app's page."
            raise SettingsError(f"Slack ended the connection: {off}")
        if connection.reason not in _PLANNED or not connection.is_open:
            self._current = None
            await connection.close()
        if connection.reason == "too_many_websockets":  # at most ten; others have to end first
            await asyncio.sleep(self._ping_seconds)

    def _close_later(self, connection: SocketConnection) -> None:
        """Close the old connection later. Slack sends the rest again on the new one."""

        async def ended() -> None:
            try:
                for _ in range(20):
                    if not connection.is_open:
                        return
                    await asyncio.sleep(self._ping_seconds / 20)
            finally:
                await connection.close()

        task = asyncio.create_task(ended())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _open(self) -> SocketConnection:
        """Retry until a connection is open, or the error is permanent."""

        async def connect() -> SocketConnection:
            answer = await self._api.client.apps_connections_open(app_token=self._app_token)
            return await self._connected(str(answer["url"]))

        return await retry(
            connect, "SLACK_APP_TOKEN", "slack.connection_failed", self._ping_seconds / 10
        )

    async def _connected(self, url: str) -> SocketConnection:
        connection = SocketConnection(url, self._api, self._forward, self._ping_seconds)
        try:
            async with asyncio.timeout(4 * self._ping_seconds):
                await connection.connect()
                await connection.ready.wait()
        except BaseException:  # also when cancelled just as it became ready
            await connection.close()
            raise
        log.info("slack.connected")
        return connection

    def _forward(self, body: Json) -> None:
        if body.get("type") == "hello":
            body = {"type": "hello", "gap": self._current is None or not self._current.is_open}
        self._taken(body)
