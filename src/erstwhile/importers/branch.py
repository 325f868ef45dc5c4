"""Conversations that were edited or answered again are trees. The branch that was last looked at is what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Branch:
    """Ids from the beginning to the end. `broken` says why it begins where it does, if that is not the beginning."""

    ids: Sequence[str]
    broken: str = ""


def leaf(parents: Mapping[str, str], newest_last: Sequence[str]) -> str:
    """The newest that nothing follows; in a ring, the newest."""
    followed = set(parents.values())
    ends = [id for id in newest_last if id not in followed]
    return (ends or newest_last)[-1]


def upwards(parents: Mapping[str, str], start: str, known: Mapping[str, object], roots: Sequence[str] = ()) -> Branch:
    """From the end to the beginning, each step once: it ends where a parent is missing, or where it comes by again."""
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
