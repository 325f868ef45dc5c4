"""wordllama: sums of word vectors. English, 256 dimensions, no download: our wheel has the weights.

Only its two files are used. The wheel has a copy of them (`hatch_build.py`); a checkout reads those
of the installed package. The package itself brings 21 others, configures the root logger, and its
`embed` tokenizes each text again. On Python's documentation it took 11,000 texts per CPU-second,
this 30,000 at first and 78,000 with known words (2026-11-15). The vectors equal its own, for text
with single spaces.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from erstwhile.base.errors import SettingsError
from erstwhile.embedders.local import LazyValue, LocalEmbedder, LocalModel
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.scripts import LATIN, Scripts, beginning
from erstwhile.embedders.word_pieces import WordPieces

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_DIMENSIONS: Final = 256
_COPY: Final = Path(__file__).with_name("wordllama_files")
_WEIGHTS: Final = Path("weights", "l2_supercat_256.safetensors")
_TOKENIZER: Final = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_CHARACTERS: Final = 8000  # the mean of more words approaches the mean of all texts
_ON_THE_LOOP: Final = 4000  # characters: a few milliseconds for unseen words; more goes to a thread
_CACHED_WORDS: Final = 50_000
_LONG_WORD: Final = 40


def installed() -> Path | None:
    """Return the folder with the files: our copy, or the package's. Does not import the package."""
    found = None if _COPY.exists() else find_spec("wordllama")
    places = [_COPY] if found is None else map(Path, found.submodule_search_locations or ())
    return next((each for each in places if (each / _WEIGHTS).exists() and (each / _TOKENIZER).exists()), None)


class _Table:
    """Token vectors, and the tokens of each known word.

    The tokenizer joins nothing across spaces, so words can be looked up one by one. The vectors are
    stored in half precision. Summing that took three times as long, so those in use are converted.
    """

    def __init__(self, stored: npt.NDArray[np.float16], tokens: Callable[[str], list[int]]) -> None:
        import numpy as np

        self._stored = stored
        self._rows = np.empty(stored.shape, dtype=np.float32)  # takes memory where it is written
        self._converted: set[int] = set()
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
        for token in set(tokens) - self._converted:
            self._rows[token] = self._stored[token]
            self._converted.add(token)
        if len(self._words) >= _CACHED_WORDS:
            self._words.clear()
        if len(word) <= _LONG_WORD:
            self._words[word] = tokens
        return tokens


def _load() -> LocalModel:
    folder = installed()
    if folder is None:
        raise SettingsError("The embedder wordllama is not installed: pip install 'wordllama>=0.4'.")
    return _Table(_read_weights(folder / _WEIGHTS), WordPieces(folder / _TOKENIZER).ids)


def _read_weights(file: Path) -> npt.NDArray[np.float16]:
    """Map the file: the length of a header, the header (where the array is), the array."""
    import numpy as np

    with file.open("rb") as opened:
        start = 8 + int.from_bytes(opened.read(8), "little")
        about = json.loads(opened.read(start - 8))["embedding.weight"]
    shape, offset = tuple(about["shape"]), start + about["data_offsets"][0]
    if about["dtype"] != "F16":
        raise SettingsError(f"The weights of wordllama are {about['dtype']}, not F16: install wordllama 0.4.")
    return np.memmap(file, dtype="<f2", mode="r", offset=offset, shape=shape)


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
