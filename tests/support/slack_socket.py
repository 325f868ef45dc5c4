"""Socket Mode as Slack speaks it: envelopes that are sent again until they are acknowledged, over whichever connection is open."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from support.slack_workspace import Json

AGAIN = 3.0  # seconds after which Slack sends what was not acknowledged


@dataclass(slots=True, eq=False)
class Envelope:
    type: str
    payload: Json
    attempts: int = 0
    ids: set[str] = field(default_factory=set)  # under which it was sent: any of them acknowledges it

    def sent(self) -> Json:
        name = str(uuid.uuid4())
        self.ids.add(name)
        body: Json = {"envelope_id": name, "type": self.type, "payload": self.payload}
        body["accepts_response_payload"] = self.type != "events_api"
        if self.type == "events_api":
            again = {"retry_attempt": self.attempts, "retry_reason": "timeout" if self.attempts else ""}
            body.update(again)
        self.attempts += 1
        return body


class Sockets:
    """The open connections and what is under way on them. With `lossy`, what happens while nobody is connected is never sent, nor what was
    on its way when the last connection broke."""

    def __init__(self) -> None:
        self.open: list[web.WebSocketResponse] = []
        self.unacknowledged: list[Envelope] = []
        self.lossy = False
        self.twice = False
        self.deaf = 0  # how many acknowledgements get lost
        self.withheld: list[Envelope] | None = None
        self.greeted = 0
        self.again = AGAIN
        self._tickets: set[str] = set()
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def ticket(self) -> str:
        made = uuid.uuid4().hex
        self._tickets.add(made)
        return made

    async def connection(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=408, text="this ticket was used, or never given")
        self._tickets.discard(ticket)  # an address is good for one connection
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        hello = {"type": "hello", "num_connections": len(self.open) + 1, "connection_info": {"app_id": "A0APP"}}
        await socket.send_str(json.dumps({**hello, "debug_info": {"host": "loopback"}}))
        self.open.append(socket)
        self.greeted += 1
        self._change()
        for envelope in list(self.unacknowledged):
            await self._send(envelope)
        await self._listen(socket)
        return socket

    async def _listen(self, socket: web.WebSocketResponse) -> None:
        try:
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    self._acknowledge(json.loads(message.data))
        finally:
            if socket in self.open:
                self.open.remove(socket)
            if self.lossy and not self.open:
                self.unacknowledged.clear()
            self._change()

    def _acknowledge(self, body: Json) -> None:
        if self.deaf:
            self.deaf -= 1
            return
        self.unacknowledged = [each for each in self.unacknowledged if body.get("envelope_id") not in each.ids]
        self._change()

    async def deliver(self, type_: str, payload: Json) -> None:
        envelope = Envelope(type_, payload)
        if self.withheld is not None:
            self.withheld.append(envelope)
        elif self.open or not self.lossy:
            self.unacknowledged.append(envelope)
            await self._send(envelope)
            if self.twice:
                await self._send(envelope)

    async def release(self, order: Callable[[list[Envelope]], list[Envelope]]) -> None:
        """Sends what was withheld, in another order."""
        held, self.withheld = self.withheld or [], None
        for envelope in order(held):
            self.unacknowledged.append(envelope)
            await self._send(envelope)

    async def _send(self, envelope: Envelope) -> None:
        if not self.open:
            return
        with suppress(ConnectionError):  # the connection is just ending; the next one gets it
            await self.open[-1].send_str(json.dumps(envelope.sent()))
            task = asyncio.ensure_future(self._send_again(envelope))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _send_again(self, envelope: Envelope) -> None:
        await asyncio.sleep(self.again)
        if envelope in self.unacknowledged and envelope.attempts < 4:
            await self._send(envelope)

    async def tell(self, reason: str) -> None:
        """The notice that this connection ends soon."""
        for socket in list(self.open):
            await socket.send_str(json.dumps({"type": "disconnect", "reason": reason, "debug_info": {}}))

    async def drop(self, *, rudely: bool = True) -> None:
        for socket in list(self.open):
            self.open.remove(socket)
            if rudely and (line := socket._req and socket._req.transport):
                line.abort()
            else:
                await socket.close()
        if self.lossy:
            self.unacknowledged.clear()
        self._change()

    async def until(self, true: Callable[[], bool]) -> None:
        while not true():
            self._changed.clear()
            await self._changed.wait()

    def _change(self) -> None:
        self._changed.set()

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await self.drop()
