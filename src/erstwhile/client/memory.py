"""The remote door: `async with erstwhile.connect("http://…", key=…) as memory`."""

from __future__ import annotations

import ipaddress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from erstwhile.base.errors import InvalidInput
from erstwhile.base.logs import Log
from erstwhile.base.settings import load
from erstwhile.client.by_hand import RemoteByHand
from erstwhile.client.channel import RemoteChannel
from erstwhile.client.erasing import RemoteErasing
from erstwhile.client.events import RemoteEvents
from erstwhile.client.keys import RemoteKeys
from erstwhile.client.looking import RemoteLooking
from erstwhile.client.on_record import RemoteOnRecord
from erstwhile.client.part import Place
from erstwhile.client.people import RemotePeople
from erstwhile.client.transport import Transport
from erstwhile.client.work import RemoteWork

log = Log(__name__)


class RemoteMemory(
    RemoteByHand, RemoteOnRecord, RemoteLooking, RemoteEvents, RemotePeople, RemoteErasing, RemoteKeys, RemoteWork
):
    """The verbs of `Memory`, done by a server. What each does is told there."""

    def __init__(self, place: Place, http: Transport) -> None:
        self.settings = place
        self._http = http

    async def __aenter__(self) -> Self:
        await self._http.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.close()

    def channel(self, channel: str, space: str | None = None) -> RemoteChannel:
        return RemoteChannel(self, channel, self.settings.space if space is None else space)


def connect(url: str, *, key: str | None = None, space: str | None = None, patience: float = 30) -> RemoteMemory:
    """The memory of a server: `async with erstwhile.connect("http://…", key=…) as memory`. Without a space, the one of the settings
    here. What can't get through is tried again for `patience` seconds."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput(
            f"{url!r} is no server's address. It looks like http://127.0.0.1:8765. For a file, use erstwhile.open."
        )
    if parts.username or parts.password:
        raise InvalidInput("The address holds a password. Hand the key in as `key=`, which is not logged.")
    if patience < 0:
        raise InvalidInput("`patience` can't be negative. 0 tries once.")
    if key and parts.scheme == "http" and not _own_machine(parts.hostname):
        log.warning(
            "client.key_in_the_clear", host=parts.hostname, advice="whoever is on the way can read it: use https"
        )
    chosen = load().space if space is None else space
    return RemoteMemory(Place(url.rstrip("/"), chosen), Transport(url.rstrip("/"), key, patience))


def _own_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
