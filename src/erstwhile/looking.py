"""The part of the door for looking through a space: its channels, summaries, briefs, memories, and any one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from erstwhile.base import ids
from erstwhile.base.clock import first_midnight, moment
from erstwhile.base.errors import InvalidInput
from erstwhile.by_hand import Conversation
from erstwhile.door import Door
from erstwhile.events.feed import Watch
from erstwhile.index.documents import Scope
from erstwhile.layers.brief import store as briefs
from erstwhile.layers.notes import store as notes
from erstwhile.layers.summaries import store as chunks
from erstwhile.layers.summaries.model import Chunk
from erstwhile.log import check
from erstwhile.log import store as log
from erstwhile.log.model import FURTHEST
from erstwhile.memories import store as memories
from erstwhile.search import counted, find, listing
from erstwhile.search import sources as recall_sources
from erstwhile.search.counted import Counted
from erstwhile.search.model import Browsed, Hit, Source
from erstwhile.search.period import Time, between
from erstwhile.storage import Transaction
from erstwhile.text import tokens

_MOST = 1000  # memories in one page
_LONGEST_PERIOD = 366  # days that are counted one by one
_ORDERS = ("name", "recent")


@dataclass(frozen=True, slots=True)
class Made:
    """How much there is of a channel; `stale`: how many of the metas no longer say what is below them. `levels`: how many there are of
    metas."""

    chunks: int = 0
    metas: int = 0
    stale: int = 0
    levels: int = 0
    facts: int = 0
    notes: int = 0


@dataclass(frozen=True, slots=True)
class ChannelShown:
    """`size`: how many messages it has had. `privacy`: what was declared. `last_at`: of the newest message that is still kept. `made`: how
    much was made of it, where that was asked for. `title`: what people call it, where it is known."""

    channel: str
    size: int
    privacy: str | None
    last_at: datetime | None
    made: Made | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """Of the messages `first` to `last`: a chunk (level 0), or a meta of the level below. `stale`: what is below has changed since."""

    id: str
    level: int
    first: int
    last: int
    text: str
    stale: bool
    writer: str
    draft: bool
    from_at: datetime
    to_at: datetime
    edited_by: str | None


@dataclass(frozen=True, slots=True)
class BriefShown:
    """The rolling summary of a channel, which holds what was said up to the message `through_seq`."""

    id: str
    text: str
    through_seq: int
    tokens: int
    writer: str
    draft: bool
    updated_at: datetime


_COUNTED = tuple(each.name for each in fields(Made))
_LIKE = re.compile("[!%_]")  # what LIKE does not take as it is


class Looking(Door):
    async def spaces(self) -> list[str]:
        """Every space in which something was said, by name."""
        return await log.spaces(self.house.database)

    async def channels(
        self,
        *,
        space: str | None = None,
        matching: str | None = None,
        order: str = "name",
        limit: int | None = None,
        skip: int = 0,
        counts: bool = False,
    ) -> list[ChannelShown]:
        """The channels of a space by name, or (`order` "recent") the one last heard of first; those with `matching` in their name or
        title. `counts` tells how much was made of each."""
        if order not in _ORDERS:
            raise InvalidInput(f"Unknown order {order!r}. Orders are {', '.join(_ORDERS)}.")
        if skip < 0 or (limit is not None and limit < 1):
            raise InvalidInput("`limit` must be at least 1, and `skip` can't be negative.")
        asked = {
            "channel": None,
            "matching": _like(matching) if matching else None,
            "recent": int(order == "recent"),
            "limit": FURTHEST if limit is None else limit,
            "skip": skip,
        }
        return await self._read(self._space(space), lambda tx: _channels(tx, asked, counts=counts))

    async def counts(self, *, space: str | None = None, days: int = 30) -> Counted:
        """How much a space holds: messages, channels, people, memories by kind; and what came on each of the last days, today included."""
        if not 1 <= days <= _LONGEST_PERIOD:
            raise InvalidInput(f"`days` must be from 1 to {_LONGEST_PERIOD}.")
        until = self._clock()
        return await self._read(self._space(space), lambda tx: counted.counted(tx, first_midnight(until, days), until))

    async def outline(self, chat: Conversation) -> ChannelShown:
        """One channel at a glance: its size, what was declared, when it was last heard of and how much was made of it. One where nothing
        was said has nothing."""
        asked = {"channel": chat.channel, "matching": None, "recent": 0, "limit": 1, "skip": 0}
        found = await self._read(chat.space, lambda tx: _channels(tx, asked, counts=True))
        return found[0] if found else ChannelShown(chat.channel, 0, None, None, Made())

    async def summaries(
        self,
        chat: Conversation,
        *,
        level: int | None = None,
        first: int | None = None,
        last: int | None = None,
        limit: int | None = None,
    ) -> list[Summary]:
        """The summaries of a channel in order, the lowest level first: chunks (level 0), metas above them; or those of one level. Those
        that touch the messages `first` to `last`, where these are given; with `limit`, the latest so many."""
        if level is not None and level < 0:
            raise InvalidInput("`level` is 0 for chunks, 1 and more for the metas above them.")
        part = check.part(first, last, limit)
        found = await self._read(chat.space, lambda tx: chunks.shown(tx, chat.channel, level, part))
        return [_summary(each) for each in found]

    async def brief(self, chat: Conversation) -> BriefShown | None:
        """The rolling summary of a channel, if it has one yet."""
        found = await self._read(chat.space, lambda tx: briefs.get(tx, chat.channel))
        if found is None or not found.shown:
            return None
        return BriefShown(
            id=found.id,
            text=found.shown,
            through_seq=found.covers,
            tokens=tokens.count(found.shown),
            writer="extractive" if found.draft else found.writer,
            draft=found.draft,
            updated_at=found.made_at,
        )

    async def memories(
        self,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        kinds: Sequence[str] | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> list[Hit]:
        """Memories from the newest back, of every kind but messages unless `kinds` says otherwise. The next page is `before` the id of the
        last one seen."""
        if not 1 <= limit <= _MOST:
            raise InvalidInput(f"`limit` must be from 1 to {_MOST}.")
        if before is not None:
            ids.kind_of(before)
        scope = Scope(
            channel=None if channel is None else check.identifier("channel", channel),
            person=None if person is None else check.identifier("person", person),
            kinds=find.checked_kinds(kinds),
        )
        return await self._read(self._space(space), lambda tx: listing.newest(tx, scope, before, limit))

    async def browse(
        self,
        words: str = "",
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        kinds: Sequence[str] | None = None,
        since: Time | None = None,
        until: Time | None = None,
        writer: str | None = None,
        offset: int = 0,
        limit: int = 20,
    ) -> Browsed:
        """Everything that holds the words, messages too, the best first and page by page; without words everything, the newest first. With
        how much of it is of which kind, channel, person, writer and month. Unlike `search` it answers no question: it finds by words
        alone, leaves nothing out, and is not on record."""
        from erstwhile.search.browse import Page, browse  # numpy is only loaded by whoever searches

        if not 1 <= limit <= _MOST:
            raise InvalidInput(f"`limit` must be from 1 to {_MOST}.")
        if offset < 0:
            raise InvalidInput("`offset` is how many of the first to pass over; it can't be less than 0.")
        scope = Scope(
            None if channel is None else check.identifier("channel", channel),
            None if person is None else check.identifier("person", person),
            find.checked_kinds(kinds),
            *between(since, until),
            None if writer is None else check.identifier("writer", writer),
        )
        chosen = self._space(space)
        if not self._remembered(chosen):
            return Browsed(0, [])
        return await browse(self.house.recall, chosen, Page(words, scope, offset, limit))

    async def said(
        self, person: str, *, space: str | None = None, before: str | None = None, limit: int = 50
    ) -> list[Hit]:
        """A person's own messages over all channels, the latest first. The next page is `before` the id of the last one seen."""
        if not 1 <= limit <= _MOST:
            raise InvalidInput(f"`limit` must be from 1 to {_MOST}.")
        who = check.identifier("person", person)
        since = None if before is None else check.identifier("message", before)
        return await self._read(self._space(space), lambda tx: listing.said(tx, who, since, limit))

    async def get(self, id: str, *, space: str | None = None) -> Source:
        """One memory or message, with what it was made of directly; `sources` goes on down to the messages."""
        return await self._read(self._space(space), lambda tx: recall_sources.sources(tx, id, deep=False))

    def events(self, *, space: str | None = None, after: str | None = None) -> Watch:
        """What changes in a space, whoever changes it, from now on or after the cursor of an event; without end until the memory closes."""
        return self.house.feed.watch(self._space(space), after)


