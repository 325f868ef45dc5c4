"""One run through a space, by hand or as a job: page by page, each page a transaction, so that it can be stopped anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from erstwhile.base import crash
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job
from erstwhile.memories.expire import PAGE
from erstwhile.storage import Database, Transaction, Unit

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Run:
    """With a `job`, only for as long as that is ours: a worker which was taken for dead stops at the next page."""

    database: Database
    space: str
    job: Job | None = None

    async def read(self, unit: Unit[T]) -> T:
        return await self.database.read(self.space, unit)

    async def write(self, unit: Unit[T]) -> T:
        async def ours(tx: Transaction) -> T:
            if self.job is not None:
                await jobs.check_held(tx, self.job)
            return await unit(tx)

        done = await self.database.write(self.space, ours)
        crash.point("retention.after_page")
        return done

    async def all(self, page: Unit[int]) -> int:
        """Until one is not full; how many went."""
        gone = 0
        while True:
            count = await self.write(page)
            gone += count
            if count < PAGE:
                return gone
