"""Pages hear of changes, also after the database was away."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from erstwhile.base.errors import StorageBusy
from erstwhile.dashboard import viewer
from erstwhile.events.model import Event


def _event(cursor: str) -> Event:
    return Event(cursor, datetime(2026, 3, 2, tzinfo=UTC), "message", "added", f"msg_{cursor}")


def test_a_page_that_could_not_look_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "_AGAIN_SECONDS", 0.01)
    told: list[list[str]] = []

    async def story() -> None:
        looked = asyncio.Event()

        async def look(events: Sequence[Event]) -> None:
            told.append([each.cursor for each in events])
            if len(told) == 1:
                raise StorageBusy("locked")
            looked.set()

        watcher = viewer.PageWatcher(look, None, None, None)
        running = asyncio.create_task(watcher.run())
        for cursor in ("1", "2"):
            looked.clear()
            watcher.hear(_event(cursor))
            await asyncio.wait_for(looked.wait(), 60)
        running.cancel()

    with ThreadPoolExecutor(1) as thread:  # a browser that is open has a loop in this one
        thread.submit(asyncio.run, story()).result()
    assert told == [["1"], ["1"], ["2"]]
