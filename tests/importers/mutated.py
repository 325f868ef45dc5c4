"""A good sample with something wrong in it: any value at any place, any place gone."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    10**40,
    1e308,
    float("nan"),
    "",
    " ",
    "\0",
    "\ud800",
    "x" * 5000,
    "../../etc",
    [],
    [None],
    [[[]]],
    {},
    {"": None},
    ["x", 3, {"text": 4}],
    {"text": {"text": []}},
    "1e999",
    "-1",
    "9999-12-31T23:59:59.999999-23:59",
]


def _places(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here, *(place for key, each in inner for place in _places(each, (*here, key)))]


@st.composite
def mutated(draw: st.DrawFn, sample: Any) -> Any:
    value = copy.deepcopy(sample)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from(_places(value)))
        if not place:
            continue
        above = value
        for key in place[:-1]:
            above = above[key]
        if draw(st.booleans()):
            above[place[-1]] = copy.deepcopy(draw(st.sampled_from(ODD)))
        else:
            del above[place[-1]]
    return value


def written(value: Any) -> bytes:
    """As JSON that may have half surrogates and NaN in it."""
    return json.dumps(value).encode()
