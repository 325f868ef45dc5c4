"""Messages of a channel: put in one or many, read in pages."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Body

from erstwhile.api.caller import Door, Reads, Writes

router = APIRouter(prefix="/v1/spaces/{space}/channels/{channel}", tags=["messages"])


@router.post("/messages", status_code=201)
async def add(space: Writes, channel: str, memory: Door, body: dict[str, Any] = Body()) -> Any:  # noqa: B008
    if "messages" in body:
        return {"messages": await memory.channel(channel, space).add_many(body["messages"])}
    return (await memory.channel(channel, space).add_many([body]))[0]


@router.get("/messages")
async def messages(space: Reads, channel: str, memory: Door, after: int = 0, limit: int = 100) -> dict[str, Any]:
    found = [message async for message in memory.channel(channel, space).messages(after, limit)]
    return {"messages": found, "next": None}
