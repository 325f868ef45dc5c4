"""What changes in a space, as it changes: server-sent events from the feed."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import Header, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter

from erstwhile.base import ids
from erstwhile.events.feed import Watch
from erstwhile.events.model import Event
from erstwhile.http.caller import CurrentCaller, ReadableSpace, ServedMemory, routes
from erstwhile.http.openapi import Responses
from erstwhile.http.problems import Problem

router = routes("events")

_RETRY_MILLISECONDS = 1000
_HEARTBEAT_SECONDS = 15.0
_ASKED_SECONDS = 5.0  # how often whoever watches is asked for their key again
_MOST = 500  # streams of one key, in one process
# Nobody in between may keep the lines back, or keep them for others.
_HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
_JSON: TypeAdapter[Event] = TypeAdapter(Event)
EVENT_KINDS = (*ids.kinds(), "job", "person", "channel", "settings", "space")
_LINES = "`event: change` for each change, its cursor as `id:`, an Event as `data:`; without end."
_CONTENT = {"text/event-stream": {"schema": {"type": "string"}}}
_STREAM: Responses = {200: {"description": _LINES, "content": _CONTENT}}

_KINDS = "Only of these kinds, with commas between."
Kinds = Annotated[str | None, Query(description=_KINDS, examples=["message,fact"])]
Channel = Annotated[str | None, Query(description="Only what is of this channel.")]
_AFTER = "The cursor to go on from; 0: the oldest kept. Without it, from now on."
After = Annotated[str | None, Query(description=_AFTER)]
_LAST = "The same, as browsers send it when they reconnect."
LastEventID = Annotated[str | None, Header(description=_LAST)]


@router.get(
    "/events",
    name="watch",
    response_class=StreamingResponse,
    responses=_STREAM,
    summary="Watch what changes",
)
async def events(
    request: Request,
    space: ReadableSpace,
    caller: CurrentCaller,
    memory: ServedMemory,
    kinds: Kinds = None,
    channel: Channel = None,
    after: After = None,
    last_event_id: LastEventID = None,
) -> StreamingResponse:
    """Stream what changes from now on. A client that reconnects with the last `id:` it saw misses
    nothing and sees nothing twice; when that is no longer kept, the first event is `reset` of kind
    `space`: load again what you show. The stream ends when its key does."""
    only = {each.strip() for each in (kinds or "").split(",")} - {""} or None
    if only and (unknown := only - set(EVENT_KINDS)):
        raise Problem(422, f"Unknown kind {min(unknown)!r}. Kinds are {', '.join(EVENT_KINDS)}.")
    if request.app.state.watchers[caller.key] >= _MOST:
        why = f"{_MOST} streams are open with this key. Close some, or watch from fewer places."
        raise Problem(429, why, headers={"Retry-After": "10"})
    watch = memory.events.watch(space=space, after=last_event_id or after)
    await watch.start()  # before the first line is sent: whoever has it misses nothing from then on

    def wanted(event: Event) -> bool:
        """What concerns the whole space concerns everyone who watches it."""
        return event.kind == "space" or (
            (only is None or event.kind in only) and channel in (None, event.channel)
        )

    stream = _stream(watch, wanted, request, caller.key)
    return StreamingResponse(stream, media_type="text/event-stream", headers=_HEADERS)


async def _may_watch(request: Request) -> bool:
    """Return whether the key may still watch: it was not revoked and has not ended."""
    try:
        await request.app.state.gate.admit(request)
    except Problem as refusal:
        return refusal.status >= 500  # the database is away, and has no news either
    return True


async def _stream(
    watch: Watch, wanted: Callable[[Event], bool], request: Request, key: str
) -> AsyncIterator[str]:
    """Send one event at a time, each once the one before it was taken: a slow reader waits in the
    database. Ends with the server."""
    state = request.app.state
    state.watchers[key] += 1
    ending = asyncio.ensure_future(state.closing.wait())
    coming: asyncio.Future[Event | None] | None = None
    try:
        yield f"retry: {_RETRY_MILLISECONDS}\n\n"
        silent_since = time.monotonic()
        while True:
            coming = coming or asyncio.ensure_future(_next(watch))
            patience = min(_ASKED_SECONDS, _HEARTBEAT_SECONDS)
            both: set[asyncio.Future[Any]] = {coming, ending}
            await asyncio.wait(both, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if ending.done() or not await _may_watch(request):
                return
            if not coming.done():
                if time.monotonic() - silent_since >= _HEARTBEAT_SECONDS:
                    yield ": still here\n\n"
                    silent_since = time.monotonic()
                continue
            event, coming = coming.result(), None
            if event is None:
                return
            if wanted(event):
                yield f"id: {event.cursor}\nevent: change\ndata: {_JSON.dump_json(event).decode()}\n\n"
    finally:
        state.watchers -= Counter([key])  # which also forgets a key that watches no more
        ending.cancel()
        if coming is not None:
            coming.cancel()
        await watch.aclose()


async def _next(watch: Watch) -> Event | None:
    return await anext(watch, None)
