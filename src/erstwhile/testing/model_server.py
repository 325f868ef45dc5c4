"""A model server on loopback with OpenAI's and Anthropic's protocols, scripted answers and faults.

It runs on its own thread and event loop, so that sync tests, async tests and other processes can
use it by its `base_url`.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple, Self, TypeVar

from erstwhile.base.records import dataclass
from erstwhile.testing import calls as wire
from erstwhile.testing import protocols
from erstwhile.testing.answers import complete
from erstwhile.testing.calls import Call, Reply
from erstwhile.testing.faults import Fault, FaultMix
from erstwhile.testing.protocols import PrefixCache, Tokens


class FixedClock:
    """A clock that moves only by `advance`: `erstwhile.open(…, clock=FixedClock())`."""

    def __init__(self, start: datetime = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> datetime:
        """Move the clock: `clock.advance(minutes=25)`."""
        self.now += timedelta(**by)
        return self.now


Step = str | Reply | Fault
Script = Callable[[Call], Step]
Queue = Literal["text", "embeddings"]
T = TypeVar("T")


class _Protocol(NamedTuple):
    whole: Callable[[Call, Reply, Tokens], dict[str, Any]]
    events: Callable[[Call, Reply, Tokens], Iterator[bytes]]
    error: Callable[[str, str, str], dict[str, Any]]


_PROTOCOLS = {
    "/chat/completions": _Protocol(protocols.chat, protocols.chat_events, protocols.error),
    "/responses": _Protocol(protocols.response, protocols.response_events, protocols.error),
    "/messages": _Protocol(protocols.message, protocols.message_events, protocols.anthropic_error),
    "/embeddings": _Protocol(protocols.embeddings, protocols.chat_events, protocols.error),
}


class ModelServer:
    """`with ModelServer() as server:` or `async with`. What it is asked is in `server.calls`.

    `answer` is a text, or a function from a call to a text, `Reply` or `Fault`; the default answers
    erstwhile's own prompts from the transcript. It runs on the server's loop, one call at a time,
    so it must not wait: use `Reply(delay=…)`."""

    def __init__(
        self,
        answer: str | Script = complete,
        *,
        faults: FaultMix | None = None,
        models: tuple[str, ...] = ("test-model",),
        api_key: str | None = None,
    ) -> None:
        self._script: Script = (lambda _call: answer) if isinstance(answer, str) else answer
        self._faults, self._models, self._api_key = faults, models, api_key
        self._queues: dict[Queue, deque[Step]] = {"text": deque(), "embeddings": deque()}
        self._calls: list[Call] = []
        self._cache = PrefixCache()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener: socket.socket | None = None
        self._held: socket.socket | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self.port = 0

    # For tests

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        """For OpenAI clients and `base_url`; an Anthropic client takes this or `url`."""
        return f"{self.url}/v1"

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(self._calls)

    def then(self, *steps: Step, at: Queue = "text") -> Self:
        """Give these answers first, one for each call, before `answer` is asked again."""
        self._queues[at].extend(steps)
        return self

    def down(self) -> None:
        """Refuse connections, and drop the open ones, until `up`."""
        self._on_loop(self._go_down())

    def up(self) -> None:
        """Listen again, on the same port."""
        self._on_loop(self._come_up())

    def start(self) -> Self:
        self._loop = asyncio.SelectorEventLoop()  # the kind that watches sockets, on Windows too
        run = self._loop.run_forever
        self._thread = threading.Thread(target=run, name="model-server", daemon=True)
        self._thread.start()
        self._held = _bound(0)
        self.port = self._held.getsockname()[1]
        self.up()
        return self

    def close(self) -> None:
        """Stop at once, also with requests hanging; nothing is left behind."""
        if self._loop is None or self._thread is None:
            return
        self._on_loop(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._loop = self._thread = None

    __enter__ = start

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self.start()

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)

    # On the server's own loop from here on

    def _on_loop(self, work: Coroutine[Any, Any, T]) -> T:
        if self._loop is None:
            work.close()
            raise RuntimeError(
                "The model server is not running: use it as a context manager, or call start()."
            )
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _come_up(self) -> None:
        if self._held is not None:
            self._listener, self._held = self._held, None
            self._listener.listen(128)
            asyncio.get_running_loop().add_reader(self._listener, self._accept, self._listener)

    async def _go_down(self) -> None:
        if self._listener is not None:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
            self._listener = None
            # A bound socket that does not listen refuses connections and keeps the port ours.
            self._held = _bound(self.port)
        for writer in self._writers:
            writer.transport.abort()

    async def _stop(self) -> None:
        await self._go_down()
        if self._held is not None:
            self._held.close()
            self._held = None
        await asyncio.sleep(0)  # a task that never began could not close its socket
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)  # transports close their sockets one turn later

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _accept(self, listener: socket.socket) -> None:
        # By hand: asyncio's own server loses a connection that comes in while it is being closed
        # (seen on 3.11).
        with suppress(BlockingIOError, ConnectionError):
            accepted, _ = listener.accept()
            accepted.setblocking(False)
            self._spawn(self._serve(accepted))

    async def _serve(self, accepted: socket.socket) -> None:
        try:
            reader, writer = await asyncio.open_connection(sock=accepted)
        except BaseException:  # also when cancelled, the socket must not stay open
            accepted.close()
            raise
        self._writers.add(writer)
        try:
            while (request := await wire.read(reader)) and await self._handle(
                request, reader, writer
            ):
                pass
            writer.close()
            await writer.wait_closed()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away between or within requests
        finally:
            writer.transport.abort()
            self._writers.discard(writer)

    async def _handle(
        self, request: wire.HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        call = self._record(request)
        protocol = _PROTOCOLS.get(call.path)
        early = self._without_script(request, call, protocol)
        if early is not None:
            await wire.send(writer, early.head, early.tail)
            return True
        assert protocol is not None
        reply, fault = self._decide(call)
        await asyncio.sleep(reply.delay)
        play = _Play(self, call, protocol, reply, reader, writer)
        # Set before the last byte leaves: a client that has its answer also sees the outcome.
        call.outcome = "answered" if fault is None else fault.name
        try:
            return await (play.answered() if fault is None else play.failed(fault))
        except ConnectionError:
            call.outcome = "client left"
            return False

    def _record(self, request: wire.HttpRequest) -> Call:
        try:
            body = json.loads(request.body or b"{}")
        except ValueError:
            body = {}
        # Clients differ in whether the base URL carries /v1.
        path = re.sub(r"^(/v1)+(?=/)", "", request.path)
        given = body if isinstance(body, dict) else {}
        number, now = len(self._calls) + 1, time.time()
        call = Call(number, path, request.headers, given, now, raw=request.body)
        self._calls.append(call)
        return call

    def _without_script(
        self, request: wire.HttpRequest, call: Call, protocol: _Protocol | None
    ) -> wire.Answer | None:
        """Return what is answered by the path or the key alone."""
        say = protocols.error if protocol is None else protocol.error
        if self._api_key is not None and call.api_key != self._api_key:
            call.status, call.outcome, body = 401, "bad_key", say(*Fault.bad_key().error())
        elif request.method == "GET" and call.path == "/models":
            call.status, call.outcome, body = 200, "answered", protocols.models(self._models)
        elif protocol is None or request.method != "POST":
            why = f"No {request.method} {request.path} here."
            call.status, call.outcome = 404, "unknown path"
            body = say("invalid_request_error", "unknown_url", why)
        else:
            return None
        return wire.whole(call.status, body)

    def _decide(self, call: Call) -> tuple[Reply, Fault | None]:
        queue = self._queues["embeddings" if call.path == "/embeddings" else "text"]
        mixed = self._faults.choose(call) if self._faults and not queue else None
        step = queue.popleft() if queue else mixed or self._ask(call)
        if isinstance(step, str):
            return Reply(step), None
        if isinstance(step, Reply):
            return step, None
        if step.kind == "refusal":
            return Reply(refusal=step.text), step
        if call.path == "/embeddings":
            return Reply(step.name), step  # a vector has no words to spoil
        plain = self._plain(call)
        return Reply(step.spoil(plain) if step.kind == "content" else plain), step

    def _ask(self, call: Call) -> Step:
        if call.path == "/embeddings":
            return ""
        try:
            return self._script(call)
        except Exception as wrong:  # noqa: BLE001 - a test sees it in the answer
            return Fault(f"script raised {wrong!r}", "status", 500)

    def _plain(self, call: Call) -> str:
        """Return what would have been said without the fault."""
        step = self._ask(call)
        return step if isinstance(step, str) else step.text


@dataclass(frozen=True, slots=True)
class _Play:
    """One answer on its way to the client; True means that the connection can be used again."""

    server: ModelServer
    call: Call
    protocol: _Protocol
    reply: Reply
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def answered(self) -> bool:
        answer = self._answer()
        await wire.send(self.writer, answer.head)
        for frame in answer.frames:
            await wire.send(self.writer, frame)
            if self.reply.pause:
                await asyncio.sleep(self.reply.pause)
        return True

    async def failed(self, fault: Fault) -> bool:
        match fault.kind:
            case "content" | "refusal":
                return await self.answered()
            case "status" | "page":
                self.call.status = fault.status
                answer = wire.raw(200, fault.text.encode(), fault.headers)
                if fault.kind == "status":
                    body = self.protocol.error(*fault.error())
                    answer = wire.whole(fault.status, body, fault.headers)
                await wire.send(self.writer, answer.head, answer.tail)
                return True
            case "hang":
                with suppress(TimeoutError):
                    await asyncio.wait_for(wire.gone(self.reader), fault.seconds)
                return False  # the connection is closed without a word
            case "refused":
                await self.server._go_down()
                self.server._spawn(_later(fault.seconds or 0, self.server._come_up))
                return False
            case "slow_drip":
                return await self._drip(fault)
            case "truncated" | "cut_stream":
                return await self._cut(pretend=fault.kind == "truncated" and not fault.size)

    def _answer(self) -> wire.Answer:
        self.call.status = 200
        tokens = self.server._cache.count(self.call, self.reply)
        parts = (self.call, self.reply, tokens)
        if self.call.stream and self.call.path != "/embeddings":
            return wire.streamed(self.protocol.events(*parts), self.reply.headers)
        return wire.whole(200, self.protocol.whole(*parts), self.reply.headers)

    async def _drip(self, fault: Fault) -> bool:
        answer = self._answer()
        await wire.send(self.writer, answer.head)
        for at in range(0, len(answer.tail), fault.size):
            await wire.send(self.writer, answer.tail[at : at + fault.size])
            await asyncio.sleep(fault.seconds or 0)
        return True

    async def _cut(self, *, pretend: bool) -> bool:
        answer = self._answer()
        half = answer.tail[: len(answer.tail) // 2]
        if pretend and not self.call.stream:
            headers = {"content-type": "application/json", "connection": "close"}
            answer = wire.raw(200, half, headers)
        await wire.send(self.writer, answer.head, half)
        return False


async def _later(seconds: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    await asyncio.sleep(seconds)
    await work()


def _bound(port: int) -> socket.socket:
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", port))
    held.setblocking(False)
    return held
