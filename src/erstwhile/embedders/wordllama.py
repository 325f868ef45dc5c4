"""wordllama: a table of word vectors, summed. English, 256 dimensions, no download: the weights are in its wheel.

Its files are read directly: importing the package sets up the root logger, and its own `embed` tokenizes every text anew. Of Python's
documentation it took 11,000 texts a CPU-second, this 30,000 at first and 78,000 once the words were known (measured together,
2026-11-15). The vectors are the same as its own, of the text with single spaces.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from erstwhile.base.errors import SettingsError
from erstwhile.embedders.once import Once
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.reading import LATIN, Scripts, beginning

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_DIMENSIONS: Final = 256
_WEIGHTS: Final = Path("weights", "l2_supercat_256.safetensors")
_TOKENIZER: Final = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_CHARACTERS: Final = 8000  # the mean of more words than that is near the mean of all texts
_ON_THE_LOOP: Final = 4000  # characters: a few milliseconds where no word was seen before; more goes to a thread
_CACHED_WORDS: Final = 50_000
_LONG_WORD: Final = 40


def installed() -> Path | None:
    """The folder of the package, if it is there with its weights. The package is not imported."""
    found = find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0])
    return folder if (folder / _WEIGHTS).exists() and (folder / _TOKENIZER).exists() else None


class WordLlamaEmbedder:
    name = f"wordllama:{_DIMENSIONS}"
    cheap = True
    local = True
    served = False

    def __init__(self) -> None:
        self._scripts = Scripts(LATIN)

    def speaks(self, text: str) -> bool:
        return self._scripts.speak(text)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        table = await _TABLE.get()
        if sum(map(len, texts)) <= _ON_THE_LOOP:
            return table.embed(texts)
        return await asyncio.to_thread(table.embed, texts)

    async def close(self) -> None:
        """The table stays: another memory of this process may use it."""


class _Table:
    """Token vectors, and which tokens each word seen so far is made of.

    The tokenizer joins nothing across a space, so words can be looked up one by one.
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


def _load() -> _Table:
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

    # Stored in halves; summing those took three times as long.
    return _Table(np.ascontiguousarray(rows, dtype=np.float32), tokens)


_TABLE: Final = Once(_load)
