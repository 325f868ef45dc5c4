"""Finding messages and memories."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from erstwhile.api.conversation import Door, Reads, routes
from erstwhile.api.shapes.answered import Hits
from erstwhile.api.shapes.asked import Search, several

router = routes("search")


@router.get("/search", summary="Search")
async def search(space: Reads, memory: Door, asked: Annotated[Search, Query()]) -> Hits:
    """The messages and memories that `q` is about, best first."""
    found = await memory.search(
        asked.q,
        space=space,
        channel=asked.channel,
        person=asked.person,
        limit=asked.limit,
        kinds=several(asked.kinds),
        trial=asked.trial,
    )
    return Hits(hits=found)
