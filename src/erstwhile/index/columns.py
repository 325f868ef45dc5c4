"""Arrays that grow: one row per document, in the order they came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WORTH = 16  # times as many as are wanted are compared by all their signs
_STRETCH = 32_768  # rows compared at a time: what is in between stays in the processor's cache


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
        self._signs: NDArray[np.uint64] = np.zeros(
            (0, 0), np.uint64
        )  # a row for every 64 dimensions, so that each is scanned straight on
        self.filled = 0

    def put(self, places: Sequence[int], vectors: Sequence[bytes]) -> None:
        values = np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), -1)
        dimensions = values.shape[1]
        if self._bytes.shape[1] != dimensions:
            self._bytes, self._scale = np.zeros((0, dimensions), np.int8), np.zeros(0, np.float32)
            self._signs, self.filled = np.zeros((-(-dimensions // 64), 0), np.uint64), 0
        if max(places) >= len(self._bytes):
            self._grow(max(256, len(self._bytes) * 3 // 2, max(places) + 1))
        lengths = np.linalg.norm(values.astype(np.float32), axis=1)
        self.filled += int((self._scale[places] == 0).sum())
        self._bytes[places] = values
        self._scale[places] = 1 / np.maximum(lengths, 1e-9)
        self._signs[:, places] = signs(values).T

    def near(self, vector: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """Places whose signs agree most with the vector's, about `limit` of them: those to compare in full. Half of the signs tell who is
        worth comparing by all of them."""
        if self._bytes.shape[1] != len(vector):
            return np.empty(0, np.int64)
        if self.filled <= limit:
            return np.flatnonzero(self._scale)
        wanted = signs(vector)
        half = max(1, len(wanted) // 2)
        differ = np.empty(len(self._scale), np.uint16)
        for first in range(0, len(differ), _STRETCH):
            part = slice(first, first + _STRETCH)
            differ[part] = _apart(self._signs[:half, part], wanted[:half])
        differ[self._scale == 0] = len(vector) + 1
        places = _least(differ, _WORTH * limit, len(vector) + 2)
        apart = differ[places] + _apart(self._signs[half:, places], wanted[half:])
        return places[_least(apart, limit, len(vector) + 2)]

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
        self._signs = np.concatenate([self._signs, np.zeros((len(self._signs), more), np.uint64)], axis=1)


def _apart(rows: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """In how many signs each differs."""
    found = np.zeros(rows.shape[1], np.uint16)
    for row, sign in zip(rows, wanted, strict=True):
        found += np.bitwise_count(row ^ sign)
    return found


def _least(differ: NDArray[np.uint16], limit: int, most: int) -> NDArray[np.int64]:
    """Where the smallest are, at least `limit` of them and those that are as small as the last."""
    reached = np.cumsum(np.bincount(differ, minlength=most))
    return np.flatnonzero(differ <= np.searchsorted(reached, min(limit, int(reached[-1]))))


def signs(vectors: NDArray[Any]) -> NDArray[np.uint64]:
    """A bit a dimension: whether it is positive. Of one vector or of many."""
    bits = np.packbits(vectors > 0, axis=-1)
    room = np.zeros((*bits.shape[:-1], -bits.shape[-1] % 8), np.uint8)
    return np.ascontiguousarray(np.concatenate([bits, room], axis=-1)).view(np.uint64)


def packed(vectors: NDArray[np.float32]) -> list[bytes]:
    """As they are stored: a byte a dimension, scaled so that the largest is 127; nothing of a vector of zeros."""
    largest = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float64)
    scales = (127 / np.where(largest > 0, largest, 1.0)).astype(vectors.dtype)
    rows = np.round(vectors * scales[:, None]).astype(np.int8)
    return [row.tobytes() if full else b"" for row, full in zip(rows, largest > 0, strict=True)]
