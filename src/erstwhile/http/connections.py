"""Limit what a connection may send, and for how long, before its request has a caller.

Nothing is known about a client until its headers are complete, so they must be small and soon.
So must be whatever comes beside a body: trailers, and what chunks say of themselves. A body of a
client that has no caller must be soon too.
"""

from __future__ import annotations

from asyncio import Transport
from asyncio.events import TimerHandle

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_BYTES = 65_536  # of a request: its line and all its headers
# From the connection, or from the first byte of a further request; and from the headers to the end
# of the body, if the request has no caller.
HEADER_SECONDS = 20.0
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"connection: close\r\ncontent-length: 42\r\n\r\nThe headers of the request are too large.\n"
)


class LimitedHttp(HttpToolsProtocol):
    """Uvicorn's HTTP with limits on what comes beside bodies, and on the time it takes."""

    _timer: TimerHandle | None = None
    _header_bytes = 0
    _in_headers = True
    _beside = 0  # bytes since the last piece of the body

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        while data and not self.transport.is_closing():
            if not self._in_headers:
                self._beside += len(data)
                super().data_received(data)
                if not self._in_headers and self._beside > HEADER_BYTES:
                    self._refuse()
                return
            self._start_timer()
            head = data[: HEADER_BYTES - self._header_bytes]
            data = data[HEADER_BYTES - self._header_bytes :]
            self._header_bytes += len(head)
            super().data_received(head)
            if self._in_headers and self._header_bytes >= HEADER_BYTES:
                self._refuse()

    def _refuse(self) -> None:
        self._stop_timer()
        if self._in_headers or self.cycle is None or not self.cycle.response_started:
            self.transport.write(_TOO_LARGE)
        self.transport.close()

    def on_headers_complete(self) -> None:
        self._in_headers, self._beside = False, 0
        self._stop_timer()
        super().on_headers_complete()
        self._start_timer()

    def on_body(self, body: bytes) -> None:
        self._beside = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._stop_timer()
        self._in_headers, self._header_bytes = True, 0

    def handle_websocket_upgrade(self) -> None:
        self._stop_timer()  # the connection is another protocol's from now on
        super().handle_websocket_upgrade()

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEADER_SECONDS, self._too_late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_late(self) -> None:
        self._timer = None
        if not self._in_headers and "caller" in self.scope["state"]:
            return  # a known client may take its time
        if not self._in_headers or self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:  # an earlier request of the connection is still being answered
            self._start_timer()
