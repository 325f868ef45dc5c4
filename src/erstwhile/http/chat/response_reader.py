"""Read a model's response while it is passed on. What can't be parsed is passed on too."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from erstwhile.base.logs import Log
from erstwhile.http.chat.protocol import Answer, ChatProtocol

log = Log(__name__)

_MOST = 32_000_000  # bytes kept of one event, or of a whole response


class ResponseReader:
    """Parse a response from chunks of bytes of any size."""

    def __init__(self, protocol: ChatProtocol, *, streamed: bool) -> None:
        self._protocol = protocol
        self.streamed = streamed
        self._waiting = bytearray()
        self._too_long = False
        self.answer = Answer()
        self.understood = False

    def feed(self, data: bytes) -> None:
        if not self.streamed:
            self._wait(data)
            return
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._wait(end)
            self._line()
        self._wait(rest)

    def end(self) -> None:
        if self.streamed:
            self._line()
        else:
            self._hear(bytes(self._waiting), self._protocol.whole)
        self._waiting.clear()

    def _wait(self, data: bytes) -> None:
        """Buffer data. An event that is too long is discarded."""
        self._too_long = self._too_long or len(self._waiting) + len(data) > _MOST
        if self._too_long:
            self._waiting.clear()
        else:
            self._waiting += data

    def _line(self) -> None:
        """Parse one line: every provider writes an event's data in one line."""
        if self._waiting.startswith(b"data:"):
            self._hear(bytes(self._waiting[5:]), self._protocol.event)
        self._waiting.clear()
        self._too_long = False

    def _hear(self, text: bytes, understand: Callable[[Answer, dict[str, Any]], None]) -> None:
        payload = _read(text)
        if payload is None:
            return
        self.understood = True
        try:
            understand(self.answer, payload)
        except Exception as error:  # noqa: BLE001 - an unexpected format must not break the response
            log.warning("chat.not_understood", error=type(error).__name__)


def _read(text: bytes) -> dict[str, Any] | None:
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None
