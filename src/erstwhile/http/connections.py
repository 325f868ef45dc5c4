"""Limit what a connection may send, and for how long, before its request has a caller.

Nothing is known about a client until its headers are complete, so they must be small and soon.
"""

from __future__ import annotations

from asyncio import Transport
from asyncio.events import TimerHandle

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_BYTES = 65_536  # of a request: its line and all its headers
HEADER_SECONDS = 20.0  # from the connection, or from the first byte of a further request
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"connection: close\r\ncontent-length: 42\r\n\r\nThe headers of the request are too large.\n"
)


class LimitedHttp(HttpToolsProtocol):
    """Uvicorn's HTTP with limits on the size of the headers, and on the time they take."""

    _timer: TimerHandle | None = None
    _header_bytes = 0
    _in_headers = True

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        while data and not self.transport.is_closing():
            if not self._in_headers:
                super().data_received(data)
                return
            self._start_timer()
            head, data = (
                data[: HEADER_BYTES - self._header_bytes],
                data[HEADER_BYTES - self._header_bytes :],
            )
            self._header_bytes += len(head)
            super().data_received(head)
            if self._in_headers and self._header_bytes >= HEADER_BYTES:
                self._stop_timer()
                self.transport.write(_TOO_LARGE)
                self.transport.close()

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._in_headers, self._header_bytes = True, 0

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEADER_SECONDS, self._too_late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_late(self) -> None:
        self._timer = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:  # an earlier request of the connection is still being answered
            self._start_timer()
