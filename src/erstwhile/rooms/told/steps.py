"""What the room does: remember and forget."""

from __future__ import annotations

from collections.abc import Mapping

from erstwhile.base.clock import Clock
from erstwhile.choices.desk import Desk
from erstwhile.choices.hearing import Hearing
from erstwhile.jobs.model import Step
from erstwhile.storage import Database


class Tellings:
    def __init__(self, database: Database, writers: Desk, clock: Clock, hearing: Hearing) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock
        self._hearing = hearing

    @property
    def steps(self) -> Mapping[str, Step]:
        return {}
