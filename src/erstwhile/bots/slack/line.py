"""The Socket Mode connection. Slack ends every connection after some hours and says so before; then the next one is opened first."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from contextlib import suppress

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.aiohttp import SocketModeClient

from erstwhile.base.errors import SettingsError
from erstwhile.base.logs import Log
from erstwhile.bots.slack.calls import TROUBLE, Calls, Json, error_name, hopeless, library

log = Log(__name__)
_LONGEST_PAUSE = 60.0
_ANNOUNCED = ("refresh_requested", "warning")  # the connection still hears for some seconds


class Line(SocketModeClient):
    """One connection. It never connects again by itself: slack_sdk would close it before it has another, and try a used-up address for
    ever. `ending`: it is over, or will be soon for `reason`."""

    def __init__(self, url: str, calls: Calls, taken: Callable[[Json], None], beat: float) -> None:
        super().__init__("", logger=library, web_client=calls.client, ping_interval=beat)
        self.wss_uri = url
        self.on_message_listeners.append(self._heard)
        self.on_error_listeners.append(self._over)
        self.greeted, self.ending = asyncio.Event(), asyncio.Event()
        self.reason = ""
        self._taken = taken

    @property
    def hears(self) -> bool:
        session = self.current_session
        return self.greeted.is_set() and session is not None and not session.closed

    async def connect(self) -> None:
        await super().connect()  # type: ignore[no-untyped-call]

    async def close(self) -> None:
        await super().close()  # type: ignore[no-untyped-call]

    async def connect_to_new_endpoint(self, force: bool = False) -> None:  # noqa: ARG002
        self.ending.set()

    async def _over(self, _: aiohttp.WSMessage) -> None:
        self.ending.set()

    async def _heard(self, message: aiohttp.WSMessage) -> None:
        """In the order in which it came; slack_sdk's own listeners run side by side."""
        body = json.loads(message.data) if message.data.startswith("{") else {}
        if body.get("type") == "disconnect":
            self.reason = str(body.get("reason"))
            return
        self._taken(body)
        if body.get("type") == "hello":
            self.greeted.set()
        if body.get("envelope_id"):
            with suppress(ConnectionError):  # Slack sends it again
                await self.send_message(json.dumps({"envelope_id": body["envelope_id"]}))


class Lines:
    """One line after the other. `taken` gets what comes, and a hello with `gap`: whether anything may have been missed before it."""

    def __init__(self, app_token: str, calls: Calls, taken: Callable[[Json], None], beat: float) -> None:
        self._app_token, self._calls, self._taken, self._beat = app_token, calls, taken, beat
        self._old: set[asyncio.Task[None]] = set()
        self._current: Line | None = None

    async def run(self) -> None:
        try:
            while True:
                fresh = await self._open()
                before, self._current = self._current, fresh
                if before is not None:
                    self._see_off(before)
                await fresh.ending.wait()
                await self._take_notice(fresh)
        finally:
            for task in self._old:
                task.cancel()
            await asyncio.gather(*self._old, return_exceptions=True)
            if self._current is not None:
                await self._current.close()

    async def _take_notice(self, line: Line) -> None:
        log.info("slack.line_ends", reason=line.reason or "lost")
        if line.reason == "link_disabled":
            raise SettingsError("Slack ended the connection: Socket Mode was switched off for this app.")
        if line.reason not in _ANNOUNCED or not line.hears:
            self._current = None
            await line.close()
        if line.reason == "too_many_websockets":  # up to ten at once; those of others have to end first
            await asyncio.sleep(self._beat)

    def _see_off(self, line: Line) -> None:
        """What was on its way on the old line still comes; whatever does not, Slack sends again on the new one."""

        async def ended() -> None:
            try:
                for _ in range(20):
                    if not line.hears:
                        return
                    await asyncio.sleep(self._beat / 20)
            finally:
                await line.close()

        task = asyncio.create_task(ended())
        self._old.add(task)
        task.add_done_callback(self._old.discard)

    async def _open(self) -> Line:
        """Tries until it succeeds, or never can."""
        pause = self._beat / 10
        while True:
            try:
                answer = await self._calls.client.apps_connections_open(app_token=self._app_token)
                return await self._connected(str(answer["url"]))
            except TROUBLE as trouble:
                reason = hopeless(trouble, "SLACK_APP_TOKEN") if isinstance(trouble, SlackApiError) else None
                if reason is not None:
                    raise reason from None
                log.warning("slack.not_connected", error=error_name(trouble), seconds=round(pause, 1))
            await asyncio.sleep(pause * (1 + random.random() / 4))
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _connected(self, url: str) -> Line:
        line = Line(url, self._calls, self._pass_on, self._beat)
        try:
            async with asyncio.timeout(4 * self._beat):
                await line.connect()
                await line.greeted.wait()
        finally:
            if not line.greeted.is_set():
                await line.close()
        log.info("slack.connected")
        return line

    def _pass_on(self, body: Json) -> None:
        if body.get("type") == "hello":
            body = {"type": "hello", "gap": self._current is None or not self._current.hears}
        self._taken(body)
