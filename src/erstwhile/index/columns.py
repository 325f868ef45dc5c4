"""Arrays that grow: one row per document, in the order they came."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SAMPLED = 1024  # vectors that tell where the middle of all is
_FEW = 32  # with fewer, the middle of them says little
# How large a number of a stored vector usually is. With numbers up to 127 as many questions of LoCoMo are answered, and a
# packed file has twice the bytes.
_USUAL = 3
_SHORTEST, _LONGEST = 48, 127  # vectors as they are stored; no number is larger than that


class Columns:
    """Named columns of equal length. `columns["at"]` is a view of the rows that are there."""

    def __init__(self, **types: str) -> None:
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.zeros(0, type) for name, type in types.items()
        }
        self._set_length(0)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._views[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def use(self, arrays: Mapping[str, NDArray[Any]], length: int) -> None:
        """Use these arrays; rows after `length` are room to grow."""
        self._arrays = {name: arrays[name] for name in self._arrays}
        self._set_length(length)

    def extend(self, values: Mapping[str, Sequence[int] | NDArray[Any]]) -> None:
        more = len(next(iter(values.values())))
        there = len(next(iter(self._arrays.values())))
        if self.length + more > there:
            room = max(256, there // 4, self.length + more - there)
            for name, array in self._arrays.items():
                self._arrays[name] = np.concatenate([array, np.zeros(room, array.dtype)])
        for name, column in values.items():
            self._arrays[name][self.length : self.length + more] = column
        self._set_length(self.length + more)

    def _set_length(self, length: int) -> None:
        self.length = length
        self._views = {name: array[:length] for name, array in self._arrays.items()}

    @property
    def bytes(self) -> int:
        return sum(held_bytes(array) for array in self._arrays.values())


def held_bytes(array: NDArray[Any]) -> int:
    """Return the memory an array takes; one that is part of a file takes none of its own."""
    base: Any = array
    while base is not None and not isinstance(base, mmap | bytearray):
        base = (
            getattr(base, "obj", None)
            if isinstance(base, memoryview)
            else getattr(base, "base", None)
        )
    return array.nbytes if base is None else 0


class Matrix:
    """Vectors of unit length in a byte a dimension, and their signs in a bit a dimension. A row with a
    scale of 0 is a document without a vector."""

    def __init__(self) -> None:
        self._bytes: NDArray[np.int8] = np.zeros((0, 0), np.int8)
        self._scale: NDArray[np.float32] = np.zeros(0, np.float32)
        # A row for every 64 dimensions, so that each is scanned straight on.
        self._signs: NDArray[np.uint64] = np.zeros((0, 0), np.uint64)
        self.rows = 0  # places up to the last that may have a vector
        self.filled = 0
        self._middle: tuple[tuple[int, ...], NDArray[np.float32]] = ((), np.zeros(0, np.float32))

    def use(self, arrays: Mapping[str, NDArray[Any]], rows: int, filled: int) -> None:
        """Use these arrays; what is after `rows` is room to grow."""
        self._bytes, self._scale, self._signs = arrays["bytes"], arrays["scale"], arrays["signs"]
        self.rows, self.filled = rows, filled

    def put(self, places: Sequence[int], vectors: Sequence[bytes]) -> None:
        self.put_rows(places, np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), -1))

    def put_rows(self, places: Sequence[int] | NDArray[Any], values: NDArray[np.int8]) -> None:
        """Store a row of `values` for each place."""
        dimensions = values.shape[1]
        if self._bytes.shape[1] != dimensions:
            self._bytes, self._scale = np.zeros((0, dimensions), np.int8), np.zeros(0, np.float32)
            self._signs = np.zeros((-(-dimensions // 64), 0), np.uint64)
            self.rows = self.filled = 0
        last = int(max(places)) + 1
        if last > len(self._bytes):
            self._grow(max(256, len(self._bytes) * 5 // 4, last))
        self.rows = max(self.rows, last)
        lengths = np.linalg.norm(values.astype(np.float32), axis=1)
        self.filled += int((self._scale[places] == 0).sum())
        self._bytes[places] = values
        self._scale[places] = 1 / np.maximum(lengths, 1e-9)
        self._signs[:, places] = signs(values).T

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"bytes": self._bytes, "scale": self._scale, "signs": self._signs}

    def middle(self, alive: NDArray[Any]) -> NDArray[np.float32]:
        """Return the mean of the vectors: of all, or of some that are spread evenly over the first half or more, so that
        it depends on what there is and seldom changes."""
        few = self.rows <= _SAMPLED
        seen = self.rows if few else 1 << (self.rows.bit_length() - 1)
        known = (
            seen,
            self._bytes.shape[1],
            *((self.filled, int(np.count_nonzero(alive[:seen]))) if few else ()),
        )
        if self._middle[0] != known:
            rows = np.linspace(0, seen - 1, min(seen, _SAMPLED)).astype(np.int64)
            rows = rows[(self._scale[rows] > 0) & (alive[rows] > 0)]
            total = self._scale[rows] @ self._bytes.take(rows, axis=0).astype(np.float32)
            self._middle = known, total / np.float32(len(rows) + _FEW)
        return self._middle[1]

    @property
    def bytes(self) -> int:
        return sum(held_bytes(array) for array in (self._bytes, self._scale, self._signs))

    def _grow(self, rows: int) -> None:
        more = rows - len(self._bytes)
        self._bytes = np.concatenate([self._bytes, np.zeros((more, self._bytes.shape[1]), np.int8)])
        self._scale = np.concatenate([self._scale, np.zeros(more, np.float32)])
        self._signs = np.concatenate(
            [self._signs, np.zeros((len(self._signs), more), np.uint64)], axis=1
        )


def signs(vectors: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a bit for each dimension of one vector or of many: whether it is positive."""
    bits = np.packbits(vectors > 0, axis=-1)
    if bits.shape[-1] % 8:
        bits = np.concatenate(
            [bits, np.zeros((*bits.shape[:-1], -bits.shape[-1] % 8), np.uint8)], axis=-1
        )
    return np.ascontiguousarray(bits).view(np.uint64)


def packed(vectors: NDArray[np.float32]) -> list[bytes]:
    """Pack vectors as they are stored: a byte a dimension, all of about one length; nothing of a vector of zeros."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    scales = stored_length(vectors.shape[1]) / np.where(lengths > 0, lengths, 1.0)
    rows = np.round(vectors * scales[:, None]).astype(np.int8)
    return [row.tobytes() if full else b"" for row, full in zip(rows, lengths > 0, strict=True)]


def stored_length(dimensions: int) -> float:
    """Return how long a stored vector is, about."""
    return min(_LONGEST, max(_SHORTEST, _USUAL * math.sqrt(dimensions)))
