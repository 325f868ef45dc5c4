"""The Web API: rate limits, retries and errors."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
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
    return str(
        (get("error") if get else "") or getattr(error.response, "status_code", "") or "unknown"
    )


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
        unconnected = isinstance(error, aiohttp.ClientConnectorError)
        return unconnected or (
            request.method == "GET"
            and isinstance(error, aiohttp.ClientError | OSError | TimeoutError)
        )

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
        told = next(
            (value for name, value in response.headers.items() if name.lower() == "retry-after"),
            "1",
        )
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
        self.client = _WebClient(
            token=token, base_url=base, logger=library, retry_handlers=[retries]
        )
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
