"""Rebuild the search documents of messages, page by page, as a job. Safe to interrupt: it
resumes.
"""

from __future__ import annotations

from dataclasses import asdict

from erstwhile.base.clock import Clock
from erstwhile.base.records import dataclass
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome
from erstwhile.log import append, store
from erstwhile.storage import Database, Transaction

REINDEX = "log.reindex"
_PAGE = 500


@dataclass(frozen=True, slots=True)
class UnindexedRange:
    """Messages `first` to `last` of a channel that have no documents yet."""

    channel: str
    first: int
    last: int


class Reindex:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def ask(self, tx: Transaction, stretch: UnindexedRange) -> None:
        if stretch.first <= stretch.last:
            await jobs.enqueue(
                tx, NewJob(REINDEX, key=stretch.channel, payload=asdict(stretch)), self._clock()
            )

    async def step(self, job: Job) -> Outcome:
        stretch = UnindexedRange(**job.payload)
        until = min(stretch.last, stretch.first + _PAGE - 1)
        messages = await self._database.read(
            job.space, lambda tx: store.between(tx, stretch.channel, stretch.first, until)
        )
        made = append.search_documents(messages)

        async def effects(tx: Transaction) -> None:
            await documents.replace_messages(tx, made)
            await self.ask(tx, UnindexedRange(stretch.channel, until + 1, stretch.last))

        return Outcome(effects)
