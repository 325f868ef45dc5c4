"""Answer a chat request: recall, ask the model, log."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress

from fastapi import Request
from starlette.responses import Response

from erstwhile.api import context_builder
from erstwhile.api.memory import Memory
from erstwhile.base import ids
from erstwhile.base.errors import Error, StorageError
from erstwhile.base.logs import Log
from erstwhile.base.recent import RecentItems
from erstwhile.http import permissions
from erstwhile.http.caller import caller
from erstwhile.http.chat import recall, upstream
from erstwhile.http.chat.json_body import JsonBody
from erstwhile.http.chat.options import ChatOptions, read
from erstwhile.http.chat.protocol import ChatProtocol, ResponseReader
from erstwhile.http.chat.recall import RecallResult
from erstwhile.http.chat.turn import ChatTurn, TurnLog
from erstwhile.http.chat.upstream import Relay, Upstreams
from erstwhile.http.problems import Problem
from erstwhile.writers.providers import ModelAddress

log = Log(__name__)

_WARMED = 3  # spaces
_TRIED = 1000  # questions whose key is cached, for clients that retry
_BYTES_PER_TOKEN = 4
_UNNAMED = 'none; reason="the request names no user: set `user`, X-Erstwhile-Person or X-Erstwhile-Channel"'


class Chat:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._tried: RecentItems[bytes, str] = RecentItems(_TRIED)
        self.upstreams = Upstreams(memory)
        self.ledger = TurnLog()

    @property
    def counts(self) -> dict[str, int]:
        return self.ledger.counts

    async def warm(self) -> None:
        """Prepare connections, the model's address and indexes for the first chats."""
        with suppress(Problem):
            _ = self.upstreams.client
            await self.upstreams.address(self._memory.settings.space)
        try:
            await context_builder.warm(self._memory, _WARMED)
        except Error as error:
            log.warning("chat.not_warmed", reason=type(error).__name__)

    async def answer(self, request: Request, protocol: ChatProtocol) -> Response:
        who = await caller(request)
        given = await request.body()
        body = JsonBody(given)
        if not body.get(protocol.list):
            raise Problem(400, f"`{protocol.list}` is missing.")
        asking = read(who, request.headers, body, self._memory.settings.space)
        said = protocol.said(body)
        before = self.ledger.latest.get((asking.space, asking.channel))
        address, recalled, _ = await asyncio.gather(
            self.upstreams.address(asking.space),
            recall.recall(self._memory, asking, said, before),
            self._allowed(asking.space, given),
        )
        upstream.check_protocol(protocol, address)
        self.counts["chats"] += 1
        self.counts["degraded"] += bool(recalled.reason)
        turn = ChatTurn(
            self._memory,
            asking,
            said,
            recalled,
            address.name,
            ResponseReader(protocol, streamed=body.get("stream") is True),
            key=self._key(asking, given),
            ledger=self.ledger,
            before=before,
        )
        turn.sent = self._prompt(body, protocol, turn, address)
        client = self.upstreams.client
        asked = upstream.request(client, address, protocol, request, turn.sent)
        return Relay(client, asked, protocol, turn, _header(asking, recalled))

    async def _allowed(self, space: str, body: bytes) -> None:
        """Count the input against the daily limit. A failing database doesn't stop the chat."""
        try:
            await permissions.take_texts(self._memory, space, [body.decode(errors="replace")])
        except StorageError as error:
            log.warning("chat.not_counted", space=space, reason=type(error).__name__)

    def _prompt(
        self, body: JsonBody, protocol: ChatProtocol, turn: ChatTurn, address: ModelAddress
    ) -> bytes:
        """Return the body for the provider."""
        body.put("model", address.model)
        protocol.place(body, recall.arrange(turn.recalled.context, turn.said))
        content = body.encode()
        turn.cache_key = str(body.get("prompt_cache_key") or "")
        enough = (
            address.cache_from is not None and len(content) >= address.cache_from * _BYTES_PER_TOKEN
        )
        if enough and not turn.cache_key and turn.asking.mode != "off":
            turn.cache_key = f"chat:{turn.asking.channel}"
            body.put("prompt_cache_key", turn.cache_key)
            return body.encode()
        return content

    def _key(self, asking: ChatOptions, body: bytes) -> str:
        """Return the key of the question. A retry gets the key of the first attempt."""
        if asking.key is not None or asking.mode != "on":
            return asking.key or ""
        digest = hashlib.sha256(f"{asking.space}\0{asking.channel}\0".encode() + body).digest()
        if asking.again and digest in self._tried:
            return self._tried[digest]
        key = ids.new("turn")
        self._tried.put(digest, key)
        return key


def _header(asking: ChatOptions, recalled: RecallResult) -> str:
    if asking.mode == "off" or recalled.is_logged is False:
        return "off"
    if asking.unnamed:
        return _UNNAMED
    if recalled.reason:
        return f'degraded; reason="{recalled.reason}"'
    request = f"; request={recalled.context.request}" if recalled.context.request else ""
    return f"{'read' if asking.mode == 'read' else 'ok'}{request}; tokens={recalled.context.tokens}"
