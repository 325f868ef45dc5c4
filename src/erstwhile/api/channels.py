"""`memory.channels`: list channels and their memories, set their privacy, and choose which ones a
bot listens to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any

from erstwhile.api import types, verb
from erstwhile.api.resource import Resource
from erstwhile.base.clock import parse
from erstwhile.base.page import DEFAULT, Page, cut, cut_at, cut_latest, number
from erstwhile.base.records import copied, dataclass, from_row
from erstwhile.configuration.visibility import DECLARED, EVERYONE, Audience
from erstwhile.layers.brief import store as briefs
from erstwhile.layers.summaries import store as chunks
from erstwhile.log import append, check
from erstwhile.log import listening as positions
from erstwhile.log import people as log_people
from erstwhile.log import store as log
from erstwhile.log.listening import ListenedChannel, ListeningChoice
from erstwhile.log.model import FURTHEST
from erstwhile.memories import store as memories
from erstwhile.memories.store import MemoryFilter
from erstwhile.storage import Transaction
from erstwhile.text import tokens

Order = Annotated[
    str, types.OneOf("`recent`: most recently active first.", choices=("name", "recent"))
]
Level = Annotated[int, types.Number("0: chunks; 1: summaries of chunks; and so on.", high=63)]
Privacy = Annotated[
    str, types.OneOf("Who may see the channel's content.", "private", choices=tuple(DECLARED))
]
Members = Annotated[Sequence[str], types.IdList("Who else is in it.", ["alice"], what="person")]
Begin = Annotated[
    str,
    types.ParameterRule(
        "From this time on; empty: from the channel's beginning.", "2026-03-01T00:00:00+00:00"
    ),
]
Chooser = Annotated[str, types.Words("Who chose it.", "alice", most=512)]
These = Annotated[
    Sequence[str] | None,
    types.IdList("Only these, by their ids.", what="channel", most=500, none=True),
]
_PEOPLE, _LINE = 4, 200  # names and characters in a preview
_LIKE = re.compile("[!%_]")  # characters that LIKE must have escaped


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """How many memories a channel has. `stale` counts metas whose parts have changed, `levels` the
    levels of metas."""

    chunks: int = 0
    metas: int = 0
    stale: int = 0
    levels: int = 0
    facts: int = 0
    notes: int = 0


@dataclass(frozen=True, slots=True)
class ChannelPreview:
    """The names of the first `people` of a channel, how `many` there are, and its last message: who
    wrote it (`by`) and how its `text` begins."""

    people: tuple[str, ...] = ()
    many: int = 0
    by: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class ChannelEntry:
    """A channel. `size` is the number of messages it has had, `privacy` what was set, `last_at` the
    time of its newest stored message, `made` its memory counts if requested, `title` its display
    name if known. `preview`: who is in it and what was said last, if requested."""

    channel: str
    size: int
    privacy: str | None
    last_at: datetime | None
    made: MemoryCounts | None = None
    title: str = ""
    preview: ChannelPreview | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of messages `first` to `last`: a chunk (level 0) or a meta. `stale`: its parts
    have changed since."""

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
class ChannelBrief:
    """The rolling summary of a channel, covering messages up to `through_seq`."""

    id: str
    text: str
    through_seq: int
    tokens: int
    writer: str
    draft: bool
    updated_at: datetime


_COUNTED = tuple(each.name for each in fields(MemoryCounts))


