"""The part of the door for looking through a space: its channels, summaries, briefs, memories, and any one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.base import ids
from erstwhile.base.clock import moment
from erstwhile.base.errors import InvalidInput
from erstwhile.by_hand import Conversation
from erstwhile.door import Door
from erstwhile.events.feed import Watch
from erstwhile.index.documents import Scope
from erstwhile.log import check
from erstwhile.log import store as log
from erstwhile.recall import find, listing
from erstwhile.recall import sources as recall_sources
from erstwhile.recall.model import Hit, Source
from erstwhile.rooms.brief import store as briefs
from erstwhile.rooms.chunks import store as chunks
from erstwhile.rooms.chunks.model import Chunk
from erstwhile.text import tokens

_MOST = 1000  # memories in one page


@dataclass(frozen=True, slots=True)
class ChannelShown:
    """`size`: how many messages it has had. `privacy`: what was declared. `last_at`: of the newest message that is still kept."""

    channel: str
    size: int
    privacy: str | None
    last_at: datetime | None


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


class Looking(Door):
    async def spaces(self) -> list[str]:
        """Every space in which something was said, by name."""
        return await log.spaces(self.house.database)

    async def channels(self, *, space: str | None = None) -> list[ChannelShown]:
        """Every channel of a space, by name."""
        rows = await self._read(self._space(space), lambda tx: tx.all(log.queries.channels_shown))
        return [
            ChannelShown(
                channel=row["channel"],
                size=row["last_seq"],
                privacy=row["privacy"] or None,
                last_at=None if row["last_at"] is None else moment(row["last_at"]),
            )
            for row in rows
        ]

    async def summaries(self, chat: Conversation, *, level: int | None = None) -> list[Summary]:
        """The summaries of a channel in order, the lowest level first: chunks (level 0), metas above them; or those of one level."""
        if level is not None and level < 0:
            raise InvalidInput("`level` is 0 for chunks, 1 and more for the metas above them.")
        return [
            _summary(each) for each in await self._read(chat.space, lambda tx: chunks.shown(tx, chat.channel, level))
        ]

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
