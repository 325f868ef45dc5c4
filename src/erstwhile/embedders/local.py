"""The part that embedders with a model in this process have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Protocol

from erstwhile.embedders.lazy import LazyValue
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.scripts import Scripts


class LocalModel(Protocol):
    def embed(self, texts: Sequence[str]) -> Vectors: ...


class LocalEmbedder:
    """`model` is loaded with the first text and shared by all memories of the process."""

    name: str
    model: ClassVar[LazyValue[LocalModel]]
    scripts: ClassVar[Scripts]
    cheap = False
    local = True
    served = False

    def speaks(self, text: str) -> bool:
        return self.scripts.speak(text)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        model = await self.model.get()
        return await asyncio.to_thread(model.embed, texts)

    async def close(self) -> None:
        """Keep the model: other memories of this process may use it."""
