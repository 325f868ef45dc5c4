"""The models of spaces: their addresses, and one connection pool."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict

import httpx2
from starlette.datastructures import Headers

from erstwhile.api.ask_turn import chat_model
from erstwhile.api.memory import Memory
from erstwhile.base.errors import SettingsError, StorageError
from erstwhile.base.logs import Log
from erstwhile.http.chat.protocol import ChatProtocol
from erstwhile.http.problems import Problem
from erstwhile.writers.providers import ModelAddress, account

log = Log(__name__)

_MOST = 4096  # cached addresses
_LAST_KNOWN_SECONDS = 600.0  # for how long a cached address is used while the database is unavailable
_CONNECT_SECONDS = 5.0
_KEPT_SECONDS = 120.0  # idle connections
_KEPT = 100
# Client headers that are passed to the provider: neither the key nor erstwhile's own headers.
_PASSED_UP = ("accept", "anthropic-version", "anthropic-beta", "openai-beta")
# Provider headers about its connection or its own site, which are not passed on.
_NOT_PASSED_DOWN = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "date",
        "server",
        "set-cookie",
        "alt-svc",
        "strict-transport-security",
        "x-erstwhile-memory",
    ]
)
_RENAMED = {"x-request-id": "x-upstream-request-id"}  # X-Request-Id is erstwhile's own
_SPOKEN = {"/responses": ("openai", "openai-compatible"), "/messages": ("anthropic", "openai-compatible")}


class Upstreams:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._known: OrderedDict[str, tuple[float, ModelAddress]] = OrderedDict()
        self._client: httpx2.AsyncClient | None = None

    @property
    def client(self) -> httpx2.AsyncClient:
        """The HTTP client. It follows no redirects, so that keys go only to configured
        addresses."""
        if self._client is None:
            limits = httpx2.Limits(
                max_connections=None, max_keepalive_connections=_KEPT, keepalive_expiry=_KEPT_SECONDS
            )
            self._client = httpx2.AsyncClient(limits=limits, follow_redirects=False)
        return self._client

    async def address(self, space: str) -> ModelAddress:
        """Return the address of the space's model. While the database is unavailable, the last
        known one."""
        try:
            async with asyncio.timeout(self._memory.settings.memory_seconds):
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
            wait = {"Retry-After": "2"}
            raise Problem(
                503, "The database is unavailable, so the model is not known. Try again.", headers=wait
            ) from None
        self._known[space] = (time.monotonic(), found)
        self._known.move_to_end(space)
        while len(self._known) > _MOST:
            self._known.popitem(last=False)
        return found

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


def check_protocol(protocol: ChatProtocol, address: ModelAddress) -> None:
    """Raise Problem if the space's provider does not support the protocol."""
    kinds = _SPOKEN.get(protocol.path)
    if kinds is not None and account(address.name) not in kinds:
        raise Problem(
            400,
            f"The model {address.name} of this space does not support this protocol. Use /v1/chat/completions, "
            f"or choose a model of {' or '.join(kinds)} as chat_model.",
        )


def request(
    client: httpx2.AsyncClient,
    address: ModelAddress,
    protocol: ChatProtocol,
    given: tuple[Headers, str],
    content: bytes,
) -> httpx2.Request:
    """Build the request to the provider. `given` are the client's headers and query."""
    headers, query = given
    url = f"{address.url}{protocol.path}" + (f"?{query}" if query else "")
    passed = {name: headers[name].encode("latin-1") for name in _PASSED_UP if name in headers}
    timeout = httpx2.Timeout(address.wait, connect=min(_CONNECT_SECONDS, address.wait))
    return client.build_request(
        "POST",
        url,
        content=content,
        headers={  # type: ignore[arg-type]
            "user-agent": "erstwhile",
            **passed,
            **_credentials(address, protocol),
            "content-type": "application/json",
            "accept-encoding": "identity",
        },
        timeout=timeout,
    )


def passed_down(headers: httpx2.Headers, *, decoded: bool) -> list[tuple[bytes, bytes]]:
    """Return the provider's headers that are passed to the client, unchanged."""
    left_out = _NOT_PASSED_DOWN | ({"content-encoding", "content-length"} if decoded else set())
    return [
        (_RENAMED.get(name, name).encode("latin-1"), value)
        for name, value in ((raw.decode("latin-1").lower(), value) for raw, value in headers.raw)
        if name not in left_out and not name.startswith("access-control-")
    ]


def _credentials(address: ModelAddress, protocol: ChatProtocol) -> dict[str, str]:
    if protocol.path != "/messages":
        return {"authorization": f"Bearer {address.key}"}
    version = {"anthropic-version": "2023-06-01"} if address.provider == "anthropic" else {}
    bearer = {"authorization": f"Bearer {address.key}"} if address.provider != "anthropic" else {}
    return {**version, **bearer, "x-api-key": address.key}
