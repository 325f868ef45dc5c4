"""The Web API with its limits, retries and errors, and Socket Mode connections."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from erstwhile.base.errors import SettingsError
from erstwhile.base.logs import Log

log = Log(__name__)
Json = dict[str, Any]
T = TypeVar("T")
PAGE = 200  # recommended by Slack, which may return less
TRANSIENT = (SlackApiError, aiohttp.ClientError, OSError, TimeoutError)
_MAX_RETRIES, _LONGEST_WAIT, _LONGEST_PAUSE = 6, 600.0, 60.0

# At DEBUG slack_sdk logs whole requests, with message texts.
library = logging.getLogger("erstwhile.slack_sdk")
library.setLevel(logging.CRITICAL)

_PERMANENT = {
    "invalid_auth": "Slack doesn't know this token.",
    "not_authed": "No token was given.",
    "account_inactive": "The token belongs to an app that was removed from the workspace. Install it again.",
    "token_revoked": "The token was revoked. Install the app again, and take the new token.",
    "token_expired": "The token has expired. Take a new one from the app's page.",
    "not_allowed_token_type": (
        "This is a token of another kind: SLACK_BOT_TOKEN begins with xoxb-, SLACK_APP_TOKEN with xapp-."
    ),
    "link_disabled": "Socket Mode is switched off for this app. Switch it on, on the app's page under Socket Mode.",
    "team_access_not_granted": "The app may not enter this workspace. An admin has to approve it.",
    "org_login_required": "The workspace is being moved. Try again later.",
}


def permanent_error(error: SlackApiError, what: str) -> SettingsError | None:
    """Return an error with a reason where a retry cannot help, else None."""
    name = _name(error)
    if name == "missing_scope":
        needed = error.response.get("needed") or "another one"
        add = "Add it under OAuth & Permissions, and install the app again."
        return SettingsError(f"{what}: the scope {needed} is missing. {add}")
    return SettingsError(f"{what}: {_PERMANENT[name]}") if name in _PERMANENT else None


def error_name(error: BaseException) -> str:
    return _name(error) if isinstance(error, SlackApiError) else type(error).__name__


def _name(error: SlackApiError) -> str:
    get = getattr(error.response, "get", None)
    named = (get("error") if get else "") or getattr(error.response, "status_code", "")
    return str(named or "unknown")


async def retry(call: Callable[[], Awaitable[T]], token: str, event: str, pause: float) -> T:
    """Call until it succeeds. Raise an error that names `token` if a retry cannot help."""
    while True:
        try:
            return await call()
        except TRANSIENT as trouble:
            error = permanent_error(trouble, token) if isinstance(trouble, SlackApiError) else None
            if error is not None:
                raise error from None
            log.warning(event, error=error_name(trouble), seconds=round(pause, 1))
        await asyncio.sleep(pause * (1 + random.random() / 4))
        pause = min(2 * pause, _LONGEST_PAUSE)


class RetryHandler(AsyncRetryHandler):
    """Obeys Retry-After. (slack_sdk's own handler reads only its first digit: 3 seconds for 30.)
    Reads are retried after any server failure, writes only where the server did nothing."""

    def __init__(self) -> None:
        super().__init__(max_retry_count=_MAX_RETRIES)
        self._not_before: dict[str, float] = {}  # by method: callers share a limit

    async def wait_turn(self, method: str) -> None:
        await asyncio.sleep(max(0.0, self._not_before.get(method, 0.0) - time.monotonic()))

    async def _can_retry_async(
        self,
        *,
        state: RetryState,  # noqa: ARG002
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if response is not None and error is None:
            return response.status_code in (429, 503) or (
                request.method == "GET" and response.status_code >= 500
            )
        lost = isinstance(error, aiohttp.ClientError | OSError | TimeoutError)
        unconnected = isinstance(error, aiohttp.ClientConnectorError)
        return unconnected or (lost and request.method == "GET")

    async def prepare_for_next_attempt_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,  # noqa: ARG002
    ) -> None:
        state.next_attempt_requested = True
        wait, method = self._retry_after(response), request.url.rpartition("/")[2]
        if wait is None:
            wait = 0.5 * 2**state.current_attempt
        else:
            log.info("slack.rate_limited", method=method, seconds=wait)
            self._not_before[method] = time.monotonic() + wait
        await asyncio.sleep(wait + random.random() * 0.2)
        await self.wait_turn(method)
        state.increment_current_attempt()

    @staticmethod
    def _retry_after(response: HttpResponse | None) -> float | None:
        if response is None or response.status_code != 429:
            return None
        headers = {name.lower(): value for name, value in response.headers.items()}
        told = headers.get("retry-after", "1")
        told = told[0] if isinstance(told, list) else told
        return min(_LONGEST_WAIT, float(told)) if told.isdigit() else 1.0


class _WebClient(AsyncWebClient):
    retries: RetryHandler

    async def api_call(self, api_method: str, **more: Any) -> AsyncSlackResponse:
        await self.retries.wait_turn(api_method)
        return await super().api_call(api_method, **more)


class SlackApi:
    """One session for all calls while the adapter runs; otherwise slack_sdk makes one for each."""

    def __init__(self, token: str, api: str | None) -> None:
        base, retries = api or AsyncWebClient.BASE_URL, RetryHandler()
        given: Any = {"logger": library, "retry_handlers": [retries]}
        self.client = _WebClient(token=token, base_url=base, **given)
        self.client.retries = retries

    @asynccontextmanager
    async def session(self) -> AsyncIterator[None]:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session:
            self.client.session = session
            try:
                yield
            finally:
                self.client.session = None

    async def pages(self, method: str, arguments: Json, part: str) -> AsyncIterator[list[Json]]:
        """Yield all pages of a list, in Slack's order."""
        cursor = ""
        while True:
            arguments = {"limit": PAGE, **arguments, **({"cursor": cursor} if cursor else {})}
            answer = await self.client.api_call(method, http_verb="GET", params=arguments)
            yield list(answer.get(part) or [])
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                return

    async def find(
        self, method: str, arguments: Json, part: str, wanted: Callable[[Json], bool]
    ) -> Json | None:
        async for page in self.pages(method, arguments, part):
            for each in page:
                if wanted(each):
                    return each
        return None


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
    """`taken` gets each message, and a hello with `gap`: whether anything was missed."""

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
                log.info("slack.connection_ending", reason=fresh.reason or "lost")
                if fresh.reason == "link_disabled":
                    off = "Socket Mode is off for this app. Turn it on under Socket Mode on the app's page."
                    raise SettingsError(f"Slack ended the connection: {off}")
                if fresh.reason not in _PLANNED or not fresh.is_open:
                    self._current = None
                    await fresh.close()
                if fresh.reason == "too_many_websockets":  # at most ten; others have to end first
                    await asyncio.sleep(self._ping_seconds)
        finally:
            for task in self._closing:
                task.cancel()
            await asyncio.gather(*self._closing, return_exceptions=True)
            if self._current is not None:
                await self._current.close()

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

        pause = self._ping_seconds / 10
        return await retry(connect, "SLACK_APP_TOKEN", "slack.connection_failed", pause)

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
