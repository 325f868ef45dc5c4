"""Check every stored memory against its checksum."""

from __future__ import annotations

from erstwhile.log.integrity import damaged_rows, text_of
from erstwhile.memories.store import queries
from erstwhile.storage import Database


async def damaged_memories(database: Database, told: str) -> list[str]:
    """Return the memories that are not as they were stored. Reads all of them. Names the kinds of those in the space
    `told`, because whoever asks may know nothing of other spaces."""
    damaged = await damaged_rows(database, "memories", queries.checked, {"id": ""})
    return [
        f"{text_of(row['id'])} ({text_of(row['kind']) if space == told else 'in another space'})"
        for space, row in damaged
    ]
