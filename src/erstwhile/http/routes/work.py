"""Work: jobs, and making things again. What concerns every space needs an admin key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Depends, Query
from fastapi.responses import StreamingResponse

from erstwhile.base.errors import Error
from erstwhile.http import problems
from erstwhile.http.caller import admin
from erstwhile.http.conversation import CHANNEL, Called, Door, Reads, Speaks, Writes, doer, routes
from erstwhile.http.openapi import told
from erstwhile.http.shapes.answered import Jobs, Nothing, Queue, Realigned, Retried, Undone
from erstwhile.http.shapes.asked import JobId, JobsAsked
from erstwhile.http.shapes.given import Range, Reason, Trial, Undoing
from erstwhile.jobs.model import Settled
from erstwhile.layers.preview import Preview
from erstwhile.layers.regenerate import Regenerated
from erstwhile.layers.retention.model import Expired
from erstwhile.memory import Memory

of_channel = routes("work", CHANNEL)
of_space = routes("work")
everywhere = routes("work", "/v1")
everywhere.dependencies.append(Depends(admin))

_LINES: dict[str, Any] = {
    "description": 'A line {"done", "total"} for each step, then {"backfilled": …}; if it fails, {"problem": …}.',
    "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
}


@of_channel.post("/regenerate", responses=told(404, 502), summary="Make a range again")
async def regenerate(chat: Speaks, memory: Door, body: Range) -> Regenerated:
    """Now: `chunk` (summary, facts and structured memories), `facts`, `structured`, `meta`, or `embeddings`. All of it is replaced or
    nothing; what people wrote is left, unless `overwrite`."""
    return await memory.regenerate(chat, body.first, body.last, body.what, overwrite=body.overwrite)


@of_channel.post("/preview", responses=told(404, 502), summary="Try a prompt on a range")
async def preview(chat: Speaks, memory: Door, body: Trial) -> Preview:
    """What these instructions would make of the range, if they were the prompt, beside what is stored. Nothing is stored; what it takes is
    recorded as `preview`. Needs a key that may write, because the model is paid for."""
    return await memory.preview(chat, body.first, body.last, prompt=body.prompt, instructions=body.instructions)


@of_channel.post("/regenerate/undo", responses=told(412), summary="Undo making a range again")
async def undo_regenerate(chat: Speaks, memory: Door, caller: Called, body: Undoing) -> Undone:
    """What was replaced comes back as it was, and what was made goes. Send what `regenerate` answered; 412 if any of it was changed
    since."""
    made = Regenerated("", 0, 0, tuple(body.replaced), (), tuple(body.gone), body.undo)
    return Undone(undone=await memory.undo_regenerate(chat, made, by=doer(body.by, caller)))


@of_channel.post("/realign", responses=told(502), summary="Make stale summaries again")
async def realign(chat: Speaks, memory: Door) -> Realigned:
    """Every stale one of a channel, from what is now below it, lowest level first; says how many."""
    return Realigned(realigned=await memory.realign(chat))


@of_space.get("/expiring", summary="What was kept long enough")
async def expiring(space: Reads, memory: Door) -> Expired:
    """How many of each kind `expire` would take away now, at most. Nothing goes."""
    return await memory.expiring(space=space)


@of_space.post("/expire", summary="Take away what was kept long enough")
async def expire(space: Writes, memory: Door) -> Expired:
    """Now; a job does so every hour. What work still needs waits."""
    return await memory.expire(space=space)


@of_space.post("/rebuild", status_code=202, summary="Make everything again")
async def rebuild(space: Writes, memory: Door) -> Nothing:
    """Drops everything derived in a space and asks for it again from the log; workers then make it."""
    await memory.rebuild(space=space)
    return Nothing()


@of_space.post(
    "/backfill", responses={200: _LINES}, response_class=StreamingResponse, summary="Read what was never read"
)
async def backfill(space: Writes, memory: Door) -> StreamingResponse:
    """Reads every full chunk for facts that never was, at most two a second, and tells how far it is. If you go away it stops; the next
    one goes on from there."""
    return StreamingResponse(_backfilling(memory, space), media_type="application/x-ndjson")


async def _backfilling(memory: Memory, space: str) -> AsyncIterator[str]:
    steps: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    work = asyncio.create_task(
        memory.backfill(space=space, progress=lambda done, total: steps.put_nowait({"done": done, "total": total}))
    )
    work.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        while (step := await steps.get()) is not None:
            yield json.dumps(step) + "\n"
        yield json.dumps({"backfilled": asdict(await work)}) + "\n"
    except Error as error:
        yield json.dumps({"problem": problems.document(problems.of(error))}) + "\n"
    finally:
        work.cancel()


@of_space.get("/jobs", summary="List jobs")
async def jobs(space: Reads, memory: Door, asked: Annotated[JobsAsked, Query()]) -> Jobs:
    """Timers (conversations that are not quiet yet, the coming night) are listed by `state=timer`."""
    return Jobs(jobs=await memory.jobs(space=space, state=asked.state, limit=asked.limit))


@of_space.get("/queue", summary="How much there is to do")
async def queue(space: Reads, memory: Door) -> Queue:
    """Jobs that are not done, by state and kind, with how long the oldest has waited and why any had to be tried again."""
    return Queue(queue=await memory.queue(space=space))


@of_space.post("/jobs/retry", summary="Retry every parked job")
async def retry(space: Writes, memory: Door) -> Retried:
    """Makes them due now; says how many."""
    return Retried(retried=await memory.retry(space=space))


@of_space.post("/jobs/{job:id}/retry", responses=told(404), summary="Retry a job")
async def retry_one(job: JobId, space: Writes, memory: Door) -> Retried:
    """Makes a waiting or parked job due now."""
    return Retried(retried=await memory.retry(job, space=space))


@of_space.post("/jobs/{job:id}/park", status_code=204, responses=told(404), summary="Park a job")
async def park(job: JobId, space: Writes, memory: Door, body: Reason) -> None:
    """Sets a job aside, with a reason, until it is retried."""
    await memory.park(job, body.reason, space=space)


@everywhere.post("/settle", responses=told(502), summary="Run everything that is due")
async def settle(memory: Door) -> Settled:
    """In every space, here and now; answers when nothing is due. What waits for a later time stays waiting."""
    return await memory.settle()


@everywhere.get("/jobs", summary="List jobs of every space")
async def all_jobs(memory: Door, asked: Annotated[JobsAsked, Query()]) -> Jobs:
    """As for one space."""
    return Jobs(jobs=await memory.jobs(state=asked.state, limit=asked.limit))


@everywhere.get("/queue", summary="How much there is to do in every space")
async def whole_queue(memory: Door) -> Queue:
    """As for one space."""
    return Queue(queue=await memory.queue())


@everywhere.post("/jobs/retry", summary="Retry every parked job of every space")
async def retry_all(memory: Door) -> Retried:
    """Makes them due now; says how many."""
    return Retried(retried=await memory.retry())


@everywhere.post("/jobs/{job:id}/retry", responses=told(404), summary="Retry a job of any space")
async def retry_any(job: JobId, memory: Door) -> Retried:
    """Makes a waiting or parked job due now."""
    return Retried(retried=await memory.retry(job))


@everywhere.post("/jobs/{job:id}/park", status_code=204, responses=told(404), summary="Park a job of any space")
async def park_any(job: JobId, memory: Door, body: Reason) -> None:
    """Sets a job aside, with a reason, until it is retried."""
    await memory.park(job, body.reason)
