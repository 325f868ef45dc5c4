"""Cut a channel into chunks."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.layers.summaries.model import Range


def ranges(channel: str, *, cut_to: int, number: int, last_seq: int, size: int) -> list[Range]:
    """Return the full chunks after message `cut_to`. `number` is that of the next chunk."""
    full = (last_seq - cut_to) // size
    return [
        Range(channel, 0, number + index, cut_to + 1 + index * size, cut_to + (index + 1) * size)
        for index in range(full)
    ]


def passes_boundary(first_seq: int, last_seq: int, size: int) -> bool:
    """Return whether a multiple of `size` is among these messages: a chunk may be full."""
    return last_seq // size > (first_seq - 1) // size


def group(free: Sequence[Range], *, expected: int, number: int, size: int) -> Range | None:
    """Return the range of meta `number`, if `size` summaries without a parent follow each other.
    The first one must have the number `expected`."""
    members = free[:size]
    if [each.number for each in members] != list(range(expected, expected + size)):
        return None
    first, last = members[0], members[-1]
    return Range(first.channel, first.level + 1, number, first.first, last.last)
