"""What the room does: days for all people of a space at once, the week before, and what told, today and history come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from erstwhile.base.clock import Clock
from erstwhile.choices.desk import Desk
from erstwhile.choices.hearing import Hearing
from erstwhile.jobs.model import Step
from erstwhile.storage import Database


@dataclass(frozen=True, slots=True)
class Lengths:
    """Characters, about: of one person's day, and of the days before it."""

    day: int = 300
    week: int = 500


class Days:
    def __init__(
        self, database: Database, writers: Desk, clock: Clock, hearing: Hearing, shape: tuple[ZoneInfo, Lengths]
    ) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock
        self._hearing = hearing
        self._zone, self._lengths = shape

    @property
    def steps(self) -> Mapping[str, Step]:
        return {}
