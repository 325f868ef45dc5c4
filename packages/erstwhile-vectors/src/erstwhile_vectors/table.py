"""The table of rows, read from the files of this package with the first text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from erstwhile_vectors.words import Words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DIMENSIONS: Final = 256
VERSION: Final = 1  # of the table: vectors of another version cannot be compared
_FILES: Final = Path(__file__).with_name("files")
_WORDS: Final = 2048  # of a text: the sum of more approaches the mean of all texts


class Table:
    """Rows are stored in one byte per number, with a scale per row. Those in use are converted once:
    summing bytes took three times as long."""

    def __init__(self, folder: Path) -> None:
        import numpy as np

        self._stored = np.load(folder / "rows.npy", mmap_mode="r")
        self._scales = np.load(folder / "scales.npy").astype(np.float32)
        self._words = Words((folder / "words.txt").read_bytes(), partial(_simplified, folder))
        self._rows = np.empty(self._stored.shape, dtype=np.float32)  # takes memory where it is written
        self._converted = np.zeros(len(self._scales), dtype=bool)

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            found = self._words.numbers(text)[:_WORDS]
            if found:
                summed = np.add.reduce(self.rows(np.array(found)), axis=0)
                length = float(summed.dot(summed)) ** 0.5
                if length > 0:
                    np.divide(summed, length, out=vector)
        return vectors

    def numbers(self, text: str) -> list[int]:
        return self._words.numbers(text)

    def rows(self, numbers: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        self._convert(numbers)
        found: npt.NDArray[np.float32] = self._rows.take(numbers, axis=0)
        return found

    def _convert(self, numbers: npt.NDArray[np.intp]) -> None:
        known = self._converted.take(numbers)
        if not known.all():
            new = numbers[~known]
            self._rows[new] = self._stored[new] * self._scales[new, None]
            self._converted[new] = True  # only now: another thread may be reading


def _simplified(folder: Path) -> Mapping[int, int]:
    import json  # only Chinese needs it

    return str.maketrans(json.loads((folder / "simplified.json").read_text("utf-8")))


@cache
def _table() -> Table:
    return Table(_FILES)


def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return one vector of unit length per text, zeros for a text without words. Safe for threads."""
    return _table().embed(texts)


def numbers(text: str) -> list[int]:
    """Return the numbers of the words of a text, in order."""
    return _table().numbers(text)


def rows(numbers: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
    """Return the rows of words by their numbers."""
    return _table().rows(numbers)
