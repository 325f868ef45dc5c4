from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import erstwhile
from erstwhile.testing import FixedClock


@pytest.fixture
async def memory_on_file(tmp_path: Path) -> AsyncIterator[erstwhile.Memory]:
    """For what is about files, not about databases."""
    async with erstwhile.open(str(tmp_path / "test.db"), clock=FixedClock(), worker=False) as opened:
        yield opened
