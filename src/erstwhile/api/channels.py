"""`memory.channels`: which channels there are, what was made of each, who may see them, and which of them a bot listens to."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Annotated, Any

from erstwhile.api import verb
from erstwhile.api.page import DEFAULT, Page, cut
from erstwhile.api.resource import Resource
from erstwhile.api.types import (
    Conversation,
    Cursor,
    Limit,
    LimitOrAll,
    Matching,
    Number,
    Offset,
    OneOf,
    Position,
    Rule,
    Seq,
    Several,
    Space,
    Title,
    Words,
)
from erstwhile.base.clock import moment, parse
from erstwhile.configuration import hearing
from erstwhile.configuration.hearing import DECLARED, EVERYONE, Audience
from erstwhile.layers.brief import store as briefs
from erstwhile.layers.notes import store as notes
from erstwhile.layers.summaries import store as chunks
from erstwhile.layers.summaries.model import Chunk
from erstwhile.log import append, check
from erstwhile.log import listening as positions
from erstwhile.log import store as log
from erstwhile.log.listening import Choice, Listened
from erstwhile.log.model import FURTHEST
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction
from erstwhile.text import tokens

Order = Annotated[str, OneOf("`recent`: the one last spoken in first.", choices=("name", "recent"))]
Level = Annotated[int, Number("0: chunks; 1: summaries of chunks; and so on.", high=63)]
Privacy = Annotated[str, OneOf("Who may see what is said there.", "private", choices=tuple(DECLARED))]
Members = Annotated[Sequence[str], Several("Who else is in it.", ["alice"], what="person")]
Begin = Annotated[str, Rule("From this time on; empty: from the channel's beginning.", "2026-03-01T00:00:00+00:00")]
Chooser = Annotated[str, Words("Who chose it.", "alice", most=512)]
_LIKE = re.compile("[!%_]")  # what LIKE does not take as it is


@dataclass(frozen=True, slots=True)
class Made:
    """How much was made of a channel; `stale`: how many of the metas no longer say what is below them. `levels`: how many there are of
    metas."""

    chunks: int = 0
    metas: int = 0
    stale: int = 0
    levels: int = 0
    facts: int = 0
    notes: int = 0


@dataclass(frozen=True, slots=True)
class ChannelShown:
    """`size`: how many messages it has had. `privacy`: what was set. `last_at`: of the newest message that is still kept. `made`: how much
    was made of it, where that was asked for. `title`: what people call it, where it is known."""

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


class Channels(Resource, noun="channels"):
    @verb.get("channels")
    async def list(
        self,
        *,
        matching: Matching | None = None,
        order: Order = "name",
        counts: bool = False,
        offset: Offset = 0,
        limit: LimitOrAll = None,
        space: Space = None,
    ) -> Page[ChannelShown]:
        """List the channels of a space by name, or the one last spoken in first (`recent`). `counts` tells how much was made of each."""
        asked = {
            "channel": None,
            "matching": _like(matching) if matching else None,
            "recent": int(order == "recent"),
            "limit": FURTHEST if limit is None else limit,
            "skip": offset,
        }
        return await self._read(space, lambda tx: _channels(tx, asked, counts=counts))

    @verb.get("channels/{channel}/outline")
    async def get(self, chat: Conversation) -> ChannelShown:
        """Show one channel: its size, privacy, last message and how much was made of it. One where nothing was said has nothing."""
        asked = {"channel": chat.channel, "matching": None, "recent": 0, "limit": 1, "skip": 0}
        found = await self._read(chat.space, lambda tx: _channels(tx, asked, counts=True))
        return found[0] if found else ChannelShown(chat.channel, 0, None, None, Made())

    @verb.get("channels/{channel}/summaries")
    async def summaries(
        self,
        chat: Conversation,
        *,
        level: Level | None = None,
        first: Seq | None = None,
        last: Seq | None = None,
        limit: LimitOrAll = None,
    ) -> Page[Summary]:
        """List the summaries of a channel in order: chunks (level 0), then the metas above them. `first` and `last` narrow them to those
        that touch these messages."""
        part = check.part(first, last, limit)
        found = await self._read(chat.space, lambda tx: chunks.shown(tx, chat.channel, level, part))
        return Page(_summary(each) for each in found)

    @verb.get("channels/{channel}/brief", answer="brief")
    async def brief(self, chat: Conversation) -> BriefShown | None:
        """Show the rolling summary of a channel, if it has one yet."""
        found = await self._read(chat.space, lambda tx: briefs.memory(tx, chat.channel))
        if found is None:
            return None
        return BriefShown(
            id=found.id,
            text=found.text,
            through_seq=found.last_seq or 0,
            tokens=tokens.count(found.text),
            writer="extractive" if found.draft else found.writer,
            draft=found.draft,
            updated_at=found.created_at,
        )

    @verb.put("channels/{channel}/privacy")
    async def set_privacy(
        self, chat: Conversation, privacy: Privacy, *, people: Members = (), title: Title | None = None
    ) -> None:
        """Set whether a channel is open, private or direct, who else is in it, and its title.

        What is said in a private or direct channel is visible in another only where everyone there may see this one too; from the next
        question on, also what was said while everyone could see it."""
        runtime, channel, now = self._runtime, chat.channel, self._now()

        async def unit(tx: Transaction) -> None:
            was = await runtime.hearing.audience(tx, channel)
            await runtime.hearing.declare(tx, channel, privacy, people, now)
            if title is not None:
                await tx.run(log.queries.set_title, channel=channel, title=title)
            if was == EVERYONE != await runtime.hearing.audience(tx, channel):
                await runtime.told.withdraw(tx, channel, now)
                await runtime.notes.withdraw(tx, channel, now)
                await runtime.profiles.withdraw(tx, channel, now)
                await runtime.days.withdraw(tx, channel, now)

        await self._write(chat.space, unit)

    @verb.get("visibility")
    async def visibility(
        self, *, declared: bool = False, cursor: Cursor = None, limit: Limit = DEFAULT, space: Space = None
    ) -> Page[Audience]:
        """List who may see each channel, by name; with `declared`, only channels whose privacy was set."""
        page = hearing.Page(cursor or "", limit + 1, declared)
        found = await self._read(space, lambda tx: self._runtime.hearing.shown(tx, page))
        return cut(found, limit, lambda each: each.channel)

    @verb.put("channels/{channel}/listening")
    async def listen(
        self, chat: Conversation, on: bool = True, *, since: Begin = "", by: Chooser = "", title: Title | None = None
    ) -> None:
        """Set whether a bot listens to a channel, from the time `since` on or, without one, from its beginning. What it has read stays."""
        begins = parse(since).isoformat() if since else ""
        choice, now = Choice(on, begins, by and check.identifier("person", by)), self._now()

        async def unit(tx: Transaction) -> None:
            await positions.choose(tx, chat.channel, choice, now)
            if title is not None:
                await append.open_channel(tx, chat.channel, now)
                await tx.run(log.queries.set_title, channel=chat.channel, title=title)

        await self._write(self._remembering(chat.space) if on else chat.space, unit)

    @verb.get("listening")
    async def listening(self, *, space: Space = None) -> Page[Listened]:
        """List the channels that a bot listens to, or was told not to, by name, with how far it has read each."""
        return Page(await self._read(space, positions.all_of))

    @verb.put("channels/{channel}/read")
    async def mark_read(self, chat: Conversation, key: Position) -> None:
        """Note how far a bot has read a channel: up to the message with this key, "" being not at all."""
        last, now = key and check.identifier("key", key), self._now()
        await self._write(chat.space, lambda tx: positions.heard(tx, chat.channel, last, now))

    @verb.put("channels/{channel}/checked")
    async def mark_checked(self, chat: Conversation, key: Position) -> None:
        """Note how far a channel was compared again with its platform: up to this key, "" being to the end."""
        last, now = key and check.identifier("key", key), self._now()
        await self._write(chat.space, lambda tx: positions.audited(tx, chat.channel, last, now))


def _like(matching: str) -> str:
    return "%" + _LIKE.sub(lambda found: "!" + found[0], matching) + "%"


async def _channels(tx: Transaction, asked: Mapping[str, Any], *, counts: bool) -> Page[ChannelShown]:
    rows = await tx.all(log.queries.channels_shown, **asked)
    made = await _made(tx, [row["channel"] for row in rows]) if counts and rows else {}
    return Page(
        ChannelShown(
            channel=row["channel"],
            size=row["last_seq"],
            privacy=row["privacy"] or None,
            last_at=None if row["last_at"] is None else moment(row["last_at"]),
            made=made.get(row["channel"]),
            title=row["title"],
        )
        for row in rows
    )


async def _made(tx: Transaction, channels: Sequence[str]) -> dict[str, Made]:
    found: dict[str, dict[str, int]] = {channel: {} for channel in channels}
    for channel, facts in (await memories.count_in(tx, "fact", channels)).items():
        found[channel]["facts"] = facts
    noted = await tx.all(notes.queries.count_in, channels=json.dumps(list(channels)))
    for row in (*await chunks.count_in(tx, channels), *noted):
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
