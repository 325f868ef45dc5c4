"""Conversations with edits or repeated answers are trees. The branch last viewed is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Branch:
    """Message ids from the first to the last. `broken`: why it does not begin at the start."""

    ids: Sequence[str]
    broken: str = ""


def leaf(parents: Mapping[str, str], newest_last: Sequence[str]) -> str:
    """Return the newest message that nothing follows; in a cycle, the newest."""
    followed = set(parents.values())
    ends = [id for id in newest_last if id not in followed]
    return (ends or newest_last)[-1]


def upwards(parents: Mapping[str, str], start: str, known: Mapping[str, object], roots: Sequence[str] = ()) -> Branch:
    """Follow parents from the last message to the first. Stops at a missing parent or in a cycle."""
    ids: list[str] = []
    seen: set[str] = set()
    here, broken = start, ""
    while True:
        ids.append(here)
        seen.add(here)
        above = parents.get(here, "")
        if not above or above in roots:
            break
        if above in seen:
            broken = "its messages follow each other in a ring"
            break
        if above not in known:
            broken = "a message that others follow is missing"
            break
        here = above
    return Branch(ids[::-1], broken)
