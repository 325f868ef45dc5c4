"""Visibility of channels: a memory from a private channel is not visible in another channel, unless
everyone there was in it or all its people share.

A channel is open, private or direct, as set. If nothing was set, it is open once two named people
have spoken in it, and private until then. Memories without a channel (from the app itself) are
visible to everyone in the space.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.events import store as events
from erstwhile.log import append
from erstwhile.log import people as log_people
from erstwhile.log import store as log
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

chosen = load(__package__)

OPEN: Final = "open"
DECLARED: Final = ("open", "private", "direct")
EVERYONE: Final = ""  # the audience of content that is visible to everyone in the space
_SEVERAL = 2
_MOST_SHOWN = 20  # people listed per channel


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may see a channel: `everyone` in the space, or its `people` (ids with names, the first of
    `count`). `privacy` is what was set."""

    channel: str
    privacy: str | None
    everyone: bool
    count: int
    people: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ChannelPage:
    """A page of channels after a name; with `declared`, only those whose privacy was set."""

    after: str
    limit: int
    declared: bool


class Visibility:
    """The rules of visibility. `default` is "strict", or "open" if everything in a space is visible
    everywhere in it. `within`: the app names the visible channels, and the rules do not apply."""

    def __init__(self, default: str, within: frozenset[str] | None = None) -> None:
        self._default = default
        self._within = within

    def only(self, within: Sequence[str] | None) -> Visibility:
        """Restrict one question to these channels. None applies the rules."""
        return self if within is None else Visibility(self._default, frozenset(within))

    async def audience(self, tx: Transaction, channel: str | None) -> str:
        """Return the audience of a channel: "" for everyone, or the channel's name for its
        people."""
        if not channel or await self._everything_visible(tx):
            return EVERYONE
        return EVERYONE if _open(await log_people.channel_members(tx, [channel], channel), channel) else channel

    async def audiences(self, tx: Transaction, channels: Iterable[str]) -> dict[str, str]:
        """Return the audience of each channel."""
        wanted = sorted(set(channels))
        if await self._everything_visible(tx):
            return dict.fromkeys(wanted, EVERYONE)
        rows = await log_people.channel_members(tx, wanted, "")
        return {channel: EVERYONE if _open(rows, channel) else channel for channel in wanted}

    async def visible(
        self, tx: Transaction, here: str | None, channels: Iterable[str], asker: str | None = None
    ) -> frozenset[str]:
        """Return those of the channels that are visible `here` to `asker` too. `here` None is the
        operator, who sees all. The channel "" is always visible."""
        named = frozenset(channels)
        wanted = {channel for channel in named if channel and channel != here}
        certain = named - wanted
        if self._within is not None:
            return certain | (wanted & self._within)
        if here is None or not wanted or await self._everything_visible(tx):
            return certain | wanted
        rows = await log_people.channel_members(tx, [*wanted, here], here, asker or "")
        present = asker is not None or (here in rows and rows[here]["people"] > 0)
        closed = present and not _open(rows, here)
        return certain | {channel for channel in wanted if _shows(rows, channel, closed=closed)}

    async def shown(self, tx: Transaction, page: ChannelPage) -> list[Audience]:
        rows = await log.channel_page(tx, page.after, page.limit, declared=page.declared)
        if not rows:
            return []
        named = [row["channel"] for row in rows]
        counts, audiences = await log_people.channel_members(tx, named, ""), await self.audiences(tx, named)
        members = await log_people.first_members(tx, named, _MOST_SHOWN)
        names = await log_people.names_of(tx, {person for each in members.values() for person in each})
        return [
            Audience(
                channel=row["channel"],
                privacy=row["privacy"] or None,
                everyone=audiences[row["channel"]] == EVERYONE,
                count=counts[row["channel"]]["people"],
                people={person: names[person] for person in members[row["channel"]]},
            )
            for row in rows
        ]

    async def declare(self, tx: Transaction, channel: str, privacy: str, people: Sequence[str], now: datetime) -> None:
        if privacy not in DECLARED:
            raise InvalidInput(f"A channel can't be {privacy!r}. Use one of {', '.join(DECLARED)}.")
        await append.open_channel(tx, channel, now)
        await log.set_privacy(tx, channel, privacy)
        await events.emit(tx, "channel", "declared", channel, channel=channel)
        if people:
            await log_people.add_members(tx, channel, people)

    async def _everything_visible(self, tx: Transaction) -> bool:
        row = await tx.first(chosen.setting, name="privacy")
        return (row["value"] if row else self._default) == OPEN


def _open(rows: dict[str, Row], channel: str) -> bool:
    row = rows.get(channel)
    if row is None:
        return False
    return row["privacy"] == OPEN or (not row["privacy"] and row["people"] >= _SEVERAL)


def _shows(rows: dict[str, Row], channel: str, *, closed: bool) -> bool:
    row = rows.get(channel)
    if row is None:
        return False
    willing = row["people"] > 0 and row["unwilling"] == 0
    return _open(rows, channel) or willing or (closed and row["people"] > 0 and row["lacks"] == 0)
