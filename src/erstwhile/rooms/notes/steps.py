"""What the room does: gather a channel's messages until it is quiet, note them, and put a day's notes into topics at night."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from erstwhile.base.clock import Clock
from erstwhile.choices.desk import Desk
from erstwhile.choices.hearing import Hearing
from erstwhile.jobs.model import Step
from erstwhile.log.model import Message
from erstwhile.rooms.notes.model import Note, Stated
from erstwhile.storage import Database, Transaction


@dataclass(frozen=True, slots=True)
class Timing:
    """`quiet`: after so long without a word a buffer is noted; `limit`: no buffer grows older; `hour`: when the night's work starts."""

    quiet: timedelta = timedelta(minutes=25)
    limit: timedelta = timedelta(minutes=120)
    hour: int = 3
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    topics: int = 8


class Follower(Protocol):
    """A room that is made from notes. It is called in the transaction that writes them."""

    async def noted(self, tx: Transaction, note: Note, stated: Sequence[Stated], now: datetime) -> None:
        """A note was written, or written anew in place of a draft: then what it stated before no longer counts."""
        ...

    async def night_fell(self, tx: Transaction, people: Sequence[str], day: date, now: datetime) -> None:
        """The night's topics are made; these people took part in notes since the last night."""
        ...


class Notes:
    def __init__(
        self,
        database: Database,
        writers: Desk,
        clock: Clock,
        hearing: Hearing,
        shape: tuple[Timing, Sequence[Follower]],
    ) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock
        self._hearing = hearing
        self._timing, self._followers = shape

    @property
    def steps(self) -> Mapping[str, Step]:
        return {}

    async def appended(self, tx: Transaction, channel: str, messages: Sequence[Message], now: datetime) -> None:
        """Takes what people said into the channel's buffer."""
