"""JSON of any size and any damage."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import IO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erstwhile.importers import scan
from erstwhile.importers.scan import DamagedFile, JsonScanner, SkippedValue

_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


class _Drops(io.BytesIO):
    """Hands over a few bytes at a time, as a stream may."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(7, size or 7))


@given(st.lists(_ANY, max_size=6))
@settings(max_examples=40, deadline=None)
def test_items_come_as_they_are_however_the_file_is_cut(values: list[object]) -> None:
    assert list(JsonScanner(_Drops(json.dumps(values).encode())).items()) == values
    assert list(JsonScanner(_Drops(json.dumps(values, ensure_ascii=True, indent=1).encode())).items()) == values


def test_what_is_too_large_or_too_deep_is_passed_over_and_the_rest_is_read() -> None:
    large = {"text": 'a "quoted" \\ thing ] } ' * 100_000}
    deep = "[" * 100_000 + "]" * 100_000
    stream: IO[bytes] = io.BytesIO(f"[1, {json.dumps(large)}, {deep}, 2]".encode())
    first, second, third, last = JsonScanner(stream, largest=2**20).items()
    assert (first, last) == (1, 2)
    assert isinstance(second, SkippedValue)
    assert "larger than 1 MB" in second.why
    assert isinstance(third, SkippedValue)
    assert "deep" in third.why


def test_what_is_no_json_is_told_at_once_and_a_number_without_end_is_passed_over() -> None:
    stream = io.BytesIO(b'["\xc3\xa4", {"id" "2"}, ' + b"3, " * 2**20 + b"4]")
    items = JsonScanner(stream).items()
    assert next(items) == "ä"
    with pytest.raises(DamagedFile, match="Expecting ':' delimiter near byte 13"):
        next(items)
    assert stream.tell() <= 2**19, "what follows can't mend it"
    one, digits, last = JsonScanner(io.BytesIO(b'[1, {"n": ' + b"9" * 5000 + b"}, 2]")).items()
    assert (one, last) == (1, 2)
    assert "digits" in digits.why


class _Endless(io.RawIOBase):
    def __init__(self, start: bytes, more: bytes, size: int) -> None:
        self._start, self._more, self._left = start, more, size

    def read(self, size: int = -1) -> bytes:
        if self._start:
            start, self._start = self._start, b""
            return start
        given = (self._more * (size // len(self._more) + 1))[: min(size, self._left)]
        self._left -= len(given)
        return given


@pytest.mark.parametrize("start", [b'["', b"[[[", b"[{"])
def test_a_value_without_end_does_not_fill_the_memory(start: bytes) -> None:
    tracemalloc.start()
    with pytest.raises(DamagedFile):
        list(JsonScanner(_Endless(start, b"abc [", 12 * 2**20), largest=2**20).items())  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 2**20


@pytest.mark.parametrize(
    ("damage", "words"),
    [(b'[1, "\xff\xfe"]', "not UTF-8 at byte 5"), (b"[1, 2", "ends in the middle"), (b"[1 2]", "expected")],
)
def test_what_comes_before_a_damage_is_read(damage: bytes, words: str) -> None:
    items = JsonScanner(io.BytesIO(damage)).items()
    assert next(items) == 1
    with pytest.raises(DamagedFile, match=words):
        list(items)


@given(_ANY)
@settings(max_examples=100, deadline=None)
def test_looking_into_anything_never_fails(value: object) -> None:
    scan.text(value), scan.mapping(value), scan.mappings(value), scan.name(value), scan.identity(value)
    assert all(at is None or at.tzinfo for at in (scan.seconds(value), scan.iso(value)))
