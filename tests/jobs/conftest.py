from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from workshop import Workshop

from erstwhile import wiring
from erstwhile.base.settings import load
from erstwhile.storage import migrate
from erstwhile.testing import FixedClock


@pytest.fixture
async def workshop(database_url: str, clock: FixedClock) -> AsyncIterator[Workshop]:
    database = wiring.open_database(load(database=database_url))
    await database.open()
    await migrate.ready(database)
    shop = Workshop(database, clock)
    yield shop
    for worker in shop.workers:
        await worker.stop()
    await database.close()
