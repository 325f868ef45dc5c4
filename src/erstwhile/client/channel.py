"""`erstwhile.connect(…).channel(…)`: the verbs that stream or need an Idempotency-Key."""

from __future__ import annotations

import inspect
import json
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from erstwhile.api.channel import Channel
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.client import paths
from erstwhile.client.calls import read
from erstwhile.client.transport import (
    FailedAttempt,
    HttpCall,
    Transport,
    parse_problem,
    problem_error,
)
from erstwhile.log import check
from erstwhile.log.model import Message, NewMessage

if TYPE_CHECKING:
    from erstwhile.client.memory import RemoteMemory

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
        body = {
            name: value for name, value in {"query": query, **more}.items() if value is not None
        }
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
        return paths.path("spaces", self.space, "channels", self.channel, *segments)


# `ask` takes what the local one takes; help and editors show that.
RemoteChannel.ask.__signature__ = inspect.signature(Channel.ask)  # type: ignore[attr-defined]
