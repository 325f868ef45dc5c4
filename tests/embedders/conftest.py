from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from places import SERVED, asking

from erstwhile.base.errors import SettingsError
from erstwhile.embedders.choose import choose
from erstwhile.embedders.port import Embedder
from erstwhile.testing import ModelServer


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest.fixture(params=["vectors", "minilm", "use", *SERVED])
async def embedder(request: pytest.FixtureRequest, server: ModelServer) -> AsyncIterator[Embedder]:
    """Every embedder that can be had here; fastembed is not among them because it would have to fetch its model."""
    try:
        chosen = choose(asking(server, request.param))
    except SettingsError as missing:
        pytest.skip(str(missing))
    assert chosen is not None
    yield chosen
    await chosen.close()
