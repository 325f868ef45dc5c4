"""Store the index of a space, as a job: when much is new, and after a stored file was found damaged. Within an hour or
two, what was edited or deleted is also removed from the files; an erasure does so at once."""

from __future__ import annotations

from datetime import datetime, timedelta

from erstwhile.base.clock import Clock
from erstwhile.embedders.port import Embedder
from erstwhile.index import index_state
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome
from erstwhile.log import store as log
from erstwhile.search.terms import find_terms
from erstwhile.storage import Database, Transaction

STORE_INDEX = "recall.store_index"
_ERASE = "erase"  # the key of a job that only removes what is gone
_TRIM = "trim"  # the key of a job that removes from the tables what the files have
_GRACE = timedelta(
    minutes=10
)  # until then; processes that search meanwhile need not open the files again
_AGE = timedelta(
    hours=1
)  # of files that are written anew for what is gone, so that edits don't do so all the time


async def ask(tx: Transaction, now: datetime) -> None:
    """Enqueue the job if so much is new that it is worth a file."""
    if await index_state.much_new(tx):
        await _enqueue(tx, now)


async def _enqueue(tx: Transaction, now: datetime) -> None:
    await jobs.enqueue(tx, NewJob(STORE_INDEX, key="", payload={}), now)


def may_be_due(first: int, last: int, *, busy: bool) -> bool:
    """Return whether these documents, by their numbers, are a good moment to ask: asking after each costs too much. Less
    often if there is more to embed, because vectors that come later are written again."""
    stride = max(1, 16 * index_state.MUCH if busy else index_state.MUCH // 8)
    return last // stride != (first - 1) // stride


class StoreIndex:
    def __init__(self, database: Database, clock: Clock, embedder: Embedder | None) -> None:
        """Vectors of a served embedder stay in the database, because making them again costs calls."""
        self._database = database
        self._clock = clock
        self._embedder = None if embedder is None or embedder.served else embedder.name

    async def look(self, now: datetime) -> None:
        """Enqueue jobs for the spaces that need it, and remove files that nobody names."""
        from erstwhile.index.stored import IndexFiles

        await IndexFiles(self._database).sweep()
        for space in await log.spaces(self._database):
            if await self._database.read(space, _is_due):
                await self._database.write(space, lambda tx: _enqueue_due(tx, now))

    async def step(self, job: Job) -> Outcome:
        from erstwhile.index import storing
        from erstwhile.index.part_file import DamagedIndexFile
        from erstwhile.index.stored import IndexFiles

        files = IndexFiles(self._database)
        if job.key == _ERASE:
            await storing.erase(files, job.space)
            return Outcome(_nothing)
        if job.key == _TRIM:
            await storing.trim(self._database, job.space, self._embedder)
            return Outcome(_nothing)
        try:
            await storing.store(files, job.space, find_terms)
        except storing.FilesChanged:
            pass  # others stored it; what is new since then is looked at below
        except DamagedIndexFile:
            await files.forget(job.space)
        return Outcome(self._ask_again)

    async def _ask_again(self, tx: Transaction) -> None:
        now = self._clock()
        await ask(tx, now)
        await jobs.enqueue(
            tx, NewJob(STORE_INDEX, key=_TRIM, payload={}, due=now + _GRACE, limit=now + _AGE), now
        )


async def _is_due(tx: Transaction) -> bool:
    return await _is_worth_a_file(tx) or await index_state.stored_and_gone(tx, _AGE)


async def _is_worth_a_file(tx: Transaction) -> bool:
    """Return whether to write a file: also if terms are missing, because each process that opens
    the index would find them in the texts again."""
    return await index_state.much_new(tx) or await index_state.lacks_terms(tx)


async def _enqueue_due(tx: Transaction, now: datetime) -> None:
    if await _is_worth_a_file(tx):
        await _enqueue(tx, now)
    if await index_state.stored_and_gone(tx, _AGE):
        await jobs.enqueue(tx, NewJob(STORE_INDEX, key=_ERASE, payload={}), now)


async def _nothing(tx: Transaction) -> None:
    del tx
