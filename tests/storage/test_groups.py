"""Callers share transactions: each is answered after the commit, and one that fails fails alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from notes import ADD, notes

from erstwhile.base.errors import StorageFull
from erstwhile.storage import EVERYWHERE, Database, Transaction
from erstwhile.storage.groups import WriteGroups


class Refused(Exception):
    pass


class Writing:
    """Writes notes; remembers what came together. A note "poison" breaks its transaction, "refused" is only refused."""

    def __init__(self, database: Database) -> None:
        self.groups: list[list[str]] = []
        self.failure: Exception = Refused("poison")
        self.appends: WriteGroups[str, str] = WriteGroups(database, self._write)

    async def _write(self, tx: Transaction, given: Sequence[str]) -> list[str | Exception]:
        self.groups.append(list(given))
        results: list[str | Exception] = []
        for note in given:
            if note.startswith("refused"):
                results.append(Refused(note))
                continue
            await tx.run(ADD, note=note)
            results.append(note)
            if note.startswith("poison"):
                raise self.failure
        return results

    async def write(self, *given: str) -> list[Any]:
        return await asyncio.gather(*(self.appends.write(EVERYWHERE, each) for each in given), return_exceptions=True)


NAMES = [f"{number:02}" for number in range(30)]


async def test_what_arrives_together_is_written_together(database: Database) -> None:
    writing = Writing(database)
    assert await writing.write(*NAMES) == NAMES
    assert writing.groups == [NAMES]
    late: list[asyncio.Task[str]] = []

    async def unit(tx: Transaction, given: Sequence[str]) -> list[str | Exception]:
        if given == ["first"]:
            late.extend(asyncio.create_task(busy.write(EVERYWHERE, each)) for each in ("second", "third"))
        return [*given]

    busy: WriteGroups[str, str] = WriteGroups(database, unit)
    if database.dialect == "postgres":  # a unit on SQLite has no event loop
        assert await busy.write(EVERYWHERE, "first") == "first"
        assert await asyncio.gather(*late) == ["second", "third"]


async def test_an_item_that_is_refused_or_fails_does_so_alone(database: Database) -> None:
    writing = Writing(database)
    results = await writing.write("a", "refused", "b")
    assert [str(each) for each in results] == ["a", "refused", "b"]
    assert isinstance(results[1], Refused)
    assert len(writing.groups) == 1, "a refusal does not undo the others"
    results = await writing.write("c", "poison", "d")
    assert (results[0], results[2]) == ("c", "d")
    assert isinstance(results[1], Refused)
    assert writing.groups[1:] == [["c", "poison", "d"], ["c"], ["poison"], ["d"]]
    assert await notes(database) == ["a", "b", "c", "d"]


async def test_a_failure_of_the_storage_is_everyones_and_not_tried_again_for_each(database: Database) -> None:
    writing = Writing(database)
    writing.failure = StorageFull("no space left")
    results = await writing.write("a", "poison", "b")
    assert [type(each) for each in results] == [StorageFull] * 3
    assert len(writing.groups) == 1
    assert await writing.write("afterwards") == ["afterwards"]
    assert await notes(database) == ["afterwards"]


async def test_large_items_are_not_put_together(database: Database) -> None:
    writing = Writing(database)
    long = ["x" * 700, "y" * 700, "z" * 2000, "small", "tiny"]
    assert await writing.write(*long) == long
    assert writing.groups == [[long[0]], [long[1]], [long[2]], long[3:]]


async def test_what_a_caller_gave_up_is_written_all_the_same_and_closing_waits_for_it(database: Database) -> None:
    writing = Writing(database)
    impatient = asyncio.create_task(writing.appends.write(EVERYWHERE, "impatient"))
    await asyncio.sleep(0)
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    await writing.appends.close()
    assert await notes(database) == ["impatient"]
