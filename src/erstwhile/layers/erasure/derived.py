"""Delete memories made from erased messages, and request again those that have other sources."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.layers.contract import Layer, Remake
from erstwhile.layers.erasure.model import Subject
from erstwhile.memories import erase
from erstwhile.storage import Transaction


async def take(
    tx: Transaction, layers: Sequence[Layer], subject: Subject, counts: dict[str, int]
) -> list[Remake]:
    """List and erase memories. Return what to do once the messages are deleted."""
    await erase.list_memories(tx, layers, subject.person)
    beside = await erase.count_beside(tx, layers)
    remakes = []
    for layer in layers:
        counts |= await erase.take(tx, layer)
        remake = await layer.erased(tx, subject)
        remakes += [remake] if remake is not None else []
    left = await erase.count_beside(tx, layers)
    counts |= {table: number - left[table] for table, number in beside.items()}
    return remakes
