"""A value that is loaded once per process, on first use. Safe for threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class LazyValue(Generic[T]):
    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._made: list[T] = []

    async def get(self) -> T:
        return self._made[0] if self._made else await asyncio.to_thread(self.wait)

    def wait(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._load())  # an error goes to the caller; the next one retries
            return self._made[0]
