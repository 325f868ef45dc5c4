"""The models of spaces: their addresses, and one connection pool."""

from __future__ import annotations

import asyncio
import json
import math
import time
from typing import Any

import httpx2
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from erstwhile.api.ask_turn import chat_model
from erstwhile.api.memory import Memory
from erstwhile.base.errors import SettingsError, StorageError
from erstwhile.base.logs import Log
from erstwhile.base.recent import RecentItems
from erstwhile.base.tls import trusted
from erstwhile.http.chat.protocol import ChatProtocol
from erstwhile.http.chat.turn import ChatTurn
from erstwhile.http.problems import Problem
from erstwhile.writers.accounts import account
from erstwhile.writers.providers import ModelAddress

log = Log(__name__)

_MOST = 4096  # cached addresses
_LAST_KNOWN_SECONDS = 600.0  # a cached address is used so long without a database
_CONNECT_SECONDS = 5.0
_KEPT_SECONDS = 120.0  # idle connections
_KEPT = 100
# Client headers that are passed to the provider: neither the key nor erstwhile's own headers.
_PASSED_UP = ("accept", "anthropic-version", "anthropic-beta", "openai-beta")
# Provider headers about its connection or its own site, which are not passed on.
_NOT_PASSED_DOWN = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer"),
        *("transfer-encoding", "upgrade", "date", "server", "set-cookie", "alt-svc"),
        *("strict-transport-security", "x-erstwhile-memory"),
    )
)
_ADDRESS = "If it is at an address of its own, set ERSTWHILE_BASE_URL, or the space's `base_url`."
_RENAMED = {"x-request-id": "x-upstream-request-id"}  # X-Request-Id is erstwhile's own
_SPOKEN = {
    "/responses": ("openai", "openai-compatible"),
    "/messages": ("anthropic", "openai-compatible"),
}


class Upstreams:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._known: RecentItems[str, tuple[float, ModelAddress]] = RecentItems(_MOST)
        self._client: httpx2.AsyncClient | None = None

    @property
    def client(self) -> httpx2.AsyncClient:
        """The HTTP client. It follows no redirects: keys go only to configured addresses."""
        if self._client is None:
            kept: Any = {"max_keepalive_connections": _KEPT, "keepalive_expiry": _KEPT_SECONDS}
            limits = httpx2.Limits(max_connections=None, **kept)
            self._client = httpx2.AsyncClient(
                limits=limits, follow_redirects=False, verify=trusted()
            )
        return self._client

    async def address(self, space: str) -> ModelAddress:
        """Return the address of the space's model, or the last known one without a database."""
        try:
            async with asyncio.timeout(self._memory.settings.limits.memory_seconds):
                chat = await chat_model(self._memory, space)
                found = chat.address()
        except SettingsError as error:
            self._known.pop(space, None)
            raise Problem(404, str(error)) from None
        except (StorageError, TimeoutError) as error:
            at, known = self._known.get(space, (-math.inf, None))
            if known is not None and time.monotonic() - at < _LAST_KNOWN_SECONDS:
                log.warning("chat.settings_as_last_known", space=space, reason=type(error).__name__)
                return known
            why = "The database is unavailable, so the model is not known. Try again."
            raise Problem(503, why, headers={"Retry-After": "2"}) from None
        self._known.put(space, (time.monotonic(), found))
        return found

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


def check_protocol(protocol: ChatProtocol, address: ModelAddress) -> None:
    """Raise Problem if the space's provider does not support the protocol."""
    kinds = _SPOKEN.get(protocol.path)
    if kinds is not None and account(address.name) not in kinds:
        why = f"The model {address.name} of this space does not support this protocol."
        usable = f"or choose a model of {' or '.join(kinds)} as chat_model."
        raise Problem(400, f"{why} Use /v1/chat/completions, {usable}")


def request(
    client: httpx2.AsyncClient,
    address: ModelAddress,
    protocol: ChatProtocol,
    given: Request,
    content: bytes,
) -> httpx2.Request:
    """Build the request to the provider for what a client gave."""
    query, headers = given.scope["query_string"].decode("latin-1"), given.headers
    url = f"{address.url}{protocol.path}" + (f"?{query}" if query else "")
    passed = {name: headers[name].encode("latin-1") for name in _PASSED_UP if name in headers}
    timeout = httpx2.Timeout(address.wait, connect=min(_CONNECT_SECONDS, address.wait))
    sent: Any = {"user-agent": "erstwhile", **passed, **_credentials(address, protocol)}
    sent |= {"content-type": "application/json", "accept-encoding": "identity"}
    return client.build_request("POST", url, content=content, headers=sent, timeout=timeout)


