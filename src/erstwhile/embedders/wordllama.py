"""wordllama: sums of word vectors. English, 256 dimensions, no download: its wheel has the weights.

Its files are read directly: importing the package configures the root logger, and its own `embed`
tokenizes each text again. On Python's documentation it took 11,000 texts per CPU-second, this
30,000 at first and 78,000 with known words (2026-11-15). The vectors equal its own, for text with
single spaces.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from erstwhile.base.errors import SettingsError
from erstwhile.embedders.local import LazyValue, LocalEmbedder, LocalModel
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.scripts import LATIN, Scripts, beginning

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_DIMENSIONS: Final = 256
_WEIGHTS: Final = Path("weights", "l2_supercat_256.safetensors")
_TOKENIZER: Final = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_CHARACTERS: Final = 8000  # the mean of more words approaches the mean of all texts
_ON_THE_LOOP: Final = 4000  # characters: a few milliseconds for unseen words; more goes to a thread
_CACHED_WORDS: Final = 50_000
_LONG_WORD: Final = 40


def installed() -> Path | None:
    """Return the package's folder, if it has its weights. Does not import the package."""
    found = find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0])
    return folder if (folder / _WEIGHTS).exists() and (folder / _TOKENIZER).exists() else None


class _Table:
    """Token vectors, and the tokens of each known word.

    The tokenizer joins nothing across spaces, so words can be looked up one by one.
    """

    def __init__(self, rows: npt.NDArray[np.float32], tokens: Callable[[str], list[int]]) -> None:
        self._rows = rows
        self._tokens = tokens
        self._words: dict[str, list[int]] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            tokens = self._read(beginning(text, _CHARACTERS))
            if tokens:
                summed = np.add.reduce(self._rows.take(tokens, axis=0), axis=0)
                length = float(summed.dot(summed)) ** 0.5
                if length > 0:
                    np.divide(summed, length, out=vector)
        return vectors

    def _read(self, text: str) -> list[int]:
        tokens: list[int] = []
        for word in text.split():
            known = self._words.get(word)
            tokens += self._learn(word) if known is None else known
        return tokens

    def _learn(self, word: str) -> list[int]:
        tokens = self._tokens(word)
        if len(self._words) >= _CACHED_WORDS:
            self._words.clear()
        if len(word) <= _LONG_WORD:
            self._words[word] = tokens
        return tokens


def _load() -> LocalModel:
    folder = installed()
    if folder is None:
        raise SettingsError("The embedder wordllama is not installed: pip install 'wordllama>=0.4'.")
    import numpy as np
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rows = load_file(folder / _WEIGHTS)["embedding.weight"]

    def tokens(word: str) -> list[int]:
        found: list[int] = tokenizer.encode(word, add_special_tokens=False).ids
        return found

    # Stored as half precision; summing that took three times as long.
    return _Table(np.ascontiguousarray(rows, dtype=np.float32), tokens)


class WordLlamaEmbedder(LocalEmbedder):
    name = f"wordllama:{_DIMENSIONS}"
    model = LazyValue(_load)
    scripts = Scripts(LATIN)
    cheap = True

    async def embed(self, texts: Sequence[str]) -> Vectors:
        model = await self.model.get()
        if sum(map(len, texts)) <= _ON_THE_LOOP:
            return model.embed(texts)
        return await asyncio.to_thread(model.embed, texts)
