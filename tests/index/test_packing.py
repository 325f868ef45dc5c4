"""What is packed comes back as it was, with room to grow and to be changed."""

from __future__ import annotations

import numpy as np
import pytest

from erstwhile.index.packing import pack, unpack


@pytest.mark.parametrize("kind", ["<i4", "<u8", "|u1", "<i8", "<i2", "|i1", "<u4"])
@pytest.mark.parametrize("shape", [(0,), (1,), (1000,), (4, 300)])
def test_numbers_come_back_with_room_after_them(kind: str, shape: tuple[int, ...]) -> None:
    limits = np.iinfo(kind)
    values = np.random.default_rng(1).integers(limits.min, limits.max, shape, kind, endpoint=True)
    found = unpack(memoryview(pack(values)), kind, shape, (shape[0] + 5, *shape[1:]))
    assert found.dtype == values.dtype
    assert np.array_equal(found[: shape[0]], values)
    assert not found[shape[0] :].any()
    found[-1] = 1  # a process adds rows to its own copy


def test_numbers_in_order_take_less_than_a_byte_each() -> None:
    assert len(pack(np.arange(7, 10_007, dtype=np.int64))) < 1_000
