"""`erstwhile.connect(…)`: the API over HTTP, as far as it is written by hand."""

from __future__ import annotations

import ipaddress
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
from erstwhile.base.errors import InvalidInput
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.base.settings import Settings, load
from erstwhile.client import calls, paths, resources
from erstwhile.client.calls import read
from erstwhile.client.channel import RemoteChannel
from erstwhile.client.resources import REMOTE_RESOURCES
from erstwhile.client.transport import HttpCall, Transport
from erstwhile.exports.model import ExportResult
from erstwhile.layers.erasure.model import Receipt, alone
from erstwhile.log import check

if TYPE_CHECKING:
    from erstwhile.wiring import Runtime

log = Log(__name__)

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
        return paths.path(
            "spaces", check.identifier("space", space or self.settings.space), *segments
        )

    @property
    def _open_runtime(self) -> Runtime:
        raise InvalidInput(
            "This is not available over HTTP: use `erstwhile.open` where the database is."
        )

    async def _perform(self, resource: Resource, declared: Verb, given: dict[str, Any]) -> Any:
        if not declared.path:
            where = "use `erstwhile.open` where the database is."
            raise InvalidInput(f"`{declared.name}` is not available over HTTP: {where}")
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
        raise InvalidInput(
            "The address contains a password. Pass the key as `key=`, which is not logged."
        )
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
