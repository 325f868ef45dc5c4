"""Listening to an answer that passes by. What can't be read is passed on all the same, and not heard."""

from __future__ import annotations

import json
from typing import Any

from erstwhile.api.chat.protocol import Answer, ChatProtocol

_MOST = 32_000_000  # bytes that are kept of one event, or of an answer in one piece


class Ear:
    """Takes the bytes as they come, cut anywhere."""

    def __init__(self, protocol: ChatProtocol, *, streamed: bool) -> None:
        self._protocol = protocol
        self.streamed = streamed
        self._waiting = b""
        self.answer = Answer()
        self.understood = False

    def feed(self, data: bytes) -> None:
        if len(self._waiting) + len(data) > _MOST:
            return
        self._waiting += data
        if self.streamed:
            *lines, self._waiting = self._waiting.split(b"\n")
            for line in lines:
                self._line(line)

    def end(self) -> None:
        if self.streamed:
            self._line(self._waiting)
        elif (payload := _read(self._waiting)) is not None:
            self.understood = True
            self._protocol.whole(self.answer, payload)
        self._waiting = b""

    def _line(self, line: bytes) -> None:
        """Every provider writes an event's data in one line."""
        if line.startswith(b"data:") and (payload := _read(line[5:])) is not None:
            self.understood = True
            self._protocol.event(self.answer, payload)


def _read(text: bytes) -> dict[str, Any] | None:
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None
