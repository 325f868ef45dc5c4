"""Watch the changes of a space on a server."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Self

from erstwhile.base.clock import utc_now
from erstwhile.base.errors import Unreachable
from erstwhile.client.calls import read
from erstwhile.client.transport import Call, FailedAttempt, RetryDelays, Transport
from erstwhile.events.model import Event


class RemoteWatch:
    """The events of a space in order, until the memory closes."""

    def __init__(self, http: Transport, path: str, space: str, after: str | None) -> None:
        self._http = http
        self._coming = self._events(path, space, after)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        return await anext(self._coming)

    @property
    def ended(self) -> bool:
        return self._http.closed

    async def aclose(self) -> None:
        await self._coming.aclose()

    async def _events(self, path: str, space: str, after: str | None) -> AsyncGenerator[Event]:
        pauses, begun = RetryDelays(self._http.patience), False
        while not self.ended:
            headers = {} if after is None else {"Last-Event-ID": after}
            try:
                async with self._http.stream(Call("GET", path, headers=headers), pauses) as response:
                    if begun and after is None:  # it broke before the first event gave a cursor
                        yield Event("0", utc_now(), "space", "reset", space)
                    begun = True
                    async for said in self._http.events(response):
                        after, pauses = said.id or after, RetryDelays(self._http.patience)
                        if said.data:
                            yield read(Event, json.loads(said.data))
                raise FailedAttempt(Unreachable("The server ended the event stream."), again=True)
            except FailedAttempt as turned:
                await pauses.after(turned)
