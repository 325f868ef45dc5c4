"""The transformer that scores facts, in numpy: two layers of 64 numbers per piece of a text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from erstwhile.writers.extractive.usefulness import Pieces

    Array = npt.NDArray[np.float32]

HEADS: Final = 4
KEPT: Final = 10_000  # rows of pieces
_ALONE: Final = 250_000  # multiplications; OpenBLAS does up to 2**18 without other threads
_NONE: Final = -1e4  # before a softmax or a maximum


class Network:
    def __init__(self, file: Path) -> None:
        with np.load(file) as stored:
            found = {name: stored[name] for name in stored.files if name != "table"}
        self._own = {int(number): place for place, number in enumerate(found.pop("numbers"), 1)}
        self._weights: dict[str, Array] = {
            name: each.astype(np.float32) for name, each in found.items()
        }
        self._known: dict[int, Array] = {}
        self._layers = sum(name.endswith(".wide") for name in found)

    def scores(self, texts: Sequence[Pieces]) -> list[float]:
        weight = self._weights
        inside = np.arange(max(map(len, texts)))[None] < np.array([[len(text)] for text in texts])
        hidden = np.zeros((*inside.shape, weight["words"].shape[1]), dtype=np.float32)
        hidden[inside] = self._embedded([piece for text in texts for piece in text])
        hidden = self._normed(hidden + weight["positions"][: inside.shape[1]], "start")
        unread = np.where(inside, 0.0, _NONE).astype(np.float32)
        for layer in range(self._layers):
            hidden = hidden + self._attended(self._normed(hidden, f"{layer}.first"), unread, layer)
            wide = self._dense(self._normed(hidden, f"{layer}.second"), f"{layer}.wide")
            hidden = hidden + self._dense(np.maximum(wide, 0), f"{layer}.narrow")
        mean = (hidden * inside[..., None]).sum(1) / inside.sum(1, keepdims=True)
        most = (hidden + unread[..., None]).max(1)
        middle = self._dense(np.concatenate([mean, most], axis=1, dtype=np.float32), "middle")
        found: list[float] = self._dense(np.maximum(middle, 0), "score")[:, 0].tolist()
        return found

    def _embedded(self, pieces: Pieces) -> Array:
        """Return the rows of the pieces: those of their words and those of their flags."""
        new = {number for number, _ in pieces if number not in self._known}
        if len(self._known) + len(new) > KEPT:
            self._known, new = {}, {number for number, _ in pieces}
        if new:
            self._know(list(new))
        known = self._known
        flags = np.array([flags for _, flags in pieces], dtype=np.float32)
        found: Array = np.array([known[number] for number, _ in pieces])
        return found + _product(flags, self._weights["flags"])

    def _know(self, new: list[int]) -> None:
        """Make the rows of pieces out of their word vectors and their own numbers."""
        from erstwhile_vectors import rows

        weight, numbers = self._weights, np.array(new)
        vectors = rows(np.maximum(numbers, 0))
        vectors *= (numbers >= 0)[:, None] / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9)
        own = weight["own"].take([self._own.get(number, 0) for number in new], axis=0)
        # Not "@": for so few numbers it would wake threads, whose waiting costs more than the work.
        made = np.einsum("nv,vw->nw", vectors, weight["words"]) + own
        self._known |= zip(new, made, strict=True)

    def _attended(self, hidden: Array, unread: Array, layer: int) -> Array:
        texts, pieces, width = hidden.shape
        asked, keys, values = (
            self._dense(hidden, f"{layer}.attention")
            .reshape(texts, pieces, 3, HEADS, width // HEADS)
            .transpose(2, 0, 3, 1, 4)
        )
        near = asked @ keys.swapaxes(2, 3) / np.float32((width // HEADS) ** 0.5)
        near += unread[:, None, None]
        near = np.exp(near - near.max(-1, keepdims=True))
        near /= near.sum(-1, keepdims=True)
        joined = (near @ values).transpose(0, 2, 1, 3).reshape(texts, pieces, width)
        return self._dense(joined, f"{layer}.joined")

    def _dense(self, hidden: Array, name: str) -> Array:
        """Multiply by a matrix, whose last row is added."""
        matrix = self._weights[name]
        found: Array = _product(hidden, matrix[:-1]) + matrix[-1]
        return found

    def _normed(self, hidden: Array, name: str) -> Array:
        scale, shift = self._weights[f"{name}.norm"]
        width = hidden.shape[-1]
        # As `mean`, of which most is Python.
        centred = hidden - np.add.reduce(hidden, -1, keepdims=True) / width
        spread = np.sqrt(np.add.reduce(centred * centred, -1, keepdims=True) / width + 1e-5)
        found: Array = centred / spread * scale + shift
        return found


def _product(hidden: Array, matrix: Array) -> Array:
    """Multiply a few rows at a time. For more, BLAS would wake threads, which then spin for longer than all of it
    takes: deriving took twice the CPU."""
    rows = hidden.reshape(-1, len(matrix))
    found = np.empty((len(rows), matrix.shape[1]), dtype=np.float32)
    step = max(1, _ALONE // matrix.size)
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], matrix, out=found[start : start + step])
    return found.reshape(*hidden.shape[:-1], -1)
