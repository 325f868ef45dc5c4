"""Delete memories made from erased messages, and request again those that have other sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from erstwhile.layers.contract import Layer, Remake
from erstwhile.memories import erase
from erstwhile.storage import Transaction
from erstwhile.tables import rows
from erstwhile.tables.model import Erasing


async def take(tx: Transaction, layers: Sequence[Layer], erasing: Erasing) -> list[Remake]:
    """List and erase memories. Return what to do once the messages are deleted."""
    counted = [table for layer in layers for table in layer.tables if table.counted]
    before = await rows.counts(tx, counted)
    await erase.list_memories(tx, layers, erasing.subject.person)
    remakes = []
    for layer in layers:
        erasing.counts += Counter(await erase.take(tx, layer))
        await rows.erase(tx, layer.tables, erasing)
        remake = await layer.erased(tx, erasing.subject)
        remakes += [remake] if remake is not None else []
    erasing.counts += before - await rows.counts(tx, counted)
    return remakes
