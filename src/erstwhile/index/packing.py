"""Arrays of numbers in few bytes: differences of neighbours, their first bytes together, then the second and so on, and
those compressed. Which way is the smallest is tried, with the first bytes of each."""

from __future__ import annotations

import math
import zlib
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LEVEL = 1  # higher ones take three times as long for a tenth less
# Numbers in which nothing comes again, such as those of vectors, are smaller without looking for it.
_STRATEGIES = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY)
_TRIED = 16_384  # numbers
_VALUES, _DIFFERENCES = b"v", b"d"


def pack(values: NDArray[Any]) -> bytes:
    flat = np.ascontiguousarray(values).reshape(-1)
    # Numbers without a sign wrap around, and unpacking wraps them back.
    kind = f"<u{flat.dtype.itemsize}"
    numbers = flat.view(kind)
    differences = np.diff(numbers, prepend=numbers.dtype.type(0))
    ways = product(((_VALUES, numbers), (_DIFFERENCES, differences)), _STRATEGIES)
    (mark, chosen), strategy = min(
        ways, key=lambda way: len(_compressed(way[0][1][:_TRIED], way[1]))
    )
    packed: bytes = mark + _compressed(chosen, strategy)
    return packed


def unpack(
    data: memoryview, kind: str, used: tuple[int, ...], shape: tuple[int, ...]
) -> NDArray[Any]:
    """Return an array of a shape whose first rows are those that were packed, in memory of its own that can be written."""
    width, size = np.dtype(kind).itemsize, math.prod(used)
    planes = np.frombuffer(zlib.decompress(data[1:]), np.uint8).reshape(width, size)
    room = bytearray(math.prod(shape) * width)  # counted with the file, as what is mapped or read
    whole = np.frombuffer(room, np.uint8).reshape(-1, width)
    whole[:size] = planes.T
    if bytes(data[:1]) == _DIFFERENCES:
        numbers = whole.reshape(-1).view(f"<u{width}")[:size]
        np.cumsum(numbers, out=numbers, dtype=numbers.dtype)
    return whole.reshape(-1).view(kind).reshape(shape)


def _compressed(numbers: NDArray[Any], strategy: int) -> bytes:
    planes = np.ascontiguousarray(numbers.view(np.uint8).reshape(-1, numbers.dtype.itemsize).T)
    zipped = zlib.compressobj(_LEVEL, strategy=strategy)
    return zipped.compress(planes.tobytes()) + zipped.flush()
