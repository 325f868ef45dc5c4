"""Structured memories among the key facts: what holds and, if it changed, what held before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from erstwhile.configuration.visibility import Visibility
from erstwhile.context.known import terms_of
from erstwhile.layers.part import Item
from erstwhile.layers.structured import store
from erstwhile.layers.structured.model import Structured
from erstwhile.search.model import TracedHits
from erstwhile.storage import Transaction
from erstwhile.text.lines import one_line

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

LAYER = "structured"
_ASKED = 24  # matches of the question; a budget holds few of them
_LABEL = re.compile(r"^- [^:：]{1,60}[:：]\s*")
_SAME = 0.5  # the share of common words from which two lines say the same


async def weave(
    tx: Transaction, wanted: ContextRequest, found: TracedHits, facts: Sequence[Item], visibility: Visibility
) -> list[Item]:
    """Return memories on the question, those that hold first, then the facts. Of a fact and a
    memory that say the same from one message, only the longer is kept. A memory that was ended by
    one from a channel not visible here is left out: why it ended must not be shown."""
    hits, channel = await _hits(tx, found, wanted.silent), wanted.channel
    later = await store.by_ids(tx, [each.superseded_by for each in hits if each.superseded_by])
    heard = await visibility.visible(tx, channel, {each.channel for each in later}, wanted.person)
    after = {
        each.id: each for each in later if heard.shows(each.channel, each.seq) and _by_none_of(each, wanted.silent)
    }
    ended = [each for each in hits if not each.standing and not each.done and each.superseded_by in after]
    told = {each.superseded_by for each in ended}
    lines: list[tuple[Item, tuple[Structured, ...]]] = [
        (_line(each), (each,)) for each in hits if each.standing and each.id not in told
    ]
    lines += [
        (_change(each, after[each.superseded_by or ""]), (each, after[each.superseded_by or ""])) for each in ended
    ]
    kept: list[Item] = []
    left = {fact.id: fact for fact in facts}
    for item, memories in lines:
        alike = [
            fact
            for fact in _of_messages(left.values(), memories)
            if any(_says(fact, each, channel) for each in memories)
        ]
        repeated = [fact for fact in alike if _covers(item.text, _said(fact.text))]
        if len(memories) == 1 and len(repeated) < len(alike):
            continue  # a fact says all of it, and more
        for fact in repeated:
            del left[fact.id]
        kept.append(item)
    return [*kept, *left.values()]


def _of_messages(facts: Iterable[Item], memories: Sequence[Structured]) -> list[Item]:
    """Return the facts of the same messages: few of hundreds."""
    seqs = {each.seq for each in memories}
    return [fact for fact in facts if fact.first in seqs]


async def _hits(tx: Transaction, found: TracedHits, silent: frozenset[str]) -> list[Structured]:
    stored = [found.stored[hit.id] for hit in found.hits if hit.kind == LAYER][:_ASKED]
    there = {each.id for each in stored}
    heard = await store.with_sources(tx, [each for each in stored if each.restates not in there])
    return [each for each in heard if _by_none_of(each, silent)]


def _by_none_of(each: Structured, silent: frozenset[str]) -> bool:
    """Whether it is neither about nor by a blocked person."""
    return each.person not in silent and each.said_by not in silent


def _line(each: Structured) -> Item:
    due = f", due {each.due}" if each.due else ""
    return _item(each, f"- {one_line(each.text)}{_told(each)} ({_day(each.at)}{due})", each.sources)


def _change(before: Structured, after: Structured) -> Item:
    """Format both with their dates in one line: first what holds."""
    end = before.valid_to or after.at
    text = (
        f"- {one_line(after.text)}{_told(after)} (since {_day(end)}) "
        f"Before: {one_line(before.text)} ({_day(before.valid_from)} until {_day(end)})"
    )
    return _item(after, text, tuple(dict.fromkeys((*before.sources, *after.sources))))


def _item(each: Structured, text: str, sources: tuple[str, ...]) -> Item:
    return Item(id=each.id, kind=LAYER, text=text, first=each.seq, last=each.seq, sources=sources, channel=each.channel)


def _told(each: Structured) -> str:
    """Return the speaker, if it is about somebody else."""
    about = each.person or each.subject
    if each.said_by is None or about is None or each.said_by in (each.person, each.subject) or each.type == "entity":
        return ""
    return "" if each.person is None and each.said_by == "user" else f" (said by {one_line(each.said_by)})"


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y}"


def _says(fact: Item, memory: Structured, channel: str) -> bool:
    """Whether a plain fact of the same message contains what the memory says."""
    if memory.channel != channel or (fact.first, fact.last) != (memory.seq, memory.seq):
        return False
    return _covers(fact.text, memory.text) and _covers(fact.text, memory.value or memory.text)


def _said(text: str) -> str:
    """Return the text without its label of speaker and time."""
    return _LABEL.sub("", text, count=1)


def _covers(wide: str, narrow: str) -> bool:
    there, wanted = terms_of(wide), terms_of(narrow)
    return bool(wanted) and len(wanted & there) >= _SAME * len(wanted)
