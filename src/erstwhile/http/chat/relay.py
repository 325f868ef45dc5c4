"""Pass the model's response on as it arrives, and let the turn read it."""

from __future__ import annotations

import asyncio
import json
import time

import httpx2
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from erstwhile.http.chat import upstream
from erstwhile.http.chat.protocol import ChatProtocol
from erstwhile.http.chat.turn import Turn

# Marks of the last event of a stream, in each protocol.
_LAST = (b"[DONE]", b"message_stop", b"response.completed", b"response.incomplete")


class Relay(Response):
    """Ask the model and return its status, headers and body unchanged. If the client disconnects,
    the model is stopped."""

    def __init__(
        self, client: httpx2.AsyncClient, request: httpx2.Request, protocol: ChatProtocol, turn: Turn, memory: str
    ) -> None:
        super().__init__()
        self._client, self._request, self._protocol, self._turn, self._memory = client, request, protocol, turn, memory
        self._passed = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        work = asyncio.create_task(self._relay(send), name="erstwhile-relay")
        left = asyncio.create_task(_gone(receive), name="erstwhile-gone")
        self._turn.streaming(work)
        try:
            await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.cancel()
            if not self._passed:
                self._turn.interrupted = not work.done() and not self._turn.ear.answer.finish
                work.cancel()
            try:
                await asyncio.wait({work, left})
            finally:
                self._turn.end()
        if not work.cancelled():
            work.result()

    async def _relay(self, send: Send) -> None:
        turn = self._turn
        turn.started = time.monotonic()
        try:
            response = await self._client.send(self._request, stream=True)
        except httpx2.TimeoutException:
            await self._refuse(send, 504, f"{turn.model} did not answer in time.")
            return
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
            await self._refuse(send, 502, f"{turn.model} can't be reached.")
            return
        try:
            if 300 <= response.status_code < 400:  # following it would send the key to another address
                why = f"{turn.model} answered with a redirect (status {response.status_code}). Check base_url."
                await self._refuse(send, 502, why)
            else:
                await self._pass_on(response, send)
        finally:
            await asyncio.shield(response.aclose())

    async def _pass_on(self, response: httpx2.Response, send: Send) -> None:
        turn = self._turn
        decoded = response.headers.get("content-encoding", "identity") != "identity"
        headers = [*upstream.passed_down(response.headers, decoded=decoded), *self._ours()]
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
        if response.status_code >= 300:
            turn.failure = f"{turn.model} answered with status {response.status_code}."
        try:
            async for piece in response.aiter_bytes() if decoded else response.aiter_raw():
                if not turn.ear.streamed or any(mark in piece for mark in _LAST):
                    turn.ending()
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                turn.first_word = turn.first_word or time.monotonic()
                turn.begin()
                if not turn.failure:
                    turn.ear.feed(piece)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            late = isinstance(error, httpx2.TimeoutException)
            turn.failure = f"{turn.model} {'timed out' if late else 'disconnected'} during the response."
            return  # without an end, so that the client's connection breaks too
        if not turn.failure:
            turn.failure = turn.ear.answer.failure
        self._passed = True  # before the last byte, because the client may disconnect with it
        turn.ending()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _refuse(self, send: Send, status: int, why: str) -> None:
        self._turn.failure = why
        self._passed = True
        self._turn.ending()
        body = json.dumps(self._protocol.error(status, why)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *self._ours()]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    def _ours(self) -> list[tuple[bytes, bytes]]:
        return [(b"x-erstwhile-memory", self._memory.encode("latin-1", "replace"))]


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
