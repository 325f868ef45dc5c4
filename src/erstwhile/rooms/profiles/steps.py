"""What the room does: take in what notes state, and consolidate at night."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from erstwhile.base.clock import Clock
from erstwhile.choices.desk import Desk
from erstwhile.choices.hearing import Hearing
from erstwhile.jobs.model import Step
from erstwhile.rooms.notes.model import Note, Stated
from erstwhile.storage import Database, Transaction


class Profiles:
    def __init__(self, database: Database, writers: Desk, clock: Clock, hearing: Hearing) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock
        self._hearing = hearing

    @property
    def steps(self) -> Mapping[str, Step]:
        return {}

    async def noted(self, tx: Transaction, note: Note, stated: Sequence[Stated], now: datetime) -> None:
        """Takes what a note states into the profiles."""

    async def night_fell(self, tx: Transaction, people: Sequence[str], day: date, now: datetime) -> None:
        """Asks for the profiles of these people to be consolidated."""
