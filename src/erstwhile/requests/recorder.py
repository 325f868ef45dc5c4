"""Store requests in the background, in batches.

A failing database never fails an answer: rows that can't be written are kept for the next attempt,
and beyond a limit the oldest are dropped and logged.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from erstwhile.base.clock import Clock, micros
from erstwhile.base.errors import InvalidInput, NotFound, SettingsError, StorageError
from erstwhile.base.logs import Log
from erstwhile.context.model import BuiltContext, Context
from erstwhile.receipts import store as receipts
from erstwhile.requests import store
from erstwhile.requests.model import RETRIEVAL, Request, TokenUsage
from erstwhile.search.model import Hit, TracedHits
from erstwhile.search.trace import Trace
from erstwhile.storage import Database, Transaction, Unit

if TYPE_CHECKING:
    from erstwhile.writers.port import WriterOutput

log = Log(__name__)

_PAUSE = 0.2  # seconds to collect rows
_FEW = 4  # requests that are prepared at a time: searches wait for the interpreter meanwhile
_REST = 0.01  # seconds after these, as long as nobody waits
_AGAIN = 5.0  # seconds before a failed batch is tried again
_LAST = 5.0  # seconds that closing waits for the last rows
_BATCH = 200
_MOST = 2000  # maximum number of waiting rows
_DISAGREED = 10_000_000  # microseconds that the clocks of two machines may be apart

_SUMMED = ("calls", "input_tokens", "output_tokens", "cached_tokens", "failed", "unborne")
# From a trace.
_COPIED = (
    *("hits", "path", "fallback", "scope", "widened"),
    *("when", "candidates", "truncated", "sub_questions"),
)

_Use = tuple[str, int, str, str]  # space, day, task, model
_Prepared = tuple[Request, Mapping[str, Any]]  # with the row that is stored


class Recorder:
    """`mask` takes secrets out of a question."""

    def __init__(
        self, database: Database, clock: Clock, keep: timedelta, mask: Callable[[str], str] = str
    ) -> None:
        self._database, self._clock, self._keep, self._mask = database, clock, keep, mask
        self._rows: deque[tuple[str, Request]] = deque()
        self._spent: dict[_Use, TokenUsage] = {}
        self._task: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()
        self._closing = asyncio.Event()
        self._awaited = asyncio.Event()  # somebody waits for what was recorded

    @property
    def on(self) -> bool:
        return self._keep > timedelta(0)

    def add(self, space: str, request: Request, **seen: Any) -> None:
        """Record a request with what was `seen` on the way."""
        if self.on:
            # Cut afterwards, so that no half of a secret stays; of a megabyte no more is read.
            query = self._mask(request.query[: 2 * store.LONGEST])
            self._rows.append((space, replace(request, query=query, **seen)))
            self._bound()
            self._start()

    def spent(self, space: str, task: str, written: WriterOutput) -> None:
        """Count the tokens of language work, and what failed. Drafts use none."""
        usage = written.usage
        if not self.on or not (usage.input_tokens or usage.output_tokens or written.failed):
            return
        model = written.writer.partition("#")[0]
        tokens = usage.input_tokens, usage.output_tokens, usage.cached_tokens
        took = TokenUsage(task, model, 1, *tokens, int(written.failed), written.unborne)
        self._add_up((space, micros(self._clock()) // store.DAY, task, model), took)
        self._start()

    async def flush(self) -> None:
        """Write the waiting rows, as far as the database allows."""
        self._awaited.set()
        await self._write_all()

    async def _write_all(self) -> None:
        async with self._writing:
            while (self._rows or self._spent) and await self._write():
                pass

    async def close(self) -> None:
        """Write the last rows, but do not wait long for the database."""
        self._closing.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST):
                if self._task is not None:
                    await self._task
                await self.flush()
        if self._rows or self._spent:
            log.warning("requests.lost", rows=len(self._rows))

    async def forget_old(self, now: datetime) -> None:
        if self.on:
            await store.forget(self._database, now - self._keep)

    def _start(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="erstwhile-requests")

    async def _run(self) -> None:
        pause = _PAUSE
        while self._rows or self._spent:
            try:
                async with asyncio.timeout(pause):
                    await self._closing.wait()
                return  # the rest is written by `close`
            except TimeoutError:
                pass
            self._awaited.clear()
            await self._write_all()
            pause = _AGAIN

    async def _write(self) -> bool:
        """Write one batch and return whether to continue."""
        batch = [self._rows.popleft() for _ in range(min(_BATCH, len(self._rows)))]
        spent, self._spent = self._spent, {}
        try:
            for space in sorted({space for space, _ in batch} | {use[0] for use in spent}):
                rows = [request for owner, request in batch if owner == space]
                used = {use: took for use, took in spent.items() if use[0] == space}
                prepared = await self._prepare(space, rows)
                await self._database.write(space, _unit(prepared, used))
                batch = [each for each in batch if each[0] != space]
                spent = {use: took for use, took in spent.items() if use[0] != space}
        except (StorageError, asyncio.CancelledError) as error:  # unavailable, full, or cancelled
            why = str(error) or type(error).__name__
            log.warning("requests.not_written", rows=len(batch), error=why)
            self._rows.extendleft(reversed(batch))
            for use, took in spent.items():
                self._add_up(use, took)
            self._bound()
            if isinstance(error, asyncio.CancelledError):
                raise
            return False
        except Exception as error:  # noqa: BLE001 - other rows and answers go on
            log.error("requests.dropped", rows=len(batch), error=type(error).__name__)
        return True

    async def _prepare(self, space: str, requests: list[Request]) -> list[_Prepared]:
        """Work out what is stored of each request, a few at a time: all at once, it would take
        the interpreter from searches for longer than they take."""
        prepared: list[_Prepared] = []
        for first in range(0, len(requests), _FEW):
            few = requests[first : first + _FEW]
            rows = await self._database.read(space, partial(store.rows, requests=few))
            prepared += zip(few, rows, strict=True)
            if len(prepared) < len(requests) and len(self._rows) < _BATCH:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_REST):
                        await self._awaited.wait()
        return prepared

    def _add_up(self, use: _Use, took: TokenUsage) -> None:
        if so_far := self._spent.get(use):
            sums = {name: getattr(so_far, name) + getattr(took, name) for name in _SUMMED}
            took = replace(took, **sums)
        self._spent[use] = took

    def _bound(self) -> None:
        if len(self._rows) > _MOST:
            log.warning("requests.dropped", rows=len(self._rows) - _MOST)
        while len(self._rows) > _MOST:
            self._rows.popleft()


def _unit(prepared: list[_Prepared], used: dict[_Use, TokenUsage]) -> Unit[None]:
    async def unit(tx: Transaction) -> None:
        left = await _not_erased(tx, prepared) if prepared else []
        if left:
            await store.add(tx, [row for _, row in left])
        for use, took in sorted(used.items()):
            await store.add_spent(tx, use[1], took)

    return unit


async def _not_erased(tx: Transaction, prepared: list[_Prepared]) -> list[_Prepared]:
    """Drop requests made before an erasure that happened meanwhile. Requests that name an erased
    person or channel are dropped with a margin for clock differences."""
    mark = await receipts.hold(tx)  # blocks erasures until the commit
    if not mark.number:
        return prepared
    oldest = min(micros(each.at) for each, _ in prepared)
    erased = await receipts.lately(tx, oldest - _DISAGREED)
    last = max(erased.values(), default=0)

    def stays(request: Request) -> bool:
        named = (("person", request.person), ("channel", request.channel))
        subjects = {mark.hash(kind, name) for kind, name in named if name is not None}
        return micros(request.at) >= last and not any(
            erased.get(each, 0) >= micros(request.at) - _DISAGREED for each in subjects
        )

    return [each for each in prepared if stays(each[0])]


_OF_THE_CALLER = (InvalidInput, NotFound, SettingsError)


class RequestRecord:
    """`with asked:` measures the retrieval and records a failure. `end` records the request once,
    unless `kept` is False."""

    def __init__(
        self, recorder: Recorder, space: str, request: Request, *, kept: bool = True
    ) -> None:
        self._recorder, self.space = recorder, space
        self._started = 0.0
        self._kept, self._ended = kept, not kept
        self._seen: dict[str, Any] = {}  # what the retrieval did
        self.request = request

    @property
    def id(self) -> str:
        """Empty when requests are not recorded."""
        return self.request.id if self._recorder.on and self._kept else ""

    def __enter__(self) -> Self:
        self._started = time.perf_counter()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._seen["retrieval_ms"] = (time.perf_counter() - self._started) * 1000
        if isinstance(error, Exception) and not isinstance(error, _OF_THE_CALLER):
            self.end(error_stage=RETRIEVAL)

    def built(self, made: BuiltContext, budget: int, recipe: str) -> Context:
        parts = {part.name: part.tokens for part in made.context.parts}
        items = sum(len(part.items) for part in made.context.parts)
        counted = {"items": items, "tokens": made.context.tokens, "parts": parts}
        self._traced(made.trace, **counted, budget=budget, recipe=recipe)
        return replace(made.context, request=self.id)

    def unrecorded(self) -> Context:
        """Discard the record and return an empty context."""
        self._ended = True
        return Context(text="", messages=(), parts=(), sources=(), tokens=0)

    def found(self, found: TracedHits) -> list[Hit]:
        self._traced(found.trace, items=len(found.hits))
        return found.hits

    def end(self, **more: Any) -> None:
        if not self._ended:
            self._ended = True
            self._recorder.add(self.space, self.request, **self._seen | more)

    def _traced(self, trace: Trace, **more: Any) -> None:
        self._seen |= more | {name: getattr(trace, name) for name in _COPIED}
        self._seen["searched"] = bool(trace.query)
