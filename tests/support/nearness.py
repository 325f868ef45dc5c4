"""Nearness by vectors, as the ranking in C works it out."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile import compiled
from erstwhile.index.arrays import VectorArrays
from erstwhile.index.columns import Matrix

Array = NDArray[Any]


def near(matrix: Matrix, vector: Array, limit: int) -> list[int]:
    """The places whose signs agree most with the vector's, about `limit` of them."""
    arrays = VectorArrays(matrix, np.ones(matrix.rows, np.int8))
    if arrays.described.dimensions != len(vector):
        return []
    found = np.empty(matrix.rows, np.int32)
    count = compiled.library().near_places(byref(arrays.described), vector.ctypes.data, limit, found.ctypes.data)
    return found[:count].tolist()


def cosines(matrix: Matrix, vector: Array, places: Sequence[int] | Array, alive: Array | None = None) -> list[Array]:
    """The cosine with each, and as seen from the middle of all. NaN where there is no vector."""
    wanted, found = np.asarray(places, np.int32), [np.full(len(places), np.nan) for _ in range(2)]
    arrays = VectorArrays(matrix, np.ones(matrix.rows, np.int8) if alive is None else alive)
    if arrays.described.dimensions == len(vector):
        addresses = (each.ctypes.data for each in found)
        library, query = compiled.library(), np.ascontiguousarray(vector, np.float32)
        library.compare_vectors(byref(arrays.described), query.ctypes.data, wanted.ctypes.data, len(wanted), *addresses)
    return found


def cosine(matrix: Matrix, vector: Array, places: Sequence[int] | Array) -> Array:
    return cosines(matrix, vector, places)[0]
