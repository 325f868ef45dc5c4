"""Where the arrays of a segment are in memory, for the ranking in C, and which words it looks up there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ctypes import byref, create_string_buffer
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from erstwhile import compiled
from erstwhile.index.postings import Block, key

if TYPE_CHECKING:
    from erstwhile.index.columns import Matrix
    from erstwhile.index.segment import Segment

Array = NDArray[Any]

_BLOCK = (("keys", "u8"), ("starts", "i8"), ("places", "i4"), ("counts", "u1"))


def address(array: Array) -> int:
    """Return where an array is in memory. The caller keeps the array."""
    return int(array.__array_interface__["data"][0])


class _Arrays:
    """Keeps the arrays whose addresses it gives out."""

    def __init__(self) -> None:
        self._kept: list[Array] = []

    def keep(self, array: Array, kind: str, least: int) -> int:
        """Return where an array is. It must be as C reads it: files may have been damaged."""
        if array.dtype != kind or not array.flags.c_contiguous or len(array) < least:
            raise IndexError("The index has an array of another type or length.")
        self._kept.append(array)
        return address(array)


class VectorArrays(_Arrays):
    """`described` are vectors as C reads them, as long as this is there and they don't change."""

    def __init__(self, matrix: Matrix, alive: Array) -> None:
        super().__init__()
        self.described = compiled.VectorsStruct()
        if not matrix.filled:
            return
        arrays, middle = matrix.arrays, matrix.middle(alive)
        (rows, dimensions), (sign_rows, stride) = arrays["bytes"].shape, arrays["signs"].shape
        if min(rows, stride) < matrix.rows or 64 * sign_rows < dimensions:
            raise IndexError("The index has fewer vectors than it says.")
        self.described = compiled.VectorsStruct(
            self.keep(arrays["bytes"], "i1", matrix.rows),
            self.keep(arrays["scale"], "f4", matrix.rows),
            self.keep(middle, "f4", dimensions),
            self.keep(arrays["signs"], "u8", sign_rows),
            stride,
            min(matrix.rows, len(alive)),
            matrix.filled,
            dimensions,
            sign_rows,
        )


class SegmentArrays(_Arrays):
    """`described` is a segment as C reads it, as long as this is there and the segment doesn't change."""

    def __init__(self, segment: Segment) -> None:
        super().__init__()
        length, columns = segment.columns.length, segment.columns
        blocks = [self._block(block) for block in segment.postings.sealed]
        self._vectors = VectorArrays(segment.matrix, columns["alive"])
        self.described = compiled.SegmentStruct(
            *(self.keep(columns[name], kind, length) for name, kind in compiled.COLUMNS.items()),
            compiled.array(compiled.BlockStruct, blocks),
            len(blocks),
            length,
            segment.alive,
            segment.words,
            segment.talk,
            segment.with_assistant,
            self._vectors.described,
        )

    def _block(self, block: Block) -> compiled.BlockStruct:
        count, places = len(block.keys), min(len(block.places), len(block.counts))
        least = (count, count + 1 if count else 0, places, places)
        addresses = (
            self.keep(getattr(block, name), kind, size)
            for (name, kind), size in zip(_BLOCK, least, strict=True)
        )
        return compiled.BlockStruct(*addresses, count, places, block.first)


class WordList:
    """Words to look up: `terms`, and `variants` of some, words spelt like them, each with how similar it is. For one search,
    in which the segments don't change."""

    def __init__(
        self, terms: Sequence[str], variants: Mapping[str, Mapping[str, float]] | None = None
    ) -> None:
        self.terms, self.variants = terms, variants or {}
        listed = [(term, 1.0, number) for number, term in enumerate(terms)]
        for number, term in enumerate(terms) if self.variants else ():
            likely = self.variants.get(term, {}).items()
            listed += [(word, like, number) for word, like in likely]
        self._words = [word for word, _, _ in listed]
        rows = [(key(word), like, number) for word, like, number in listed]
        self._array = compiled.array(compiled.WordStruct, rows)
        self._lookups: dict[Segment, compiled.LookupStruct] = {}

    def lookup(self, segment: Segment) -> compiled.LookupStruct:
        """Describe the words for one segment."""
        found = self._lookups.get(segment)
        if found is None:
            runs = segment.postings.open_runs(self._words)
            found = compiled.LookupStruct(
                self._array, compiled.array(compiled.RunStruct, runs), len(self._words), len(runs)
            )
            self._lookups[segment] = found
        return found

    def unknown(self, segments: Sequence[Segment]) -> list[str]:
        """Return the words that no document of the segments has."""
        found = create_string_buffer(len(self._words) + 1)
        for segment in segments:  # in a later one only what was not found before is looked for
            described, lookup = segment.arrays.described, self.lookup(segment)
            status = compiled.library().find_words(byref(described), byref(lookup), found)
            compiled.check(status)
            if 0 not in found.raw[:-1]:
                return []
        return [word for word, known in zip(self._words, found.raw, strict=False) if not known]