class Channels(Resource, noun="channels"):
    @verb.get("channels")
    async def list(
        self,
        *,
        channels: These = None,
        matching: types.Matching | None = None,
        order: Order = "name",
        counts: bool = False,
        previews: bool = False,
        cursor: types.Cursor = None,
        limit: types.Limit = DEFAULT,
        space: types.Space = None,
    ) -> Page[ChannelEntry]:
        """List the channels of a space by name, or with the most recently active first
        (`recent`). `matching` is part of a name, a title or a participant's name. With `counts`,
        count the memories of each; with `previews`, tell who is in it and what was said last."""
        like = "%" + _LIKE.sub(lambda found: "!" + found[0], matching) + "%" if matching else None
        these = None if channels is None else json.dumps(channels)
        asked = {"channels": these, "matching": like, "recent": int(order == "recent")}
        asked |= {"limit": limit + 1, "skip": (start := number(cursor))}
        more = {"counts": counts, "previews": previews}
        found = await self._read(space, lambda tx: _channels(tx, asked, **more))
        return cut_at(found, start, limit)

    @verb.get("channels/{channel}/outline")
    async def get(self, chat: types.Conversation) -> ChannelEntry:
        """Show one channel: its size, privacy, last message and memory counts. An unused channel
        has size 0."""
        these = json.dumps([chat.channel])
        asked = {"channels": these, "matching": None, "recent": 0, "limit": 1, "skip": 0}
        found = await self._read(chat.space, lambda tx: _channels(tx, asked, counts=True))
        return found[0] if found else ChannelEntry(chat.channel, 0, None, None, MemoryCounts())

    @verb.get("channels/{channel}/summaries")
    async def summaries(
        self,
        chat: types.Conversation,
        *,
        level: Level | None = None,
        first: types.Seq | None = None,
        last: types.Seq | None = None,
        cursor: types.Cursor = None,
        limit: types.Limit = DEFAULT,
    ) -> Page[Summary]:
        """List the latest summaries of a channel in order: chunks (level 0), then metas. `first`
        and `last` select summaries that overlap these messages."""
        start = number(cursor)
        filters = MemoryFilter(first or 0, FURTHEST if last is None else last, start + limit + 1)
        place = chat.channel, level, filters
        found = await self._read(chat.space, lambda tx: chunks.shown(tx, *place))
        shown = [
            copied(
                Summary, each, level=each.range.level, first=each.range.first, last=each.range.last
            )
            for each in found
        ]
        return cut_latest(shown, start, limit)

    @verb.get("channels/{channel}/brief", answer="brief")
    async def brief(self, chat: types.Conversation) -> ChannelBrief | None:
        """Show the rolling summary of a channel, if it has one yet."""
        found = await self._read(chat.space, lambda tx: briefs.memory(tx, chat.channel))
        if found is None:
            return None
        writer = "extractive" if found.draft else found.writer
        more = {"through_seq": found.last_seq or 0, "tokens": tokens.count(found.text)}
        return copied(ChannelBrief, found, writer=writer, updated_at=found.created_at, **more)

    @verb.put("channels/{channel}/privacy")
    async def set_privacy(
        self,
        chat: types.Conversation,
        privacy: Privacy,
        *,
        people: Members = (),
        title: types.Title | None = None,
    ) -> None:
        """Set a channel to open, private or direct, and set its other members and its title.

        Content of a private or direct channel is visible in another channel only if everyone there
        may see it. This also applies to messages that were sent while the channel was open."""
        runtime, channel, now = self._runtime, chat.channel, self._now()

        async def unit(tx: Transaction) -> None:
            was = await runtime.visibility.audience(tx, channel)
            await runtime.visibility.declare(tx, channel, privacy, people, now)
            if title is not None:
                await log.set_title(tx, channel, title)
            if was == EVERYONE != await runtime.visibility.audience(tx, channel):
                for layer in runtime.layers:
                    await layer.make_private(tx, channel, now)

        await self._write(chat.space, unit)

    @verb.get("visibility")
    async def visibility(
        self,
        *,
        declared: bool = False,
        cursor: types.Cursor = None,
        limit: types.Limit = DEFAULT,
        space: types.Space = None,
    ) -> Page[Audience]:
        """List who may see each channel, by name; with `declared`, only channels whose privacy was
        set."""
        shown, after = self._runtime.visibility.shown, cursor or ""
        found = await self._read(space, lambda tx: shown(tx, after, limit + 1, declared=declared))
        return cut(found, limit, lambda each: each.channel)

    @verb.put("channels/{channel}/listening")
    async def listen(
        self,
        chat: types.Conversation,
        on: bool = True,
        *,
        since: Begin = "",
        by: Chooser = "",
        title: types.Title | None = None,
    ) -> None:
        """Set whether a bot listens to a channel, from the time `since` or from the channel's
        beginning. Stored messages are kept."""
        begins = parse(since).isoformat() if since else ""
        who, now = by and check.identifier("person", by), self._now()
        choice = ListeningChoice(on, begins, who)

        async def unit(tx: Transaction) -> None:
            await positions.choose(tx, chat.channel, choice, now)
            if title is not None:
                await append.open_channel(tx, chat.channel, now)
                await log.set_title(tx, chat.channel, title)

        await self._write(self._remembering(chat.space) if on else chat.space, unit)

    @verb.get("listening")
    async def listening(self, *, space: types.Space = None) -> Page[ListenedChannel]:
        """List the channels for which listening was set, by name, with how far the bot has read
        each."""
        return Page(await self._read(space, positions.all_of))

    @verb.put("channels/{channel}/read")
    async def mark_read(self, chat: types.Conversation, key: types.Position) -> None:
        """Record how far a bot has read a channel: up to the message with this key, "" for not at
        all."""
        last, now = key and check.identifier("key", key), self._now()
        await self._write(chat.space, lambda tx: positions.set_read(tx, chat.channel, last, now))

    @verb.put("channels/{channel}/checked")
    async def mark_checked(self, chat: types.Conversation, key: types.Position) -> None:
        """Record how far a channel was compared with its platform again: up to this key, "" for all
        of it."""
        last, now = key and check.identifier("key", key), self._now()
        await self._write(chat.space, lambda tx: positions.set_audited(tx, chat.channel, last, now))


async def _channels(
    tx: Transaction, asked: Mapping[str, Any], *, counts: bool, previews: bool = False
) -> list[ChannelEntry]:
    rows = await log.channels_shown(tx, asked)
    named = [row["channel"] for row in rows]
    made = await _made(tx, named) if counts and rows else {}
    shown = await _previews(tx, named) if previews and rows else {}
    found = list[ChannelEntry]()
    for row in rows:
        known = {"made": made.get(row["channel"]), "preview": shown.get(row["channel"])}
        known |= {"size": row["last_seq"], "privacy": row["privacy"] or None}
        found.append(from_row(ChannelEntry, row, **known))
    return found


async def _previews(tx: Transaction, channels: Sequence[str]) -> dict[str, ChannelPreview]:
    people = await log_people.named_members(tx, channels, _PEOPLE)
    last = await log.last_lines(tx, channels, _LINE)
    found = {}
    for each in channels:
        names, many = people.get(each, ([], 0))
        found[each] = ChannelPreview(tuple(names), many, *last.get(each, ("", "")))
    return found


async def _made(tx: Transaction, channels: Sequence[str]) -> dict[str, MemoryCounts]:
    found: dict[str, dict[str, int]] = {channel: {} for channel in channels}
    for kind, name in (("fact", "facts"), ("note", "notes")):
        for channel, count in (await memories.count_in(tx, kind, channels)).items():
            found[channel][name] = count
    for row in await chunks.count_in(tx, channels):
        found[row["channel"]] |= {name: int(row[name]) for name in _COUNTED if name in row}
    return {channel: MemoryCounts(**counts) for channel, counts in found.items()}
