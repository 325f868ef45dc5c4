"""What changes in a space, as it changes: server-sent events from the feed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import Header, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter

from erstwhile.api.conversation import Door, Reads, routes
from erstwhile.api.problems import Problem
from erstwhile.api.shapes.asked import several
from erstwhile.events.feed import Watch
from erstwhile.events.model import Event
from erstwhile.recall.model import KINDS

router = routes("events")

_RETRY_MILLISECONDS = 1000
_HEARTBEAT_SECONDS = 15.0
# Nobody in between may keep the lines back, or keep them for others.
_HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
_JSON: TypeAdapter[Event] = TypeAdapter(Event)
EVENT_KINDS = (*KINDS, "job", "person", "channel", "settings", "space")
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "`event: change` for each change, its cursor as `id:`, an Event as `data:`; without end.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}

Kinds = Annotated[str | None, Query(description="Only of these kinds, with commas between.", examples=["message,fact"])]
Channel = Annotated[str | None, Query(description="Only what is of this channel.")]
After = Annotated[
    str | None, Query(description="The cursor to go on from; 0: the oldest kept. Without it, from now on.")
]
LastEventID = Annotated[str | None, Header(description="The same, as browsers send it when they reconnect.")]


@router.get("/events", response_class=StreamingResponse, responses=_STREAM, summary="Watch what changes")
async def events(
    request: Request,
    space: Reads,
    memory: Door,
    kinds: Kinds = None,
    channel: Channel = None,
    after: After = None,
    last_event_id: LastEventID = None,
) -> StreamingResponse:
    """What changes from now on. A client that reconnects with the last `id:` it saw misses nothing and sees nothing twice; when that is no
    longer kept, the first event is `reset` of kind `space`: load again what you show."""
    only = set(several(kinds) or ()) or None
    if only and (unknown := only - set(EVENT_KINDS)):
        raise Problem(422, f"Unknown kind {min(unknown)!r}. Kinds are {', '.join(EVENT_KINDS)}.")
    watch = memory.events(space=space, after=last_event_id or after)
    await watch.start()  # before the first line is sent: whoever has it misses nothing from then on

    def wanted(event: Event) -> bool:
        """What concerns the whole space concerns everyone who watches it."""
        return event.kind == "space" or ((only is None or event.kind in only) and channel in (None, event.channel))

    stream = _stream(watch, wanted, request.app.state.closing)
    return StreamingResponse(stream, media_type="text/event-stream", headers=_HEADERS)


async def _stream(watch: Watch, wanted: Callable[[Event], bool], closing: asyncio.Event) -> AsyncIterator[str]:
    """One event at a time, each once the one before it was taken: a slow reader waits in the database. Ends with the server."""
    yield f"retry: {_RETRY_MILLISECONDS}\n\n"
    ending = asyncio.ensure_future(closing.wait())
    coming: asyncio.Future[Event | None] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(_next(watch))
            both: set[asyncio.Future[Any]] = {coming, ending}
            await asyncio.wait(both, timeout=_HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if ending.done():
                return
            if not coming.done():
                yield ": still here\n\n"
                continue
            event, coming = coming.result(), None
            if event is None:
                return
            if wanted(event):
                yield f"id: {event.cursor}\nevent: change\ndata: {_JSON.dump_json(event).decode()}\n\n"
    finally:
        ending.cancel()
        if coming is not None:
            coming.cancel()
        await watch.aclose()


async def _next(watch: Watch) -> Event | None:
    return await anext(watch, None)
