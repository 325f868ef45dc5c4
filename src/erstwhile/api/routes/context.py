"""What a model should know before it answers."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from erstwhile.api.caller import Door, Reads

router = APIRouter(prefix="/v1/spaces/{space}/channels/{channel}", tags=["context"])


@router.get("/context")
async def context(
    space: Reads, channel: str, memory: Door, query: str = "", person: str | None = None
) -> dict[str, Any]:
    built = await memory.channel(channel, space).context(query, person=person)
    return {"text": built.text, "tokens": built.tokens, "request": built.request}
