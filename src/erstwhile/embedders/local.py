"""The part that embedders with a model in this process have in common."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, Protocol, TypeVar

from erstwhile.embedders.port import Vectors
from erstwhile.embedders.scripts import Scripts

T = TypeVar("T")


class LazyValue(Generic[T]):
    """A value that is loaded once per process, on first use. Safe for threads."""

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


class LocalModel(Protocol):
    def embed(self, texts: Sequence[str]) -> Vectors: ...


class LocalEmbedder:
    """`model` is loaded with the first text and shared by all memories of the process."""

    name: str
    model: ClassVar[LazyValue[LocalModel]]
    scripts: Scripts
    cheap = False
    local = True
    served = False
    sentences = False
    weight = 1.0

    def speaks(self, text: str) -> bool:
        return self.scripts.speak(text)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        model = await self.model.get()
        return await asyncio.to_thread(model.embed, texts)

    async def close(self) -> None:
        """Keep the model: other memories of this process may use it."""
