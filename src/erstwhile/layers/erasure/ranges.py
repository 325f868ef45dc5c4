"""What was made of stretches of messages: summaries, briefs, memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.layers.contract import Layer, Remake
from erstwhile.layers.erasure.model import Subject
from erstwhile.memories import erase
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class Touched:
    """What is to be made again, once the messages are gone."""

    remakes: tuple[Remake, ...]


async def take(tx: Transaction, layers: Sequence[Layer], subject: Subject, counts: dict[str, int]) -> Touched:
    """Take what is listed."""
    beside = await erase.count_beside(tx, layers)
    remakes = []
    for layer in layers:
        counts |= await erase.take(tx, layer)
        remake = await layer.erased(tx, subject)
        remakes += [remake] if remake is not None else []
    left = await erase.count_beside(tx, layers)
    counts |= {table: number - left[table] for table, number in beside.items()}
    return Touched(tuple(remakes))


class Remaking:
    """Asks the rooms for what has to be made again."""

    async def ask(self, tx: Transaction, touched: Touched, now: datetime) -> None:
        """What is left of the messages is read again; where nothing is, a place without words stays."""
        for remake in touched.remakes:
            await remake(tx, now)
