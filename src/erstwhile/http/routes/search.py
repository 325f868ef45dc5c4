"""Finding messages and memories."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from erstwhile.http.conversation import Door, Reads, routes
from erstwhile.http.shapes.answered import Hits
from erstwhile.http.shapes.asked import Browse, Search, several
from erstwhile.search.model import Browsed

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
        since=asked.since,
        until=asked.until,
        writer=asked.writer,
        within=asked.within,
    )
    return Hits(hits=found)


@router.get("/browse", summary="Look through everything")
async def browse(space: Reads, memory: Door, asked: Annotated[Browse, Query()]) -> Browsed:
    """Everything that holds the words, messages too, page by page, the best first; without words everything, the newest first. With how
    much of it is of which kind, channel, person, writer and month."""
    return await memory.browse(
        asked.q,
        space=space,
        channel=asked.channel,
        person=asked.person,
        kinds=several(asked.kinds),
        since=asked.since,
        until=asked.until,
        writer=asked.writer,
        offset=asked.offset,
        limit=asked.limit,
    )
