"""Group writes: what arrives while a transaction runs is written together by the next one.

Each space has at most one transaction of a group at a time. A caller is answered after the commit. An item that fails
fails alone: if a group can't be written, its items are written one by one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence, Sized
from dataclasses import field
from typing import Any, Generic, TypeVar

from erstwhile.base.errors import StorageError
from erstwhile.base.records import dataclass
from erstwhile.storage import Database, Transaction

Item = TypeVar("Item", bound=Sized)
Result = TypeVar("Result")

# Writes items in a transaction; returns for each its result, or why it was refused.
WriteItems = Callable[[Transaction, Sequence[Item]], Awaitable[Sequence[Result | Exception]]]

_MOST = 1000  # the size of all items of a group; more would make the first ones wait too long


@dataclass(slots=True)
class _Waiting(Generic[Item]):
    item: Item
    future: asyncio.Future[Any]

    def answer(self, result: object) -> None:
        if self.future.done():  # cancelled: the work is done all the same
            return
        if isinstance(result, BaseException):
            self.future.set_exception(result)
        else:
            self.future.set_result(result)


@dataclass(slots=True)
class _Queue(Generic[Item]):
    """What waits for one space, and the task that writes it."""

    waiting: list[_Waiting[Item]] = field(default_factory=list)
    task: asyncio.Task[None] | None = None

    def take(self) -> list[_Waiting[Item]]:
        """Remove the first group from the queue and return it."""
        size, number = 0, 0
        for each in self.waiting:
            size += len(each.item)
            if number and size > _MOST:
                break
            number += 1
        group, self.waiting = self.waiting[:number], self.waiting[number:]
        return group


class WriteGroups(Generic[Item, Result]):
    def __init__(self, database: Database, write: WriteItems[Item, Result]) -> None:
        self._database = database
        self._write_items = write
        self._queues: dict[tuple[asyncio.AbstractEventLoop, str], _Queue[Item]] = {}

    async def write(self, space: str, item: Item) -> Result:
        """Write an item, together with others, and return its result when it is on disk."""
        loop = asyncio.get_running_loop()  # a library may be called from several
        waiting = _Waiting(item, loop.create_future())
        queue = self._queues.setdefault((loop, space), _Queue())
        queue.waiting.append(waiting)
        if queue.task is None:
            queue.task = loop.create_task(self._write_all(loop, space, queue))
        result: Result = await waiting.future
        return result

    async def close(self) -> None:
        """Wait until everything is written."""
        loop = asyncio.get_running_loop()
        mine = [queue for (its, _), queue in self._queues.items() if its is loop]
        tasks = [queue.task for queue in mine if queue.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _write_all(
        self, loop: asyncio.AbstractEventLoop, space: str, queue: _Queue[Item]
    ) -> None:
        group: list[_Waiting[Item]] = []
        try:
            while group := queue.take():
                await self._write_group(space, group)
        except asyncio.CancelledError:  # the loop ends
            for each in (*group, *queue.waiting):
                each.future.cancel()
            raise
        finally:
            self._queues.pop((loop, space), None)

    async def _write_group(self, space: str, group: Sequence[_Waiting[Item]]) -> None:
        async def unit(tx: Transaction) -> Sequence[Result | Exception]:
            return await self._write_items(tx, [each.item for each in group])

        try:
            results = await self._database.write(space, unit)
        except Exception as error:  # noqa: BLE001 - whatever failed, each waiting caller must hear of it
            if len(group) > 1 and not isinstance(error, StorageError):
                for each in group:
                    await self._write_group(space, [each])
                return
            results = [error] * len(group)
        for each, result in zip(group, results, strict=True):
            each.answer(result)
