"""Arrays that grow: one row per document, in the order they came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Columns:
    """Named columns of equal length. `columns["at"]` is a view of the rows that are there."""

    def __init__(self, **types: str) -> None:
        self._arrays: dict[str, NDArray[Any]] = {name: np.zeros(256, type) for name, type in types.items()}
        self.length = 0

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name][: self.length]

    def extend(self, values: Mapping[str, Sequence[int] | NDArray[Any]]) -> None:
        more = len(next(iter(values.values())))
        there = len(next(iter(self._arrays.values())))
        if self.length + more > there:
            room = max(there, self.length + more - there)
            for name, array in self._arrays.items():
                self._arrays[name] = np.concatenate([array, np.zeros(room, array.dtype)])
        for name, column in values.items():
            self._arrays[name][self.length : self.length + more] = column
        self.length += more

    @property
    def bytes(self) -> int:
        return sum(array.nbytes for array in self._arrays.values())


class Matrix:
    """Vectors of unit length in a byte a dimension, and their signs in a bit a dimension; a row of zeros is a document without a vector."""

    def __init__(self) -> None:
        self._bytes: NDArray[np.int8] = np.zeros((0, 0), np.int8)
        self._scale: NDArray[np.float32] = np.zeros(0, np.float32)
        self._signs: NDArray[np.uint64] = np.zeros((0, 0), np.uint64)
        self.filled = 0

    def put(self, place: int, vector: bytes) -> None:
        values = np.frombuffer(vector, np.int8)
        if self._bytes.shape[1] != len(values):
            self._bytes = np.zeros((0, len(values)), np.int8)
            self._scale, self._signs, self.filled = (
                np.zeros(0, np.float32),
                np.zeros((0, -(-len(values) // 64)), np.uint64),
                0,
            )
        if place >= len(self._bytes):
            self._grow(max(256, 2 * len(self._bytes), place + 1))
        self.filled += int(self._scale[place] == 0)
        length = float(np.linalg.norm(values.astype(np.float32)))
        self._bytes[place] = values
        self._scale[place] = 1 / length if length else 0
        self._signs[place] = signs(values)

    def near(self, vector: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """Places whose signs agree most with the vector's: those to compare in full."""
        there = np.flatnonzero(self._scale)
        if len(there) <= limit:
            return there
        differ = np.bitwise_count(self._signs ^ signs(vector)).sum(axis=1, dtype=np.int16)
        differ[self._scale == 0] = np.iinfo(np.int16).max
        return np.argpartition(differ, limit)[:limit]

    def cosine(self, vector: NDArray[np.float32], places: NDArray[Any]) -> NDArray[np.float32]:
        """NaN where there is no vector."""
        out = np.full(len(places), np.nan, np.float32)
        inside = places < len(self._bytes)
        chosen = places[inside]
        if len(chosen) and self._bytes.shape[1] == len(vector):
            found = (self._bytes[chosen].astype(np.float32) @ vector) * self._scale[chosen]
            out[inside] = np.where(self._scale[chosen] > 0, found, np.nan)
        return out

    @property
    def bytes(self) -> int:
        return self._bytes.nbytes + self._scale.nbytes + self._signs.nbytes

    def _grow(self, rows: int) -> None:
        more = rows - len(self._bytes)
        self._bytes = np.concatenate([self._bytes, np.zeros((more, self._bytes.shape[1]), np.int8)])
        self._scale = np.concatenate([self._scale, np.zeros(more, np.float32)])
        self._signs = np.concatenate([self._signs, np.zeros((more, self._signs.shape[1]), np.uint64)])


def signs(vector: NDArray[Any]) -> NDArray[np.uint64]:
    bits = np.packbits(vector > 0)
    return np.concatenate([bits, np.zeros(-len(bits) % 8, np.uint8)]).view(np.uint64)


def packed(vector: NDArray[np.float32]) -> bytes:
    """As it is stored: a byte a dimension, scaled so that the largest is 127."""
    largest = float(np.abs(vector).max()) if vector.size else 0.0
    return np.round(vector * (127 / largest)).astype(np.int8).tobytes() if largest > 0 else b""
