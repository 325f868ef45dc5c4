"""`memory.jobs`: list, retry and park jobs."""

from __future__ import annotations

from typing import Annotated

from erstwhile.api import verb
from erstwhile.api.page import DEFAULT, Page, cut_at, reach
from erstwhile.api.resource import Resource
from erstwhile.api.types import Cursor, JobId, Limit, OneOf, Space, Words
from erstwhile.base.errors import NotFound
from erstwhile.jobs import store
from erstwhile.jobs.model import SHOWN, ListedJob, QueueCount
from erstwhile.jobs.worker import Worker
from erstwhile.storage import EVERYWHERE

State = Annotated[str, OneOf("Only jobs in this state.", choices=SHOWN)]
Reason = Annotated[str, Words("Why.", "The provider is down until Monday.")]
_LISTED = "`erstwhile jobs list` shows them."


class Jobs(Resource, noun="jobs"):
    @property
    def worker(self) -> Worker:
        """The worker of this process."""
        return self._runtime.worker

    @verb.get("jobs", scope=verb.ANY)
    async def list(
        self,
        *,
        state: State | None = None,
        cursor: Cursor = None,
        limit: Limit = DEFAULT,
        space: Space = None,
    ) -> Page[ListedJob]:
        """List the jobs of one space or of all. Timers (open conversations, the next nightly run)
        are listed with `state="timer"`."""
        now, most = self._now(), reach(cursor, limit)
        found = await self._read(space, lambda tx: store.listed(tx, now, state=state, limit=most))
        return cut_at(found, cursor, limit)

    @verb.get("queue", scope=verb.ANY)
    async def queue(self, *, space: Space = None) -> Page[QueueCount]:
        """Count the jobs that are not done, by state and kind."""
        now = self._now()
        return Page(await self._read(space, lambda tx: store.queue(tx, now)))

    @verb.post("jobs/retry", scope=verb.ANY, answer="retried", refusals=(404,), repeatable=True)
    async def retry(self, job: JobId | None = None, *, space: Space = None) -> int:
        """Make a job, or every parked job, due now. Returns how many."""
        now = self._now()
        count = await self._write(space, lambda tx: store.retry(tx, job, now))
        if job is not None and not count:
            raise NotFound(f"There is no waiting or parked job {job}. {_LISTED}")
        self._runtime.worker.wake()
        return count

    @verb.post("jobs/{job}/park", scope=verb.ANY, refusals=(404,), repeatable=True)
    async def park(self, job: JobId, reason: Reason = "", *, space: Space = None) -> None:
        """Park a job, with a reason, until it is retried."""
        now = self._now()
        if not await self._write(space, lambda tx: store.park(tx, job, reason, now)):
            raise NotFound(f"There is no waiting or running job {job}. {_LISTED}")

    def _space(self, space: str | None) -> str:
        return EVERYWHERE if space is None else super()._space(space)
