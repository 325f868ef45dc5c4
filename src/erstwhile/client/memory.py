"""`erstwhile.connect(…)`: the API over HTTP, as far as it is written by hand."""

from __future__ import annotations

import inspect
import ipaddress
import json
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast
from urllib.parse import urlsplit

from erstwhile.api.blocking import SyncMemory
from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.resource import RESOURCES, Resource
from erstwhile.api.verb import Verb
from erstwhile.archive import reader
from erstwhile.base.clock import utc_now
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.base.settings import Settings, load
from erstwhile.client import calls, resources, transport
from erstwhile.client.calls import read
from erstwhile.client.resources import REMOTE_RESOURCES
from erstwhile.client.transport import (
    FailedAttempt,
    HttpCall,
    Transport,
    parse_problem,
    problem_error,
)
from erstwhile.exports.rows import ExportResult
from erstwhile.layers.erasure.model import Receipt, alone
from erstwhile.log import check
from erstwhile.log.model import Message, NewMessage

if TYPE_CHECKING:
    from erstwhile.wiring import Runtime


log = Log(__name__)

_ELSEWHERE = "is not available over HTTP: use `erstwhile.open` where the database is."
_PLACES = {"person": "people", "channel": "channels", "message": "messages", "origin": "origins"}


@dataclass(frozen=True, slots=True)
class Server:
    """The address and default space of a remote memory."""

    url: str
    space: str


class RemoteMemory(Memory):
    """The verbs of `Memory`, run by a server."""

    def __init__(self, server: Server, http: Transport) -> None:
        self._memory = self
        self.settings = cast(Settings, server)
        self._clock, self._http = utc_now, http

    def _resource(self, noun: str) -> type[Resource]:
        return REMOTE_RESOURCES[noun] if noun in REMOTE_RESOURCES else RESOURCES[noun]

    async def __aenter__(self) -> Self:
        await self._http.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.close()

    def channel(self, channel: str, space: str | None = None) -> Channel:
        return RemoteChannel(self, channel, self.settings.space if space is None else space)

    async def work(self) -> None:
        raise InvalidInput(
            "The server runs the jobs. If it was started without a worker, run `erstwhile worker` on its database."
        )

    async def erase(
        self,
        *,
        person: str | None = None,
        channel: str | None = None,
        message: str | None = None,
        origin: str | None = None,
        everything: bool = False,
        by: str = "",
        space: str | None = None,
    ) -> Receipt:
        asked: dict[str, Any] = {"by": by or None}
        if everything:
            alone(person, channel, message, origin)
            at, asked["everything"] = self._at(space), True
        else:
            named = {"person": person, "channel": channel, "message": message, "origin": origin}
            kind, name = check.one_of(**named)
            at = self._at(space, _PLACES[kind], name)
        # A retry would be harmless, but its receipt would count nothing.
        call = HttpCall("DELETE", at, asked, again=False, slow=True)
        return read(Receipt, await self._http.call(call))

    async def export(
        self,
        *,
        person: str | None = None,
        channel: str | None = None,
        to: str | Path,
        space: str | None = None,
    ) -> ExportResult:
        at = self._at(space)
        if person is not None or channel is not None:
            kind, name = check.one_of(person=person, channel=channel)
            at = self._at(space, _PLACES[kind], name)
        await resources.fetch(self._http, at + "/export", Path(to))
        with reader.open_archive(Path(to)) as found:
            memories = found.files["memories.jsonl"].rows
            return ExportResult(Path(to), found.files["messages.jsonl"].rows, memories)

    def _at(self, space: str | None, *segments: str) -> str:
        chosen = check.identifier("space", space or self.settings.space)
        return transport.path("spaces", chosen, *segments)

    @property
    def _open_runtime(self) -> Runtime:
        raise InvalidInput(f"This {_ELSEWHERE}")

    async def _perform(self, resource: Resource, declared: Verb, given: dict[str, Any]) -> Any:
        if not declared.path:
            raise InvalidInput(f"`{declared.name}` {_ELSEWHERE}")
        answer = await self._http.call(calls.call(declared, resource, given, self.settings.space))
        return calls.decode(declared, answer)


