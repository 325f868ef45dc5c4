"""What a chat platform promises, and what it hands over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Place:
    """A channel, a thread or a direct conversation; `channel` is the platform's own id of it. `open`: everyone in the space can read it.
    `parent`: the channel a thread belongs to."""

    space: str
    channel: str
    title: str
    open: bool
    direct: bool = False
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A message. `key` names it for good (`discord:1187…`); `text` has mentions of people as `<@id>`. `bot`: no person wrote it.
    `addressed`: it mentions us, answers us, or was said to us alone; `answers`: our own words that it replies to."""

    place: Place
    key: str
    person: str
    name: str
    text: str
    at: datetime
    bot: bool = False
    addressed: bool = False
    answers: str = ""


@dataclass(frozen=True, slots=True)
class Revised:
    """A message has other words now."""

    place: Place
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Retracted:
    """Messages are gone."""

    place: Place
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """A place has another title, or others can read it now."""

    place: Place


@dataclass(frozen=True, slots=True)
class Gone:
    """A place is gone, with all that was said there."""

    place: Place


@dataclass(frozen=True, slots=True)
class Missed:
    """The connection was away longer than the platform repeats: whatever was said, edited and deleted meanwhile has to be looked up."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A slash command: `verb` is remember, forget, about, what-do-you-know, forget-me, privacy or memory; `words` what follows it; `whom` a
    person it names. `manages`: the asker may decide about the channel. What `answer` is given, only the asker sees."""

    place: Place
    person: str
    name: str
    verb: str
    words: str
    whom: str | None
    manages: bool
    answer: Callable[[str], Awaitable[None]]


Event = Said | Revised | Retracted | Moved | Gone | Missed | Asked

# Takes an event in at once, without waiting: the order of the calls is the order in which it happened.
Hear = Callable[[Event], None]


class Platform(Protocol):
    """`name` begins the keys and the spaces; `longest`: characters of one message; `me`: our own id, by which we are mentioned, "" until it
    is known. An adapter that derives from this has what need not be there: `me`, `key_at` and `unlisted`."""

    name: str
    longest: int

    @property
    def me(self) -> str:
        return ""

    async def run(self, hear: Hear) -> None:
        """Connects, and hands over what happens until it is cancelled. Reconnects by itself; `Missed` comes first, and after each gap that
        the platform can't fill. Raises where trying again is no use, such as a wrong token."""

    async def places(self) -> list[Place]:
        """All that the bot can read now."""

    def history(self, place: Place, after: str) -> AsyncIterator[list[Said]]:
        """Pages of what stands there now, oldest first, from the one after the message with this key; "" is from the beginning. `name` and
        `text` as they are now. Raises `Unreadable` where the bot may not read."""

    async def say(self, place: Place, text: str, reply_to: str) -> None:
        """For all in the place, no more than `longest`; `reply_to` is the key of a message there."""

    async def whisper(self, place: Place, person: str, text: str) -> bool:
        """For one person alone; false if there is no way to do so."""

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Shows that an answer is being written."""

    async def readable(self, space: str, person: str) -> frozenset[str]:
        """The channels of the space that this person can read now."""

    def place_in_time(self, key: str) -> int | None:
        """By which keys are put in order; None for one of another platform."""

    def key_at(self, place: Place, at: datetime) -> str:  # noqa: ARG002
        """The key that a message of this moment would have there; none need exist. Where keys don't tell the time, "": then the way to a
        moment is through all that came before."""
        return ""

    def unlisted(self, space: str, channel: str) -> Place | None:  # noqa: ARG002
        """A place of which something is stored and that `places` did not name, if more is known of it: a thread in which everything was
        deleted, a channel that is closed to us now."""
        return None


class Unreadable(Exception):
    """The bot may not read there (any longer)."""
