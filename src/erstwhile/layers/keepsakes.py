"""What deleting by hand keeps of a memory, so that it can be brought back."""

from __future__ import annotations

from typing import Any

from erstwhile.base.errors import NotFound
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
