"""The contract of a chat platform, and the events it reports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import Protocol

from erstwhile.base.records import dataclass


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """A channel, a thread or a direct conversation; `channel` is its id on the platform. `open`:
    everyone in the space can read it. `parent`: the channel of a thread."""

    space: str
    channel: str
    title: str
    open: bool
    direct: bool = False
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Post:
    """A message on the platform. `key` never changes (`discord:1187…`); `text` has mentions as
    `<@id>`. `bot`: no person wrote it. `addressed`: it mentions the bot, replies to it, or was sent
    to it alone. `answers`: the bot's text that it replies to."""

    place: ChatPlace
    key: str
    person: str
    name: str
    text: str
    at: datetime
    bot: bool = False
    addressed: bool = False
    answers: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A message has a new text."""

    place: ChatPlace
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Deletion:
    """Messages were deleted."""

    place: ChatPlace
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlaceChange:
    """A place has a new title or new readers."""

    place: ChatPlace


@dataclass(frozen=True, slots=True)
class PlaceDeletion:
    """A place was deleted with its messages."""

    place: ChatPlace


@dataclass(frozen=True, slots=True)
class Gap:
    """The connection was lost for longer than the platform repeats events. Missed posts, edits and
    deletions have to be read from the history."""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """`verb` is remember, forget, about, what-do-you-know, forget-me, privacy or memory; `words`
    follow it; `whom` is a person it names. `manages`: the asker may decide for the channel.
    `answer` replies to the asker alone. `at`: when it was said, where it may arrive later."""

    place: ChatPlace
    person: str
    name: str
    verb: str
    words: str
    whom: str | None
    manages: bool
    answer: Callable[[str], Awaitable[None]]
    at: datetime | None = None


QueueEvent = Post | Edit | Deletion | PlaceChange | PlaceDeletion  # of one place, in order
PlatformEvent = QueueEvent | Gap | SlashCommand

# Accepts an event without waiting, in the order in which events happened.
EventHandler = Callable[[PlatformEvent], None]


# What people may ask of the bot, on every platform.
VERBS = ("remember", "forget", "about", "what-do-you-know", "forget-me", "privacy", "memory")


@asynccontextmanager
async def repeated(show: Callable[[], Awaitable[None]], seconds: float) -> AsyncIterator[None]:
    """Show again and again that something is under way, beside what is done inside."""

    async def showing() -> None:
        while True:
            await show()
            await asyncio.sleep(seconds)

    task = asyncio.create_task(showing())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _at_once() -> None:
    """Wait for nothing: the platform runs without a bot."""


class Platform(Protocol):
    """`name` begins keys and spaces; `max_length` is in characters per message; `me` is the bot's
    id in mentions, "" until known.

    `has_history`: messages can be read later. Without it, what the bot has not received is lost, so
    a platform confirms events only after `stored`, which the bot sets: it returns when everything
    that was reported is on disk.

    Adapters derive from this class and may leave out `me`, `key_at` and `unlisted`.
    """

    name: str
    max_length: int
    has_history: bool = True
    stored: Callable[[], Awaitable[None]] = staticmethod(_at_once)

    @property
    def me(self) -> str:
        return ""

    async def run(self, handle: EventHandler) -> None:
        """Connect and report events until cancelled. Reconnect after failures.

        Report a `Gap` first, and after each interruption that the platform does not fill. Raise
        errors that a retry cannot fix, such as a wrong token.
        """

    async def places(self) -> list[ChatPlace]:
        """Return every place that the bot can read now."""

    def history(self, place: ChatPlace, after: str) -> AsyncIterator[list[Post]]:
        """Yield pages of current messages after this key, oldest first; "" starts at the beginning.
        Raise `UnreadablePlace` where the bot may not read."""

    async def send(self, place: ChatPlace, text: str, reply_to: str) -> None:
        """Post a text of at most `max_length` characters, as a reply to this key."""

    async def send_private(self, place: ChatPlace, person: str, text: str) -> bool:
        """Send a text to one person alone. Return False if that is not possible."""

    def typing(self, place: ChatPlace) -> AbstractAsyncContextManager[None]:
        """Show that an answer is being written."""

    async def readable(self, space: str, person: str) -> frozenset[str]:
        """Return the channels of the space that this person can read now."""

    def key_order(self, key: str) -> int | None:
        """Return a number that orders keys, or None for a key of another platform."""

    def key_at(self, place: ChatPlace, at: datetime) -> str:  # noqa: ARG002
        """Return the key that a message at this time would have, whether or not one exists. Return
        "" if keys do not tell the time: then history is read from the start."""
        return ""

    def unlisted(self, space: str, channel: str) -> ChatPlace | None:  # noqa: ARG002
        """Return a place with stored content that `places` did not list, if anything is known about
        it: a thread with no messages left, or a channel the bot can no longer read."""
        return None


class UnreadablePlace(Exception):
    """The bot may not read this place."""
