"""Structured memories among the hits of a search: what still holds comes before what was ended."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.layers.structured import store
from erstwhile.layers.structured.model import Structured
from erstwhile.search.model import Hit
from erstwhile.storage import Transaction


def structured_text(memory: Structured) -> str:
    """With the day it ended, if it did, so that nobody takes it for what is so now."""
    if memory.valid_to is None or memory.done:
        return memory.text
    return f"{memory.text} (until {memory.valid_to:%Y-%m-%d})"


async def valid_first(tx: Transaction, hits: Sequence[Hit]) -> list[Hit]:
    """The structured hits change places among themselves, those that hold first; every other hit stays where it is."""
    ids = [hit.id for hit in hits if hit.kind == "structured"]
    if len(ids) < 2:
        return list(hits)
    standing = {memory.id for memory in await store.by_ids(tx, ids) if memory.standing}
    ordered = iter(sorted((hit for hit in hits if hit.kind == "structured"), key=lambda hit: hit.id not in standing))
    return [next(ordered) if hit.kind == "structured" else hit for hit in hits]
