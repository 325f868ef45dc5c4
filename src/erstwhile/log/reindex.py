"""Rebuild the search documents of messages, page by page, as a job. Safe to interrupt: it
resumes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from erstwhile.base.clock import Clock
from erstwhile.base.records import dataclass
from erstwhile.index import documents
from erstwhile.index.documents import MessageDocument
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
            job = NewJob(REINDEX, key=stretch.channel, payload=asdict(stretch))
            await jobs.enqueue(tx, job, self._clock())

    async def step(self, job: Job) -> Outcome:
        stretch = UnindexedRange(**job.payload)
        until = min(stretch.last, stretch.first + _PAGE - 1)
        messages = await self._database.read(
            job.space, lambda tx: store.between(tx, stretch.channel, stretch.first, until)
        )
        made = append.search_documents(messages)

        async def effects(tx: Transaction) -> None:
            await replace_documents(tx, made)
            await self.ask(tx, UnindexedRange(stretch.channel, until + 1, stretch.last))

        return Outcome(effects)


async def replace_documents(tx: Transaction, made: Sequence[MessageDocument]) -> None:
    """Write the documents of messages anew, under new numbers. Messages that are gone meanwhile get
    none."""
    rows = await tx.all(store.queries.hold_messages, ids=json.dumps([each.id for each in made]))
    there = {row["id"] for row in rows}
    made = [each for each in made if each.id in there]
    if made:
        await documents.forget(tx, [row["doc"] for row in rows])
        numbered = list(zip(await documents.reserve(tx, len(made)), made, strict=True))
        places = [{"id": each.id, "doc": doc, "traits": each.traits} for doc, each in numbered]
        await tx.run_many(store.queries.renumber, places)
        terms = [{"doc": doc, "terms": each.terms} for doc, each in numbered]
        await documents.add_messages(tx, terms)
