"""Visibility of channels: a memory from a private channel is not visible in another channel, unless
everyone there was in it or all its people share.

A channel is open, private or direct, as set. If nothing was set, it is private until two named
people have spoken in it, and open from then on: what was said before stays private to who was
there. Memories without a channel (from the app itself) are visible to everyone in the space.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.events import store as events
from erstwhile.log import people as log_people
from erstwhile.log import store as log
from erstwhile.log.model import FURTHEST
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

chosen = load(__package__)

OPEN: Final = "open"
DECLARED: Final = ("open", "private", "direct")
EVERYONE: Final = ""  # the audience of content that is visible to everyone in the space
NOW: Final = FURTHEST - 1  # later than every message
_MOST_SHOWN = 20  # people listed per channel


class VisibleChannels(frozenset[str]):
    """Channels of which everything is visible. `later`: those of which only messages from a number
    on are, and what was made from them."""

    later: Mapping[str, int]

    @classmethod
    def of(cls, channels: Iterable[str], later: Mapping[str, int] | None = None) -> VisibleChannels:
        found = cls(channels)
        found.later = later or {}
        return found

    def shows(self, channel: str, seq: int | None) -> bool:
        """Return whether a message of a channel is visible, or a memory made from it and later
        ones."""
        return channel in self or (seq is not None and seq >= self.later.get(channel, FURTHEST))

    @property
    def all(self) -> frozenset[str]:
        """All channels of which something is visible."""
        return frozenset(self | self.later.keys())


class Audiences(dict[str, str]):
    """The audience of everything that was said in a channel: "" or the channel. `opened`: from
    which message on a channel is everyone's, if not from the first."""

    def __init__(self, channels: Mapping[str, str], opened: Mapping[str, int]) -> None:
        super().__init__(channels)
        self.opened = opened

    def of(self, channel: str, seq: int | None) -> str:
        """Return the audience of a message, or of a memory made from it and later ones."""
        if seq is not None and seq >= self.opened.get(channel, FURTHEST):
            return EVERYONE
        return self.get(channel, channel)


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may see a channel: `everyone` in the space, or its `people` (ids with names, the first of
    `count`). `privacy` is what was set. `since`: from which message on everyone sees it."""

    channel: str
    privacy: str | None
    everyone: bool
    since: int
    count: int
    people: Mapping[str, str]


class Visibility:
    """The rules of visibility. `default` is "strict", or "open" if everything in a space is visible
    everywhere in it. `within`: the app names the visible channels, and the rules do not apply."""

    def __init__(self, default: str, within: frozenset[str] | None = None) -> None:
        self._default = default
        self._within = within

    def only(self, within: Sequence[str] | None) -> Visibility:
        """Restrict one question to these channels. None applies the rules."""
        return self if within is None else Visibility(self._default, frozenset(within))

    def in_transaction(self) -> Visibility:
        """Return the same rules for use in one transaction, which then reads nothing twice."""
        return _VisibilityInTransaction(self._default, self._within)

    async def audience(self, tx: Transaction, channel: str | None, seq: int | None = None) -> str:
        """Return the audience of a message in a channel, or of one that is said now: "" for
        everyone, or the channel's name for its people."""
        if not channel:
            return EVERYONE
        return (await self.audiences(tx, [channel])).of(channel, NOW if seq is None else seq)

    async def audiences(self, tx: Transaction, channels: Iterable[str]) -> Audiences:
        """Return the audience of each channel."""
        wanted = sorted(set(channels))
        if await self._everything_visible(tx):
            return Audiences(dict.fromkeys(wanted, EVERYONE), {})
        rows = await log_people.channel_members(tx, wanted, "")
        opened = {channel: _opened(rows, channel) for channel in wanted}
        whole = {channel: EVERYONE if opened[channel] == 1 else channel for channel in wanted}
        return Audiences(whole, {channel: since for channel, since in opened.items() if since > 1})

    async def visible(
        self, tx: Transaction, here: str | None, channels: Iterable[str], asker: str | None = None
    ) -> VisibleChannels:
        """Return those of the channels that are visible `here` to `asker` too. `here` None is the
        operator, who sees all. The channel "" is always visible."""
        named = frozenset(channels)
        wanted = {channel for channel in named if channel and channel != here}
        certain = named - wanted
        if self._within is not None:
            return VisibleChannels.of(certain | (wanted & self._within))
        if here is None or not wanted or await self._everything_visible(tx):
            return VisibleChannels.of(certain | wanted)
        rows = await self._members(tx, [*wanted, here], here, asker or "")
        present = asker is not None or (here in rows and rows[here]["people"] > 0)
        closed = present and not _opened(rows, here)
        whole = {channel for channel in wanted if _shows(rows, channel, closed=closed)}
        opened = {channel: _opened(rows, channel) for channel in wanted - whole}
        later = {channel: since for channel, since in opened.items() if since}
        return VisibleChannels.of(certain | whole, later)

    async def shown(
        self, tx: Transaction, after: str, limit: int, *, declared: bool
    ) -> list[Audience]:
        """Return who may see the channels after a name; with `declared`, only those whose privacy
        was set."""
        rows = await log.channel_page(tx, after, limit, declared=declared)
        if not rows:
            return []
        named = [row["channel"] for row in rows]
        counts = await log_people.channel_members(tx, named, "")
        audiences = await self.audiences(tx, named)
        members = await log_people.first_members(tx, named, _MOST_SHOWN)
        people = {person for each in members.values() for person in each}
        names = await log_people.names_of(tx, people)
        return [
            Audience(
                channel=row["channel"],
                privacy=row["privacy"] or None,
                everyone=audiences.of(row["channel"], NOW) == EVERYONE,
                since=audiences.opened.get(row["channel"], 1),
                count=counts[row["channel"]]["people"],
                people={person: names[person] for person in members[row["channel"]]},
            )
            for row in rows
        ]

    async def declare(
        self, tx: Transaction, channel: str, privacy: str, people: Sequence[str], now: datetime
    ) -> None:
        if privacy not in DECLARED:
            raise InvalidInput(f"A channel can't be {privacy!r}. Use one of {', '.join(DECLARED)}.")
        from erstwhile.log import append  # not needed to search

        await append.open_channel(tx, channel, now)
        await log.set_privacy(tx, channel, privacy)
        await events.emit(tx, "channel", "declared", channel, channel=channel)
        if people:
            await log_people.add_members(tx, channel, people)

    async def _members(
        self, tx: Transaction, channels: Sequence[str], here: str, asker: str
    ) -> dict[str, Row]:
        return await log_people.channel_members(tx, channels, here, asker)

    async def _everything_visible(self, tx: Transaction) -> bool:
        row = await tx.first(chosen.setting, name="privacy")
        return (row["value"] if row else self._default) == OPEN


