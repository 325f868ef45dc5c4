"""Authenticate callers by key; if no key was ever created, by being on this machine.

A key is looked up at most once a second, so that every server refuses a revoked key within about
that time. While the database is unavailable, keys that were valid a minute ago stay valid.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import math
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Generic, TypeVar

from starlette.requests import HTTPConnection

from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error, StorageError
from erstwhile.base.logs import Log
from erstwhile.base.recent import RecentItems
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem, of
from erstwhile.keys import model
from erstwhile.keys.model import Key

_WRONG_KEYS = 10  # wrong keys per address and window
_WRONG_KEYS_SECONDS = 60.0  # seconds
_MOST_ADDRESSES = 4096  # cached addresses


class Throttle:
    def __init__(self) -> None:
        self._seen: RecentItems[str, tuple[float, int]] = RecentItems(_MOST_ADDRESSES)

    def wrong(self, address: str) -> int:
        """Count a wrong key and return for how many seconds to refuse the address, or 0."""
        now, place = time.monotonic(), _place(address)
        since, count = self._seen.get(place, (now, 0))
        if now - since >= _WRONG_KEYS_SECONDS:
            since, count = now, 0
        self._seen.put(place, (since, count + 1))
        return 0 if count < _WRONG_KEYS else max(1, round(since + _WRONG_KEYS_SECONDS - now))

    def begins(self, address: str) -> bool:
        """Return whether the last wrong key was the first one that was refused for their number."""
        _, count = self._seen.get(_place(address), (0.0, 0))
        return count == _WRONG_KEYS + 1


def _place(address: str) -> str:
    """Return the /64 network of an IPv6 address, because its owner has all of it."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address


log = Log(__name__)
T = TypeVar("T")

_FRESH = 1.0  # seconds a lookup is valid
_TRUSTED = 60.0  # the same while the database is unavailable
_PATIENCE = 1.0  # seconds to wait for the database before it counts as unavailable
_USED = 60.0  # seconds between updates of a key's last use
_MOST = 4096  # cached keys
_BEARER = "Authorization: Bearer er_…"
_NEW_KEY = "`erstwhile keys create` makes one."
_NOBODY = "0" * 64  # compared with unknown keys, so that timing reveals nothing
# Headers that proxies and tunnels add: such a caller is not on this machine.
_FORWARDED = frozenset(
    {"forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"}
)


class _Lookup(Generic[T]):
    """What was looked up by id. Concurrent callers share one lookup; a cancelled caller does not
    cancel it."""

    def __init__(self, ask: Callable[[str], Coroutine[Any, Any, T | None]]) -> None:
        self._ask = ask
        self._found: dict[str, tuple[float, T]] = {}
        self._asking: dict[str, asyncio.Task[T | None]] = {}

    async def get(self, id: str) -> T | None:
        at, held = self._found.get(id, (-math.inf, None))
        age = time.monotonic() - at
        if age < _FRESH:
            return held
        asking = self._asking.get(id)
        if asking is None:
            asking = self._asking[id] = asyncio.create_task(self._ask(id))
            asking.add_done_callback(lambda done: self._keep(id, done))
        try:
            async with asyncio.timeout(_PATIENCE if age < _TRUSTED else None):
                return await asyncio.shield(asking)
        except (StorageError, TimeoutError):
            if age < _TRUSTED:
                return held
            raise

    def _keep(self, id: str, asked: asyncio.Task[T | None]) -> None:
        self._asking.pop(id, None)
        if asked.cancelled() or asked.exception() is not None:
            return
        self._found.pop(id, None)
        if (found := asked.result()) is not None:
            self._found[id] = (time.monotonic(), found)
            if len(self._found) > _MOST:
                del self._found[next(iter(self._found))]


