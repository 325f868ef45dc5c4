"""A server on loopback that takes connections and never answers."""

from __future__ import annotations

import socketserver
import threading
from types import TracebackType
from typing import Self


class HangingServer:
    """`trickle`: it sends a byte now and then, so that no read of a client ever times out."""

    def __init__(self, *, trickle: bool = False) -> None:
        stop = self._stop = threading.Event()

        class Silence(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                begun = b"HTTP/1.1 200 OK\r\nX-Slow: "
                while not stop.wait(0.2):
                    if trickle:
                        try:
                            self.request.sendall(begun or b"x")
                        except OSError:
                            return
                        begun = b""

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Silence)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
