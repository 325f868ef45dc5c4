"""Our own vectors for seven languages, 256 dimensions. Our wheel has the table
(`packages/erstwhile-vectors`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from erstwhile.embedders.local import LazyValue, LocalEmbedder, LocalModel
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.scripts import CJK, LATIN, Scripts, beginning

_CHARACTERS: Final = 8000  # the sum of more words approaches the mean of all texts
_ON_THE_LOOP: Final = 4000  # characters: a few milliseconds for unseen words; more goes to a thread


class _Table:
    def embed(self, texts: Sequence[str]) -> Vectors:
        from erstwhile_vectors import embed

        vectors: Vectors = embed([beginning(text, _CHARACTERS) for text in texts])
        return vectors


def _load() -> LocalModel:
    table = _Table()
    table.embed(["ready"])  # it loads with the first text
    return table


class OwnVectors(LocalEmbedder):
    name = "vectors:1:256"  # with the version of the table; a test compares them
    model = LazyValue(_load)
    scripts = Scripts(LATIN, CJK)
    cheap = True

    async def embed(self, texts: Sequence[str]) -> Vectors:
        model = await self.model.get()
        if sum(map(len, texts)) <= _ON_THE_LOOP:
            return model.embed(texts)
        return await asyncio.to_thread(model.embed, texts)
