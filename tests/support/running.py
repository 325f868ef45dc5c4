"""A running `erstwhile serve`, as seen by the tools people use."""

from __future__ import annotations

import json
import urllib.request
from typing import Any
from urllib.parse import quote

from support.serving import Served

Json = dict[str, Any]


class RunningServer:
    """A running `erstwhile serve`, and a look into what it has stored."""

    def __init__(self, served: Served, key: str = "") -> None:
        self.served, self.key = served, key
        self.url = f"http://127.0.0.1:{served.port}"

    def get(self, path: str) -> Json:
        return self._send(path, None)

    def post(self, path: str, body: Json) -> Json:
        return self._send(path, json.dumps(body).encode())

    def _send(self, path: str, body: bytes | None) -> Json:
        headers = {"Content-Type": "application/json"} if body else {}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(f"{self.url}/v1/spaces/{path}", body, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return dict(json.load(answer))

    def messages(self, channel: str, space: str = "default") -> list[Json]:
        return list(self.get(f"{space}/channels/{quote(channel, safe='')}/messages?limit=100")["messages"])

    def said(self, channel: str, space: str = "default") -> list[tuple[str, str]]:
        """What is stored of a channel: role and text."""
        return [(each["role"], each["text"]) for each in self.messages(channel, space)]
