"""Looking back: what was asked, what became of it, and what the figures say."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request

from erstwhile.http.conversation import Door, Reads, Writes, routes
from erstwhile.http.openapi import told
from erstwhile.http.shapes.answered import AllAdvice, Findings, Requests
from erstwhile.http.shapes.asked import Latest, Period, Quick, RequestId
from erstwhile.http.shapes.given import Complaint
from erstwhile.requests.model import Report, Why

router = routes("record")


@router.get("/requests", responses=told(404), summary="List requests")
async def requests(space: Reads, memory: Door, asked: Annotated[Latest, Query()]) -> Requests:
    """What was asked of the memory, newest first; with `failed`, only what went wrong."""
    return Requests(requests=await memory.requests(space=space, **dict(asked)))


@router.get("/requests/{id:id}", responses=told(404), summary="Why a request was answered so")
async def why(id: RequestId, space: Reads, memory: Door) -> Why:
    """Every candidate, what its score was made of, and why it was kept or not."""
    return await memory.why(id, space=space)


@router.post("/requests/{id:id}/complaint", status_code=204, responses=told(404), summary="Complain about a request")
async def complain(id: RequestId, space: Writes, memory: Door, body: Complaint) -> None:
    """Marks it as one where something was forgotten. A second time changes the note."""
    await memory.complain(id, body.note, space=space)


@router.get("/report", summary="How the memory did")
async def report(space: Reads, memory: Door, asked: Annotated[Period, Query()]) -> Report:
    """Over the last days, today included."""
    return await memory.report(space=space, days=asked.days)


@router.get("/advice", summary="What to turn on")
async def advise(space: Reads, memory: Door, asked: Annotated[Period, Query()]) -> AllAdvice:
    """Each figure that calls for an upgrade when it passes its threshold, and what to turn on then."""
    return AllAdvice(advice=await memory.advise(space=space, days=asked.days))


@router.get("/doctor", summary="What is wrong")
async def doctor(request: Request, space: Reads, memory: Door, asked: Annotated[Quick, Query()]) -> Findings:
    """What is wrong or worth knowing, and what to do about it."""
    if asked.quick:
        return Findings(findings=await memory.doctor(space=space, quick=True))
    async with (
        request.app.state.examining
    ):  # it reads the whole database: one at a time, so that nobody keeps the others from reading
        return Findings(findings=await memory.doctor(space=space))
