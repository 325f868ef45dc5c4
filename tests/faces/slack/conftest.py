"""A workspace on loopback with three people and two channels; the adapter talks to it with an unmodified slack_sdk."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest

from support.slack import SlackServer

for _name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
    os.environ.pop(_name, None)  # slack_sdk would go through it even to loopback


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        server.sockets.again = 0.3
        yield server
