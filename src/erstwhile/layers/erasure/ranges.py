"""What was made of stretches of messages: summaries, briefs, memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.base.clock import micros
from erstwhile.layers.brief.steps import Briefs
from erstwhile.layers.contract import Layer, Remake
from erstwhile.layers.erasure.listing import queries
from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.summaries.model import Range
from erstwhile.layers.summaries.steps import Chunks
from erstwhile.memories import erase
from erstwhile.storage import Row, Transaction

_LEVELS = 64  # more than there can be


@dataclass(frozen=True, slots=True)
class Touched:
    """What is to be made again, once the messages are gone."""

    remakes: tuple[Remake, ...]
    briefs: tuple[str, ...]


async def take(tx: Transaction, layers: Sequence[Layer], subject: Subject, counts: dict[str, int]) -> Touched:
    """Their words go; the places of summaries stay."""
    person = subject.person
    await tx.run(queries.list_chunks, person=person)
    for _ in range(_LEVELS):
        if not await tx.run(queries.list_chunks_above):
            break
    counts["chunks"] = await tx.run(queries.drop_chunks) + await tx.run(queries.blank_chunks)
    await tx.run(queries.empty_places)
    await tx.run(queries.drop_cursors)

    await erase.list_memories(tx, layers, person)
    beside = await erase.count_beside(tx, layers)
    remakes = []
    for layer in layers:
        counts |= await erase.take(tx, layer)
        remake = await layer.erased(tx, subject)
        remakes += [remake] if remake is not None else []
    left = await erase.count_beside(tx, layers)
    counts |= {table: number - left[table] for table, number in beside.items()}

    await tx.run(queries.list_briefs, person=person)
    counts["briefs"] = await tx.run(queries.drop_briefs)
    briefs = [row["channel"] for row in await tx.all(queries.blank_briefs)]
    counts["briefs"] += len(briefs)
    return Touched(tuple(remakes), tuple(briefs))


class Remaking:
    """Asks the rooms for what has to be made again."""

    def __init__(self, chunks: Chunks, briefs: Briefs) -> None:
        self._chunks, self._briefs = chunks, briefs

    async def ask(self, tx: Transaction, touched: Touched, now: datetime) -> None:
        """What is left of the messages is read again; where nothing is, a place without words stays."""
        await tx.run(queries.close_chunks, now=micros(now))
        for level in range(1, _LEVELS):
            if not await tx.run(queries.close_metas, level=level, now=micros(now)):
                break
        blank = await tx.all(queries.blank_chunks_left)
        await self._chunks.erased(tx, [_range(row) for row in blank], now)
        for remake in touched.remakes:
            await remake(tx, now)
        await self._briefs.erased(tx, touched.briefs)


def _range(row: Row) -> Range:
    return Range(row["channel"], row["level"], row["number"], row["first_seq"], row["last_seq"])
