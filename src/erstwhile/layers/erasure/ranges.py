"""What was made of stretches of messages: summaries, facts, structured memories, briefs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.layers.contract import Layer, Remake
from erstwhile.layers.erasure.listing import queries
from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.structured import store as structured_store
from erstwhile.layers.structured.steps import StructuredMemories
from erstwhile.layers.summaries.model import Range
from erstwhile.memories import erase
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import Query


@dataclass(frozen=True, slots=True)
class Touched:
    """What is to be made again, once the messages are gone."""

    remakes: tuple[Remake, ...]
    structurings: tuple[Row, ...]


async def take(tx: Transaction, layers: Sequence[Layer], subject: Subject, counts: dict[str, int]) -> Touched:
    """List what goes, and take it."""
    person = subject.person
    await erase.list_memories(tx, layers, person)
    remakes = []
    for layer in layers:
        counts |= await erase.take(tx, layer)
        remake = await layer.erased(tx, subject)
        remakes += [remake] if remake is not None else []

    await tx.run(queries.list_structured, person=person)
    threads = [row["thread"] for row in await tx.all(queries.threads)]
    await structured_store.hold(tx, threads)
    counts["structured"] = await tx.run(queries.drop_structured)
    await structured_store.settle(tx, threads)
    structurings = await _readings(tx, queries.structurings, queries.drop_structuring)
    return Touched(tuple(remakes), tuple(structurings))


async def _readings(tx: Transaction, find: Query, drop: Query) -> Sequence[Row]:
    rows = await tx.all(find)
    if rows:
        await tx.run_many(drop, [_place(row) for row in rows])
    return rows


def _place(row: Row) -> dict[str, object]:
    return {"channel": row["channel"], "first": row["first_seq"], "last": row["last_seq"]}


class Remaking:
    """Asks the rooms for what has to be made again."""

    def __init__(self, structured: StructuredMemories) -> None:
        self._structured = structured

    async def ask(self, tx: Transaction, touched: Touched, now: datetime) -> None:
        """What is left of the messages is read again; where nothing is, a place without words stays."""
        for remake in touched.remakes:
            await remake(tx, now)
        for row in touched.structurings:
            if await tx.first(queries.anything_left, **_place(row)):
                await self._structured.ask(tx, Range(row["channel"], 0, 0, row["first_seq"], row["last_seq"]), now)