def connect(
    url: str, *, key: str | None = None, space: str | None = None, patience: float = 30
) -> RemoteMemory:
    """Connect to a server: `async with erstwhile.connect("http://…", key=…) as memory`.

    The default space is that of the local settings. Failed calls are retried for `patience`
    seconds."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        why = f"{url!r} is not a server address such as http://127.0.0.1:8765."
        raise InvalidInput(f"{why} For a file, use erstwhile.open.")
    if parts.username or parts.password:
        advice = "Pass the key as `key=`, which is not logged."
        raise InvalidInput(f"The address contains a password. {advice}")
    if patience < 0:
        raise InvalidInput("`patience` can't be negative. 0 tries once.")
    if key and parts.scheme == "http" and not _own_machine(parts.hostname):
        advice = "whoever is on the way can read it: use https"
        log.warning("client.key_in_the_clear", host=parts.hostname, advice=advice)
    chosen = load().space if space is None else space
    return RemoteMemory(Server(url.rstrip("/"), chosen), Transport(url.rstrip("/"), key, patience))


def connect_sync(
    url: str, *, key: str | None = None, space: str | None = None, patience: float = 30
) -> SyncMemory:
    """Connect to a server from blocking code: `with erstwhile.connect_sync("http://…")`."""
    return SyncMemory(connect(url, key=key, space=space, patience=patience))


def _own_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


_PAGE = 100
_KEYS = 20  # in one URL; each has up to 512 bytes, and three times as many once encoded
_ANY_SIZE = 1 << 62  # the server checks the size


class RemoteChannel(Channel):
    """One conversation on a server. It is created with its first message."""

    @property
    def _http(self) -> Transport:
        return cast("RemoteMemory", self._memory)._http

    async def add_many(self, messages: Sequence[NewMessage | Mapping[str, Any]]) -> list[Message]:
        """Add messages as one durable batch, on the server's disk when this returns. A known `key`
        returns the stored message; so does a retry, which stores nothing twice."""
        bodies = []
        for each in check.listed("messages", messages):
            checked = asdict(check.message(each, largest=_ANY_SIZE, channel=self.channel))
            given = {name: value for name, value in checked.items() if value not in (None, {})}
            bodies.append(given)
        if not bodies:
            return []
        # For a retry, the server returns what it stored with this key.
        headers = {"Idempotency-Key": secrets.token_hex(16)}
        call = HttpCall("POST", self._at("messages"), body={"messages": bodies}, headers=headers)
        return read(list[Message], await self._http.call(call), "messages")

    async def delete(self, keys: Sequence[str]) -> int:
        """Delete messages and return how many existed; after a retry, how many still existed."""
        if isinstance(keys, str):
            raise InvalidInput("`keys` is a list of keys.")
        named, gone = list(dict.fromkeys(check.identifier("key", key) for key in keys)), 0
        for start in range(0, len(named), _KEYS):
            call = HttpCall("DELETE", self._at("messages"), {"key": named[start : start + _KEYS]})
            gone += read(int, await self._http.call(call), "deleted")
        return gone

    async def messages(self, after: int = 0, limit: int | None = None) -> AsyncIterator[Message]:
        """Iterate over the messages after seq `after`, in order. Expired ones are skipped."""
        check.places(after, limit)
        left, place = limit, {"after": after or None}
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            answer = await self._http.get(self._at("messages"), limit=size, **place)
            page = read(list[Message], answer, "messages")
            for message in page:
                yield message
            if answer.get("next") is None:
                return
            left, place = None if left is None else left - len(page), {"cursor": answer["next"]}

    async def ask(self, query: str, **more: Any) -> AsyncIterator[str]:
        """Ask the chat model with memory and stream its reply. If the connection breaks, this
        raises; the server logs what was said so far."""
        inspect.signature(Channel.ask).bind(self, query, **more)  # refuses what `ask` does not take
        given = {"query": query, **more}
        body = {name: value for name, value in given.items() if value is not None}
        call = HttpCall("POST", self._at("ask"), body=body, again=False, slow=True)
        try:
            async with self._http.stream(call) as response:
                async for event in self._http.events(response):
                    if event.event == "piece":
                        yield json.loads(event.data)["text"]
                    elif event.event == "error":
                        problem = parse_problem(event.data)
                        raise problem_error(int(problem.get("status", 500)), problem)
                    elif event.event == "done":
                        return
        except FailedAttempt as turned:
            raise turned.error from turned.__cause__
        raise Error("The connection broke before the reply was complete.")

    def _at(self, *segments: str) -> str:
        return transport.path("spaces", self.space, "channels", self.channel, *segments)


# `ask` takes what the local one takes; help and editors show that.
RemoteChannel.ask.__signature__ = inspect.signature(Channel.ask)  # type: ignore[attr-defined]
