"""Work out when the memories of a thread are valid, from the rows and when they were said.

The same rows give the same answer, whatever the order in which they were read, replaced or deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.language import languages
from erstwhile.layers import threads
from erstwhile.layers.structured.model import StructuredMemory
from erstwhile.layers.threads import key
from erstwhile.text import analyse

UNSURE: Final = 0.6  # a memory with less confidence never ends what a person edited
# The share of words that two todos must have in common to be the same; the second one for scripts
# without a list of verbs to ignore.
_SHARED, _SHARED_WITH_VERBS = 0.6, 0.5


@dataclass(frozen=True, slots=True)
class MemoryValidity:
    """The validity of a memory; None if it is valid. `restates`: an earlier one that says it."""

    valid_to: datetime | None = None
    superseded_by: str | None = None
    restates: str | None = None


def standings(rows: Sequence[StructuredMemory]) -> dict[str, MemoryValidity]:
    """Return the validity of every row of one thread."""

    def order(each: StructuredMemory) -> tuple[datetime, str, int, bool, datetime, str]:
        """Return when it was said; within one message, what has ended comes first."""
        return each.at, each.channel, each.seq, not each.done, each.valid_from, each.id

    said = sorted(rows, key=order)
    return _todos(said) if said and said[0].type == "todo" else _values(said)


@dataclass(slots=True)
class _Run:
    """Memories that say the same, valid until something ends them."""

    head: StructuredMemory
    words: frozenset[str]
    members: list[StructuredMemory]

    @property
    def by_hand(self) -> bool:
        return any(each.edited_by is not None for each in self.members)

    def end(self, by: StructuredMemory) -> dict[str, MemoryValidity]:
        """End them when the new one begins; if that is before these began, when it was said."""
        head = self.head
        end = by.valid_from if by.valid_from > head.valid_from else by.at
        since = {each.id: max(end, each.valid_from) for each in self.members}
        ended = {id: MemoryValidity(at, by.id, head.id) for id, at in since.items()}
        return ended | {head.id: replace(ended[head.id], restates=None)}


def _values(said: Sequence[StructuredMemory]) -> dict[str, MemoryValidity]:
    found: dict[str, MemoryValidity] = {}
    current: _Run | None = None
    for each in said:
        same = current is not None and _same(current.head, each)
        kept = current is not None and _too_unsure(each, current)
        if each.done:
            if current is not None and same and not kept:
                found |= current.end(each)
                current = None
            found[each.id] = MemoryValidity(each.valid_from)
        elif current is not None and same:
            current.members.append(each)
            found[each.id] = MemoryValidity(restates=current.head.id)
        elif current is not None and kept:
            found[each.id] = MemoryValidity(each.valid_from, current.head.id)
        else:
            if current is not None:
                found |= current.end(each)
            current = _Run(each, frozenset(), [each])
            found[each.id] = MemoryValidity()
    return found


def _todos(said: Sequence[StructuredMemory]) -> dict[str, MemoryValidity]:
    """Return the validity of a person's todos. The words of a "done" tell which one it ends."""
    found: dict[str, MemoryValidity] = {}
    open: list[_Run] = []
    for each in said:
        words = _task(each)
        if each.done:
            run = _find_open(open, each, words)
            if run is not None:
                found |= run.end(each)
                open.remove(run)
            found[each.id] = MemoryValidity(each.valid_from)
            continue
        again = next((run for run in open if run.words == words), None)
        if again is not None:
            again.members.append(each)
            found[each.id] = MemoryValidity(restates=again.head.id)
        else:
            open.append(_Run(each, words, [each]))
            found[each.id] = MemoryValidity()
    return found


def _find_open(open: Sequence[_Run], done: StructuredMemory, words: frozenset[str]) -> _Run | None:
    """Return the open todo that shares the most words. Only the person who has to do it, or who
    asked for it, can say that it is done."""
    best, most = None, 0.0
    enough = _SHARED if all(map(str.isascii, words)) else _SHARED_WITH_VERBS
    for run in open:
        allowed = done.said_by in (run.head.person, run.head.said_by) and not _too_unsure(done, run)
        fewer = min(len(words), len(run.words))
        share = len(words & run.words) / fewer if fewer and allowed else 0.0
        if share >= enough and share > most:
            best, most = run, share
    return best


def _task(each: StructuredMemory) -> frozenset[str]:
    words = frozenset(analyse.query_terms(each.value or each.text))
    return words - _doing() or words


def _too_unsure(each: StructuredMemory, current: _Run) -> bool:
    return each.confidence < UNSURE and each.edited_by is None and current.by_hand


def _same(one: StructuredMemory, other: StructuredMemory) -> bool:
    """Return whether two memories have the same value. "Seoul" and "Gangnam, Seoul" are one home."""
    if threads.taste(one.type, one.slot) and threads.taste(other.type, other.slot):
        return one.slot == other.slot
    if not threads.single(one.type, one.slot):
        return True  # a thread of this kind has one value only
    left, right = set(key(one.value).split()), set(key(other.value).split())
    part = bool(left and right) and (left <= right or right <= left)
    return left == right or (one.slot == "home" and part)


@cache
def _doing() -> frozenset[str]:
    """Return verbs to ignore: "bought the milk" and "buy milk" are about the milk."""
    known = [each.memory_rules.doing for each in languages() if each.memory_rules]
    return frozenset(analyse.terms(" ".join(known)))
