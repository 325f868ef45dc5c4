"""Which documents of a segment are searched, as the ranking in C reads it."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_int32
from typing import Any

from numpy.typing import NDArray

from erstwhile import compiled
from erstwhile.index.documents import Scope
from erstwhile.index.segment import Segment
from erstwhile.index.traits import TRUST


def select(
    segment: Segment, scope: Scope, channels: Sequence[str], blocked: frozenset[str]
) -> compiled.ScopeStruct:
    """Select by everything but the kind, and without what is by or about people in `blocked`."""
    channel_codes = [segment.code("channel", channel) for channel in channels]
    codes = [code for person in blocked if (code := segment.code("person", person)) >= 0]
    since, until = compiled.ALWAYS
    return compiled.ScopeStruct(
        channels=(c_int32 * len(channel_codes))(*channel_codes),
        channel_count=len(channel_codes),
        silent=(c_int32 * len(codes))(*codes),
        silent_count=len(codes),
        since=since if scope.since is None else scope.since,
        until=until if scope.until is None else scope.until,
        person=_code(segment, "person", scope.person),
        writer=_code(segment, "writer", scope.writer),
        trust=compiled.ANY if scope.trust is None else TRUST * scope.trust,
        by_channel=bool(channels),
        by_time=(scope.since, scope.until) != (None, None),
    )


def selected(mask: NDArray[Any]) -> compiled.ScopeStruct:
    """Select the documents of a mask, which the caller keeps."""
    return compiled.ScopeStruct(mask=mask.__array_interface__["data"][0])


def _code(segment: Segment, column: str, value: str | None) -> int:
    return compiled.ANY if value is None else segment.code(column, value)
