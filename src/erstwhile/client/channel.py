"""`erstwhile.connect(…).channel(…)`: the verbs that stream or need an Idempotency-Key."""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from erstwhile.api.channel import Channel
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.client import paths
from erstwhile.client.calls import read
from erstwhile.client.transport import FailedAttempt, HttpCall, Transport, parse_problem, problem_error
from erstwhile.context.model import Context
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

    async def add(
        self,
        role: str,
        text: str,
        *,
        person: str | None = None,
        name: str | None = None,
        at: datetime | str | None = None,
        key: str | None = None,
        model: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Message:
        """Add one message. It is on the server's disk when this returns. A missing `key` is
        generated, so that retries store nothing twice."""
        new = NewMessage(role, text, person=person, name=name, at=at, key=key, model=model, meta=meta or {})
        return read(Message, await self._add(_body(new, self.channel)))

    async def add_many(self, messages: Sequence[NewMessage | Mapping[str, Any]]) -> list[Message]:
        """Add messages as one durable batch. A known `key` returns the stored message."""
        bodies = [_body(each, self.channel) for each in messages]
        return read(list[Message], await self._add({"messages": bodies}), "messages") if bodies else []

    async def _add(self, body: dict[str, Any]) -> Any:
        # For a retry, the server returns what it stored with this key.
        headers = {"Idempotency-Key": secrets.token_hex(16)}
        return await self._http.call(HttpCall("POST", self._at("messages"), body=body, headers=headers))

    async def edit(self, key: str, text: str) -> Message | None:
        """Edit a message. Returns None if it does not exist. An empty text deletes it."""
        call = HttpCall(
            "PATCH", self._at("messages", check.identifier("key", key)), body={"text": check.words("text", text)}
        )
        return read(cast(type[Message], Message | None), await self._http.call(call), "message")

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
        if after < 0 or (limit is not None and limit < 0):
            raise InvalidInput("`after` and `limit` can't be negative.")
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

    async def context(
        self,
        query: str = "",
        *,
        person: str | None = None,
        budget: int | None = None,
        recipe: str | None = None,
        scope: str | None = None,
        trial: bool = False,
        within: Sequence[str] | None = None,
        floor: float | None = None,
        trust: str | None = None,
    ) -> Context:
        """Build what a model should know to answer `query` here, within `budget` tokens."""
        wanted = {
            "query": query,
            "person": person,
            "budget": budget,
            "recipe": recipe,
            "scope": scope,
            "within": within,
            "trust": trust,
            "trial": trial or None,
            "floor": floor,
        }
        # In the body, because a question may be too long for a URL. It is safe to retry.
        call = HttpCall("POST", self._at("context"), body={**given(wanted), "items": True})
        return read(Context, await self._http.call(call))

    async def ask(
        self,
        query: str,
        *,
        person: str | None = None,
        name: str | None = None,
        model: str | None = None,
        system: str = "",
        sources: str = "",
        budget: int | None = None,
        recipe: str | None = None,
        key: str | None = None,
        within: Sequence[str] | None = None,
        keep: bool = True,
        scope: str | None = None,
        floor: float | None = None,
    ) -> AsyncIterator[str]:
        """Ask the chat model with memory and stream its reply. If the connection breaks, this
        raises; the server logs what was said so far."""
        body = given(
            {
                "query": query,
                "person": person,
                "name": name,
                "model": model,
                "system": system or None,
                "sources": sources or None,
                "budget": budget,
                "recipe": recipe,
                "key": key,
                "within": within,
                "keep": None if keep else False,
                "scope": scope,
                "floor": floor,
            }
        )
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


def _body(message: NewMessage | Mapping[str, Any], channel: str) -> dict[str, Any]:
    checked = check.message(message, largest=_ANY_SIZE, channel=channel)
    return {name: value for name, value in asdict(checked).items() if value not in (None, {})}


def given(body: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out None, for which the server has defaults."""
    return {name: value for name, value in body.items() if value is not None}
