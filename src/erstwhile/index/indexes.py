"""The indexes of the spaces that are searched: opened from stored files or filled from the documents, and brought up to
date for every search."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from erstwhile.base.logs import Log
from erstwhile.index import documents
from erstwhile.index.documents import FindTerms
from erstwhile.storage import Database, Transaction

if TYPE_CHECKING:
    from erstwhile.index.part_file import PartFile
    from erstwhile.index.space_index import IndexCache, SpaceIndex
    from erstwhile.index.stored import IndexFiles

log = Log(__name__)

T = TypeVar("T")

_TIDY = 50  # searches between checks of the memory that all indexes take
_FILLS = 2  # spaces filled at once: each keeps one of few readers or connections for that long
_MANY = 2000  # rows of the feed from which an index is filled in a thread


class Indexes:
    def __init__(
        self,
        database: Database,
        megabytes: int,
        store: Callable[[Transaction], Awaitable[None]],
        find_terms: FindTerms,
    ) -> None:
        """`megabytes`: the memory they may take. `store`: asks for a job that stores the index of a space."""
        self._database = database
        self._find_terms = find_terms
        self._megabytes = megabytes
        self._store = store
        self._kept: tuple[IndexCache, IndexFiles] | None = None
        self._searches = 0
        self._fills = asyncio.Semaphore(_FILLS)

    def of(self, space: str) -> SpaceIndex:
        cache, _ = self._parts
        self._searches += 1
        if self._searches % _TIDY == 0:
            cache.tidy()
        return cache.of(space)

    def drop(self, space: str) -> None:
        """Remove the index of a space from memory."""
        if self._kept is not None:
            self._kept[0].drop(space)

    async def read(
        self, space: str, index: SpaceIndex, unit: Callable[[Transaction], Awaitable[T]]
    ) -> T:
        """Run a unit that reads the index. If a stored file turns out to be damaged, the unit runs again without it."""
        if index.damaged:
            await self._heal(space, index)
        try:
            return await self._database.read(space, unit)
        except (IndexError, ValueError):  # as of places that no document has
            if not index.stored or not await self._files.check(space):
                raise
            await self._heal(space, index)
            return await self._database.read(space, unit)

    async def fill(self, space: str, index: SpaceIndex) -> None:
        """Open or fill the index. Others who search the space wait here, where they occupy no reader and no connection."""
        async with index.filling:
            if index.stale:
                async with self._fills:
                    await self._database.read(space, lambda tx: self.bring_up_to_date(tx, index))
        self._parts[0].tidy(space)
        if index.damaged:
            await self._heal(space, index)

    async def bring_up_to_date(self, tx: Transaction, index: SpaceIndex) -> None:
        """Take over what changed. An index that is not open yet is opened."""
        while True:
            if index.stale and tx.dialect == "sqlite":
                with index.thread_fills:
                    await self._open(tx, index)
            elif index.stale:
                async with index.task_fills:
                    await self._open(tx, index)
            since = index.marks
            rows, marks = await documents.feed(tx, since, self._find_terms)
            if await run_in_thread(tx, lambda: index.take(rows, since, marks), len(rows)):  # noqa: B023
                return

    async def _open(self, tx: Transaction, index: SpaceIndex) -> None:
        """Use the stored files or, if there are none, fill the index from the documents."""
        if not index.stale:  # someone else has done it meanwhile
            return
        opened = await self._files.open(tx)
        if opened.files:
            await run_in_thread(tx, lambda: index.use(opened))
            _check_later(index, opened.files)
            return
        state = opened.state
        pair = index.begin(state.marks, state.embedder, state.emptied, opened.version)
        async for rows in documents.pages(tx, self._find_terms):
            await run_in_thread(tx, lambda: index.fill(pair, rows))  # noqa: B023
        index.filled(pair, state.marks)
        index.damaged = index.damaged or bool(opened.damaged)

    async def _heal(self, space: str, index: SpaceIndex) -> None:
        """Let the stored files go, and have the index stored again."""
        log.warning("index.not_usable", space=space)
        index.damaged = False
        await self._files.forget(space)
        index.files_gone()
        await self._database.write(space, self._store)

    @property
    def _files(self) -> IndexFiles:
        return self._parts[1]

    @property
    def _parts(self) -> tuple[IndexCache, IndexFiles]:
        if self._kept is None:
            from erstwhile.index.space_index import (
                IndexCache,
            )  # numpy is only loaded by whoever searches
            from erstwhile.index.stored import IndexFiles

            self._kept = IndexCache(self._megabytes), IndexFiles(self._database)
        return self._kept


async def run_in_thread(tx: Transaction, work: Callable[[], Any], size: int = _MANY) -> Any:
    """Run long work in a thread. On SQLite a transaction has its own thread already; on Postgres it is on the event loop."""
    if tx.dialect == "sqlite" or size < _MANY:
        return work()
    return await asyncio.to_thread(work)


def _check_later(index: SpaceIndex, files: Sequence[PartFile]) -> None:
    """Compare large files with their checksums, while they are in use: reading them whole takes too long to wait for."""
    waiting = [file.is_whole for file in files if file.is_whole is not None]

    def work() -> None:
        for is_whole in waiting:
            index.damaged = not is_whole() or index.damaged

    if waiting:
        threading.Thread(target=work, name="erstwhile-index-check", daemon=True).start()