class Authenticator:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._throttle = Throttle()
        self._closed = not loopback(memory.settings.host)  # stays true once a key was created
        self._any = _Lookup(lambda _: memory.keys.store.any())
        self._keys = _Lookup(lambda id: memory.keys.store.find(id))
        self._used: dict[str, float] = {}
        self._writing: set[asyncio.Task[None]] = set()

    async def needs_key(self) -> bool:
        self._closed = self._closed or bool(await self._any.get(""))
        return self._closed

    async def admit(self, connection: HTTPConnection) -> Caller:
        """Return the caller or raise Problem. Only the right secret learns what is wrong."""
        with _explained():
            given = _given(connection.headers)
            if given is None or (not given.startswith("er_") and not await self.needs_key()):
                return await self._without(connection)  # some clients always send a key
            return await self._with(given, connection.client.host if connection.client else "")

    async def _without(self, connection: HTTPConnection) -> Caller:
        if await self.needs_key():
            raise _unauthorized(f"This needs a key: send `{_BEARER}`. {_NEW_KEY}")
        local = connection.client is not None and loopback(connection.client.host)
        if not local or not _FORWARDED.isdisjoint(connection.headers.keys()):
            only = "Without a key, only callers on the server's own machine are accepted."
            raise _unauthorized(f"{only} {_NEW_KEY}")
        return Caller()

    async def bearer(self, key: str, address: str) -> Caller:
        """Authenticate a key that was not sent in a header (dashboard login)."""
        with _explained():
            return await self._with(key, address)

    async def _with(self, given: str, address: str) -> Caller:
        id, secret = model.parse_key(given) or ("", given)
        found = await self._keys.get(id)
        right = hmac.compare_digest(model.digest(secret), found[1] if found else _NOBODY)
        if not found or not right:
            raise self._refused(address, id)
        return self._standing(found[0])

    async def standing(self, id: str) -> Caller:
        """Return the caller of a key that was authenticated before, if it is still valid."""
        with _explained():
            found = await self._keys.get(id)
        if found is None:
            raise _unauthorized("This key no longer exists.", "invalid_token")
        return self._standing(found[0])

    def _standing(self, key: Key) -> Caller:
        now = self._memory.keys.store.now()
        if key.revoked_at is not None:
            raise _unauthorized("This key was revoked. Use another one.", "invalid_token")
        if key.expires_at is not None and key.expires_at <= now:
            ended = f"This key expired at {key.expires_at.isoformat()}."
            raise _unauthorized(ended, "invalid_token")
        self._note_use(key.id)
        return Caller(key.id, key.name or f"key {key.id}", key.space, key.read_only)

    def _refused(self, address: str, id: str) -> Problem:
        wait = self._throttle.wrong(address)
        if wait:
            if self._throttle.begins(address):  # once for each time: an attacker writes no log
                log.warning("auth.throttled", client=address, seconds=wait)
            why = f"Too many wrong keys. Try again in {wait} s."
            return Problem(429, why, headers={"Retry-After": str(wait)})
        log.warning("auth.wrong_key", client=address, key=id)
        return _unauthorized("Unknown key. Check that it was copied completely.", "invalid_token")

    def _note_use(self, id: str) -> None:
        now = time.monotonic()
        if now - self._used.get(id, -_USED) >= _USED:
            if len(self._used) > _MOST:
                self._used.clear()
            self._used[id] = now
            task = asyncio.create_task(self._write_use(id))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    async def _write_use(self, id: str) -> None:
        try:
            await self._memory.keys.store.used(id)
        except Error as error:
            log.info("auth.last_use_not_stored", key=id, error=type(error).__name__)

    async def close(self) -> None:
        await asyncio.gather(*self._writing)


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except StorageError as error:
        raise of(error) from error


@lru_cache(1024)
def loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _given(headers: Mapping[str, str]) -> str | None:
    """Return the key of a request, as OpenAI's or Anthropic's clients send it."""
    scheme, _, credential = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return credential.strip()
    return headers.get("x-api-key", "").strip() or None


def _unauthorized(detail: str, error: str = "") -> Problem:
    challenge = 'Bearer realm="erstwhile"' + (f', error="{error}"' if error else "")
    return Problem(401, detail, headers={"WWW-Authenticate": challenge})