def passed_down(headers: httpx2.Headers, *, decoded: bool) -> list[tuple[bytes, bytes]]:
    """Return the provider's headers that are passed to the client, unchanged."""
    left_out = _NOT_PASSED_DOWN | ({"content-encoding", "content-length"} if decoded else set())
    return [
        (_RENAMED.get(name, name).encode("latin-1"), value)
        for name, value in ((raw.decode("latin-1").lower(), value) for raw, value in headers.raw)
        if name not in left_out and not name.startswith("access-control-")
    ]


def _credentials(address: ModelAddress, protocol: ChatProtocol) -> dict[str, str]:
    bearer = {"authorization": f"Bearer {address.key}"}
    if protocol.path != "/messages":
        return bearer
    version = {"anthropic-version": "2023-06-01"}
    return {**(version if address.provider == "anthropic" else bearer), "x-api-key": address.key}


# Marks of the last event of a stream, in each protocol.
_LAST = (b"[DONE]", b"message_stop", b"response.completed", b"response.incomplete")


class Relay(Response):
    """Pass the model's response on unchanged. If the client leaves, the model is stopped."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        request: httpx2.Request,
        protocol: ChatProtocol,
        turn: ChatTurn,
        memory: str,
    ) -> None:
        super().__init__()
        self._client, self._request, self._protocol = client, request, protocol
        self._turn, self._memory, self._passed = turn, memory, False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        work = asyncio.create_task(self._relay(send), name="erstwhile-relay")
        left = asyncio.create_task(_gone(receive), name="erstwhile-gone")
        self._turn.streaming(work)
        try:
            await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.cancel()
            if not self._passed:
                self._turn.interrupted = not work.done() and not self._turn.ear.answer.finish
                work.cancel()
            try:
                await asyncio.wait({work, left})
            finally:
                self._turn.end()
        if not work.cancelled():
            work.result()

    async def _relay(self, send: Send) -> None:
        turn = self._turn
        turn.started = time.monotonic()
        try:
            response = await self._client.send(self._request, stream=True)
        except httpx2.TimeoutException:
            await self._refuse(send, 504, f"{turn.model} did not answer in time.")
            return
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
            await self._refuse(send, 502, f"{turn.model} can't be reached. {_ADDRESS}")
            return
        try:
            if 300 <= response.status_code < 400:  # its target must not get the key
                why = f"{turn.model} answered with a redirect (status {response.status_code}). Check base_url."
                await self._refuse(send, 502, why)
            else:
                await self._pass_on(response, send)
        finally:
            await asyncio.shield(response.aclose())

    async def _pass_on(self, response: httpx2.Response, send: Send) -> None:
        turn = self._turn
        decoded = response.headers.get("content-encoding", "identity") != "identity"
        headers = [*passed_down(response.headers, decoded=decoded), *self._ours()]
        start = {"type": "http.response.start", "status": response.status_code}
        await send({**start, "headers": headers})
        if response.status_code >= 300:
            turn.failure = f"{turn.model} answered with status {response.status_code}."
        try:
            async for piece in response.aiter_bytes() if decoded else response.aiter_raw():
                if not turn.ear.streamed or any(mark in piece for mark in _LAST):
                    turn.ending()
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                turn.first_word = turn.first_word or time.monotonic()
                turn.begin()
                if not turn.failure:
                    turn.ear.feed(piece)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            ended = "timed out" if isinstance(error, httpx2.TimeoutException) else "disconnected"
            turn.failure = f"{turn.model} {ended} during the response."
            return  # without an end, so that the client's connection breaks too
        if not turn.failure:
            turn.failure = turn.ear.answer.failure
        self._passed = True  # before the last byte, because the client may disconnect with it
        turn.ending()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _refuse(self, send: Send, status: int, why: str) -> None:
        self._turn.failure = why
        self._passed = True
        self._turn.ending()
        body = json.dumps(self._protocol.error(status, why)).encode()
        length = str(len(body)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", length)]
        headers += self._ours()
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    def _ours(self) -> list[tuple[bytes, bytes]]:
        return [(b"x-erstwhile-memory", self._memory.encode("latin-1", "replace"))]


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