class _VisibilityInTransaction(Visibility):
    def __init__(self, default: str, within: frozenset[str] | None) -> None:
        super().__init__(default, within)
        self._everything: bool | None = None
        self._known: dict[tuple[str, str], dict[str, Row | None]] = {}

    async def _members(
        self, tx: Transaction, channels: Sequence[str], here: str, asker: str
    ) -> dict[str, Row]:
        known = self._known.setdefault((here, asker), {})
        new = [channel for channel in channels if channel not in known]
        found = await super()._members(tx, new, here, asker)
        known |= {channel: found.get(channel) for channel in new}
        return {channel: row for channel in channels if (row := known[channel]) is not None}

    async def _everything_visible(self, tx: Transaction) -> bool:
        if self._everything is None:
            self._everything = await super()._everything_visible(tx)
        return self._everything


def _opened(rows: dict[str, Row], channel: str) -> int:
    """Return from which message on a channel is everyone's: 1 is all of it, 0 nothing."""
    row = rows.get(channel)
    if row is None:
        return 0
    return 1 if row["privacy"] == OPEN else row["opened"]


def _shows(rows: dict[str, Row], channel: str, *, closed: bool) -> bool:
    """Return whether all of a channel is visible."""
    row = rows.get(channel)
    if row is None:
        return False
    willing = row["early"] > 0 and row["unwilling"] == 0
    shared = closed and row["early"] > 0 and row["lacks"] == 0
    return willing or shared or _opened(rows, channel) == 1
