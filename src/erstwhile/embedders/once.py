"""A model that is loaded once a process, by whoever needs it first, also when several threads need it at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._made: list[T] = []

    async def get(self) -> T:
        return self._made[0] if self._made else await asyncio.to_thread(self.wait)

    def wait(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._load())  # what it raises goes to the caller; the next one tries again
            return self._made[0]
