"""What deleting by hand keeps of a chunk or a meta, so that it can be brought back."""

from __future__ import annotations

from typing import Any

from erstwhile.base.errors import NotFound
from erstwhile.layers.summaries import store as chunks
from erstwhile.log import store as log
from erstwhile.storage import Row, Transaction

Kept = dict[str, Any]


def plain(row: Row) -> Kept:
    """A row as JSON knows it; its space is the transaction's."""
    return {name: value for name, value in row.items() if name != "space"}


async def of_range(tx: Transaction, row: Row) -> Kept:
    """The row, and how many messages it was made of."""
    return {"row": plain(row), "messages": await _messages(tx, row)}


async def still_there(tx: Transaction, id: str, kept: Kept) -> None:
    """Refuses where messages that were there when it was deleted have gone since."""
    if await _messages(tx, kept["row"]) < kept["messages"]:
        raise NotFound(f"The messages that {id} was made of are no longer all there, so it can't be brought back.")


async def _messages(tx: Transaction, row: Row | Kept) -> int:
    (found,) = await log.ids_in(tx, [(row["channel"], row["first_seq"], row["last_seq"])])
    return len(found)


async def of_chunk(tx: Transaction, row: Row) -> Kept:
    """Also how what is below and beside it stood: a meta above fits again if nothing of that has changed."""
    above: dict[str, Any] = {}
    below = str(row["id"])
    for meta in await chunks.above(tx, below):
        id = meta.id(tx.space)
        stands = await tx.first(chunks.queries.get, id=id)
        if stands is not None and not stands["stale"]:
            above[id] = {"created_at": stands["created_at"], "beside": await beside(tx, id, below)}
        below = id
    return {**await of_range(tx, row), "above": above, "below": await beside(tx, row["id"])}


async def beside(tx: Transaction, meta: str, without: str = "") -> list[list[Any]]:
    """The parts of a meta as they stand, without one of them."""
    rows = await tx.all(chunks.queries.beside, parent=meta)
    return [[row["id"], row["version"], row["stale"]] for row in rows if row["id"] != without]
