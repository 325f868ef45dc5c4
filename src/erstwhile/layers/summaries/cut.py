"""Where a channel is cut."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.layers.summaries.model import Range


def ranges(channel: str, *, cut_to: int, number: int, last_seq: int, size: int) -> list[Range]:
    """The chunks that have become full: `cut_to` is the last message already in a chunk, `number` the next chunk's."""
    full = (last_seq - cut_to) // size
    return [
        Range(channel, 0, number + index, cut_to + 1 + index * size, cut_to + (index + 1) * size)
        for index in range(full)
    ]


def passes_boundary(first_seq: int, last_seq: int, size: int) -> bool:
    """Whether a multiple of `size` lies among these messages; only then can a chunk have become full."""
    return last_seq // size > (first_seq - 1) // size


def group(free: Sequence[Range], *, expected: int, number: int, size: int) -> Range | None:
    """The range of meta `number`, once the first `size` summaries without a parent follow on each other from number `expected`."""
    members = free[:size]
    if len(members) < size or [each.number for each in members] != list(range(expected, expected + size)):
        return None
    first, last = members[0], members[-1]
    return Range(first.channel, first.level + 1, number, first.first, last.last)
