"""The ranking in C: plain arithmetic over the arrays of an index, and the structures that go there and come back.

A library without Python's API, so that one wheel serves every Python 3 on a platform; calls let other threads run
meanwhile. `hatch_build.py` compiles it when the package is built or installed, also an editable install.
docs/decisions/0021-compiled-ranking.md says why it is in C. The structures are those of `ranking.h`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import (
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_uint32,
    c_uint64,
    c_void_p,
    sizeof,
)
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

FILE: Final = Path(__file__).with_name("ranking.library")
_BUILD = "Run `make install` in a checkout, or `pip install .`"

NAMED, COUNTED, TELLS = 1, 2, 4  # what a term is, in bits
ANY = -(2**31)  # person, writer or tier: no condition
ALWAYS: Final = (-(2**63), 2**63 - 1)  # from when, until when: no condition
OUT_OF_MEMORY, DAMAGED = 1, 2
PARTS: Final = (
    "words", "meaning", "speaker", "date", "session", "source", "substance", "event", "answer", "linked",
)  # fmt: skip
WHOLE_NUMBERS, BEFORE_PARTS = 8, 11  # rows of what was found


class VectorsStruct(Structure):
    _fields_ = (
        ("bytes", c_void_p),
        ("scale", c_void_p),
        ("middle", c_void_p),
        ("signs", c_void_p),
        ("stride", c_int64),
        ("rows", c_int64),
        ("filled", c_int64),
        ("dimensions", c_int32),
        ("sign_rows", c_int32),
    )


class BlockStruct(Structure):
    _fields_ = (
        ("keys", c_void_p),
        ("starts", c_void_p),
        ("places", c_void_p),
        ("counts", c_void_p),
        ("key_count", c_int64),
        ("place_count", c_int64),
        ("first", c_int64),
    )


# The columns of a segment with their types, in the order of the structure.
COLUMNS: Final = {
    "doc": "i8", "at": "i8", "channel": "i4", "person": "i4", "writer": "i4", "seq": "i4", "until": "i4", "size": "i4",
    "before": "i4", "after": "i4", "session": "i4", "first_day": "i4", "words": "u4", "name0": "u4", "name1": "u4",
    "name2": "u4", "kind": "i2", "days": "i2", "traits": "i1", "alive": "i1",
}  # fmt: skip


class SegmentStruct(Structure):
    _fields_ = (
        *((name, c_void_p) for name in COLUMNS),
        ("blocks", POINTER(BlockStruct)),
        ("block_count", c_int64),
        ("length", c_int64),
        ("living", c_int64),
        ("terms", c_int64),
        ("talk", c_int32),
        ("with_assistant", c_int32),
        ("vectors", VectorsStruct),
    )


class WordStruct(Structure):
    _fields_ = (("key", c_uint64), ("like", c_float), ("term", c_int32))


class RunStruct(Structure):
    _fields_ = (
        ("places", c_void_p),
        ("counts", c_void_p),
        ("count", c_int64),
        ("first", c_int64),
        ("word", c_int64),
    )


class LookupStruct(Structure):
    _fields_ = (
        ("words", POINTER(WordStruct)),
        ("open", POINTER(RunStruct)),
        ("word_count", c_int64),
        ("open_count", c_int64),
    )


class ScopeStruct(Structure):
    _fields_ = (
        ("mask", c_void_p),
        ("channels", POINTER(c_int32)),
        ("silent", POINTER(c_int32)),
        ("channel_count", c_int64),
        ("silent_count", c_int64),
        ("since", c_int64),
        ("until", c_int64),
        ("person", c_int32),
        ("writer", c_int32),
        ("trust", c_int32),
        ("by_channel", c_int32),
        ("by_time", c_int32),
    )


class SpanStruct(Structure):
    _fields_ = (("begin", c_int64), ("end", c_int64), ("begins", c_int32), ("ends", c_int32))


class QuestionStruct(Structure):
    _fields_ = (
        ("lookup", LookupStruct),
        ("scope", ScopeStruct),
        ("terms", c_char_p),
        ("vector", c_void_p),
        ("people", POINTER(c_int32)),
        ("spans", POINTER(SpanStruct)),
        ("told", POINTER(c_uint32)),
        ("sources", POINTER(c_int64)),
        ("lent", POINTER(c_double)),
        ("term_count", c_int64),
        ("people_count", c_int64),
        ("span_count", c_int64),
        ("told_count", c_int64),
        ("source_count", c_int64),
        ("limit", c_int64),
        ("shown", c_int64),
        ("weight", c_double),
        ("by_speaker", c_int32),
        ("anyone", c_int32),
        ("replied", c_int32),
        ("asks_when", c_int32),
        ("beside", c_int32),
        ("fill", c_int32),
    )


class FoundStruct(Structure):
    _fields_ = (
        ("values", c_void_p),
        ("shown", c_int64),
        ("words", c_int32),
        ("meaning", c_int32),
        ("present", c_int32),
        ("has_vectors", c_int32),
    )


Kind = TypeVar("Kind", bound=ctypes.Structure)


def array(kind: type[Kind], rows: Sequence[Any]) -> ctypes.Array[Kind]:
    """Return an array of structures, each given as one or as a tuple of its fields."""
    return (kind * len(rows))(*rows)


@cache
def library() -> ctypes.CDLL:
    """Return the library. It is loaded by whoever searches first."""
    if not FILE.is_file():
        raise ImportError(f"The ranking is not built: {FILE.name} is missing. {_BUILD}")
    loaded = ctypes.CDLL(str(FILE))
    loaded.sizes.restype = c_int64
    if loaded.sizes() != sizeof(SegmentStruct) * 1_000_000 + sizeof(QuestionStruct) * 1000 + sizeof(
        FoundStruct
    ):
        raise ImportError(f"The ranking was built from other sources: {FILE.name} is old. {_BUILD}")
    loaded.find_words.argtypes = (POINTER(SegmentStruct), POINTER(LookupStruct), c_void_p)
    loaded.rank_documents.argtypes = (
        POINTER(SegmentStruct),
        POINTER(QuestionStruct),
        POINTER(FoundStruct),
    )
    loaded.free_found.argtypes = (POINTER(FoundStruct),)
    loaded.near_places.argtypes = (POINTER(VectorsStruct), c_void_p, c_int64, c_void_p)
    loaded.compare_vectors.argtypes = (
        POINTER(VectorsStruct),
        c_void_p,
        c_void_p,
        c_int64,
        c_void_p,
        c_void_p,
    )
    loaded.free_found.restype = loaded.compare_vectors.restype = None
    loaded.near_places.restype = c_int64
    loaded.find_words.restype = loaded.rank_documents.restype = c_int
    return loaded


def check(status: int) -> None:
    """Raise what a call has returned, if it failed. A damaged index is made anew by whoever reads it."""
    if status == DAMAGED:
        raise IndexError("The index has places that no document has.")
    if status == OUT_OF_MEMORY:
        raise MemoryError("There is no memory to rank documents.")
