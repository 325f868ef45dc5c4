"""A server on loopback that the tools people use can talk to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.running import RunningServer
from support.serving import Served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("server")
    with Served(str(folder / "memory.db")) as served:
        yield RunningServer(served)
