"""When days are found, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.layers.days import store
from erstwhile.layers.days.model import DAY, day_of
from erstwhile.memories import kinds
from erstwhile.memories.kinds import Kind, Sources
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction


async def _sources(tx: Transaction, memories: Sequence[StoredMemory]) -> Sources:
    return {each.id: tuple(dict.fromkeys(await store.messages_of(tx, day_of(each)))) for each in memories}


def _searched(memory: StoredMemory) -> str | None:
    """From when it is over."""
    return memory.text if memory.data.get(store.IS_OVER) else None


KIND = kinds.register(
    Kind(
        DAY, prefix="day", label="Day", plural="days", ranged=False, expires=True, sources=_sources, searched=_searched
    )
)
