"""One run through a space. Each page is a transaction, so that it can be interrupted."""

from __future__ import annotations

from typing import TypeVar

from erstwhile.base import crash
from erstwhile.base.records import dataclass
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job
from erstwhile.memories.expire import PAGE
from erstwhile.storage import Database, Transaction, Unit

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Run:
    """With a `job`, a worker that has lost it stops at the next page."""

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
        """Run until a page is not full. Return how many expired."""
        gone = 0
        while True:
            count = await self.write(page)
            gone += count
            if count < PAGE:
                return gone