def _like(matching: str) -> str:
    words = check.words("matching", matching)
    return "%" + _LIKE.sub(lambda found: "!" + found[0], words) + "%"


async def _channels(tx: Transaction, asked: Mapping[str, Any], *, counts: bool) -> list[ChannelShown]:
    rows = await tx.all(log.queries.channels_shown, **asked)
    made = await _made(tx, [row["channel"] for row in rows]) if counts and rows else {}
    return [
        ChannelShown(
            channel=row["channel"],
            size=row["last_seq"],
            privacy=row["privacy"] or None,
            last_at=None if row["last_at"] is None else moment(row["last_at"]),
            made=made.get(row["channel"]),
            title=row["title"],
        )
        for row in rows
    ]


async def _made(tx: Transaction, channels: Sequence[str]) -> dict[str, Made]:
    found: dict[str, dict[str, int]] = {channel: {} for channel in channels}
    for channel, facts in (await memories.count_in(tx, "fact", channels)).items():
        found[channel]["facts"] = facts
    for query in (chunks.queries.count_in, notes.queries.count_in):
        for row in await tx.all(query, channels=json.dumps(list(channels))):
            found[row["channel"]] |= {name: int(row[name]) for name in _COUNTED if name in row}
    return {channel: Made(**counts) for channel, counts in found.items()}


def _summary(chunk: Chunk) -> Summary:
    return Summary(
        id=chunk.id,
        level=chunk.range.level,
        first=chunk.range.first,
        last=chunk.range.last,
        text=chunk.text,
        stale=chunk.stale,
        writer=chunk.writer,
        draft=chunk.draft,
        from_at=chunk.from_at,
        to_at=chunk.to_at,
        edited_by=chunk.edited_by,
    )
