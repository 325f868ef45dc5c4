"""A socket as an attacker opens one: without a browser, saying whatever they like."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

_PATH = "/_nicegui_ws/socket.io/"


class Wire:
    """Socket.IO over polling, with somebody's cookie. `query` is what a page would send with its handshake."""

    def __init__(self, client: httpx2.Client, **query: str) -> None:
        self._client = client
        self._query = {"EIO": "4", "transport": "polling", **query}
        opened = client.get(_PATH, params=self._query)
        opened.raise_for_status()
        self._query["sid"] = json.loads(opened.text[1:])["sid"]
        self._send("40")
        self.said = self.hears()

    def emit(self, name: str, message: Any) -> None:
        self._send(f"42{json.dumps([name, message])}")

    def hears(self) -> str:
        return self._client.get(_PATH, params=self._query).text

    def _send(self, packet: str) -> None:
        self._client.post(_PATH, params=self._query, content=packet).raise_for_status()


@contextmanager
def signed_in(url: str, key: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=url, timeout=120) as client:
        assert client.post("/login", data={"key": key}).status_code == 303
        yield client
