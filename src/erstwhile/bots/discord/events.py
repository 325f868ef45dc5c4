"""Places with their readers, and events of discord.py as those of the port, without waiting."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import aiohttp
import discord

from erstwhile.base.logs import Log
from erstwhile.bots import port

DIRECT = "discord:direct"
MessageChannel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel
Parent = discord.TextChannel | discord.ForumChannel
_FRESH_SECONDS = 20.0  # age up to which the roles that came with a message count as current
_MAX_MEMBERS = 2000
_QUERY_SECONDS = 10.0  # for the names of one page


def space(guild: int) -> str:
    return f"discord:{guild}"


def guild_of(place: str) -> int | None:
    number = place.removeprefix("discord:")
    return int(number) if place.startswith("discord:") and number.isdigit() else None


def place_of(channel: discord.abc.GuildChannel | discord.Thread) -> port.ChatPlace:
    parent = str(channel.parent_id) if isinstance(channel, discord.Thread) else None
    named = space(channel.guild.id), str(channel.id), channel.name
    return port.ChatPlace(*named, open_to_all(channel), parent=parent)


def open_to_all(channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    if isinstance(channel, discord.Thread):
        parent = channel.parent
        return parent is not None and not channel.is_private() and open_to_all(parent)
    rights = channel.permissions_for(channel.guild.default_role)
    return rights.view_channel and rights.read_message_history


def can_read(member: discord.Member, channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    """Return whether a member can read a channel; of a private thread, its channel."""
    around = channel.parent if isinstance(channel, discord.Thread) else channel
    if around is None:
        return False
    rights = around.permissions_for(member)
    return rights.view_channel and rights.read_message_history


def manages_threads(member: discord.Member, thread: discord.Thread) -> bool:
    return thread.parent is not None and thread.parent.permissions_for(member).manage_threads


def message_channels(guild: discord.Guild) -> Iterator[MessageChannel]:
    return (each for each in guild.channels if isinstance(each, MessageChannel))


class ThreadCache:
    """Archived threads, which discord.py forgets although their messages still exist."""

    def __init__(self) -> None:
        self._archived: dict[int, discord.Thread] = {}

    def put(self, thread: discord.Thread) -> None:
        if thread.archived:
            self._archived[thread.id] = thread
        else:
            self._archived.pop(thread.id, None)

    def remove(self, identity: int) -> None:
        self._archived.pop(identity, None)

    def in_guild(self, guild: discord.Guild) -> list[discord.Thread]:
        active = {each.id: each for each in guild.threads}
        archived = (each for each in self._archived.values() if each.guild.id == guild.id)
        return [*active.values(), *(each for each in archived if each.id not in active)]

    async def reload(self, guild: discord.Guild) -> None:
        found = [each async for each in _archived_in(guild)]
        for each in [each for each in self._archived.values() if each.guild.id == guild.id]:
            del self._archived[each.id]
        for thread in found:
            self._archived[thread.id] = thread


async def _archived_in(guild: discord.Guild) -> AsyncIterator[discord.Thread]:
    for channel in guild.channels:
        if not isinstance(channel, Parent) or not can_read(guild.me, channel):
            continue
        try:
            async for thread in channel.archived_threads(limit=None):
                yield thread
            if isinstance(channel, discord.TextChannel) and not channel.is_news():
                async for thread in channel.archived_threads(limit=None, private=True, joined=True):
                    yield thread
        except discord.Forbidden:
            continue


class MemberCache:
    """Roles and names of members, from their messages or else requested from Discord."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], tuple[float, discord.Member]] = {}
        self._names: dict[tuple[int, int], str] = {}
        self._session = 0

    def forget(self) -> None:
        """Clear everything: in a new session names may have changed."""
        self._session += 1
        self._seen.clear()
        self._names.clear()

    def update(self, member: discord.Member) -> None:
        if len(self._seen) > _MAX_MEMBERS:
            self._seen.clear()
        key = (member.guild.id, member.id)
        self._seen[key] = (time.monotonic(), member)
        self._names[key] = member.display_name

    async def get(self, guild: discord.Guild, person: int) -> discord.Member | None:
        at, member = self._seen.get((guild.id, person), (0.0, None))
        if member is not None and time.monotonic() - at < _FRESH_SECONDS:
            return member
        member = await self._fetch(guild, person)
        if member is not None:
            self.update(member)
        return member

    async def name(self, guild: discord.Guild, users: list[discord.abc.User]) -> None:
        """Request missing names: the history of a channel comes without them."""
        while unknown := {
            each.id: each for each in users if (guild.id, each.id) not in self._names
        }:
            found = await self._query(guild, sorted(unknown))
            # Former members have their global name.
            names = {each.id: each.display_name for each in (*unknown.values(), *found)}
            self._names.update({(guild.id, each): name for each, name in names.items()})

    async def _query(self, guild: discord.Guild, people: list[int]) -> list[discord.Member]:
        """Request members in one gateway message, or one by one if that fails."""
        session = self._session
        with suppress(TimeoutError, aiohttp.ClientError, OSError, RuntimeError):
            async with asyncio.timeout(_QUERY_SECONDS):
                found = await guild.query_members(user_ids=people, limit=100, cache=False)
            if session == self._session:  # a new session drops the request
                return found
        each = [await self._fetch(guild, person) for person in people]
        return [member for member in each if member is not None]

    async def _fetch(self, guild: discord.Guild, person: int) -> discord.Member | None:
        try:
            return await guild.fetch_member(person)
        except discord.NotFound:
            return None

    def name_of(self, guild: int | None, user: discord.abc.User) -> str:
        return self._names.get((guild, user.id), user.display_name) if guild else user.display_name


_PERSON = re.compile(r"<@!(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_CHANNEL = re.compile(r"<#(\d+)>")
_EMOJI = re.compile(r"<a?:(\w+):\d+>")
_COMMAND = re.compile(r"</([^:<>]+):\d+>")
# Types that people write. Discord writes the others, such as "Kim joined".
_PERSON_TYPES = frozenset({discord.MessageType.default, discord.MessageType.reply})


def message_text(message: discord.Message) -> str:
    lines = [readable(message.content, message.guild), *_files(message.attachments)]
    lines += [f"[sticker: {each.name}]" for each in message.stickers]
    if message.poll is not None:
        answers = " / ".join(each.text for each in message.poll.answers)
        lines.append(f"[poll: {message.poll.question}: {answers}]")
    for snapshot in message.message_snapshots:
        forwarded = [readable(snapshot.content, message.guild), *_files(snapshot.attachments)]
        lines.append("[forwarded] " + "\n".join(filter(None, forwarded)) if any(forwarded) else "")
    if not any(lines):  # use a link preview only when there is nothing else
        lines += [f"[embed: {each.title}]" for each in message.embeds if each.title]
    return "\n".join(filter(None, lines))


def readable(text: str, guild: discord.Guild | None) -> str:
    """Replace ids by current names for roles, channels, commands and emoji. People stay `<@id>`,
    because their names change."""
    text = _PERSON.sub(r"<@\1>", text)
    text = _ROLE.sub(lambda found: "@" + _name(found, guild.get_role if guild else None), text)
    text = _CHANNEL.sub(
        lambda found: "#" + _name(found, guild.get_channel_or_thread if guild else None), text
    )
    return _EMOJI.sub(r":\1:", _COMMAND.sub(r"/\1", text))


def _name(found: re.Match[str], get: Callable[[int], Any] | None) -> str:
    named = get(int(found[1])) if get else None
    return str(named.name) if named else found[1]


def _files(attachments: Sequence[discord.Attachment]) -> Iterator[str]:
    return (f"[file: {each.filename}]" for each in attachments)


def is_by_person(message: discord.Message) -> bool:
    return not message.author.bot and message.webhook_id is None and message.type in _PERSON_TYPES


log = Log(__name__)


def key_of(message: int) -> str:
    return f"discord:{message}"


class DiscordEvents:
    """`places`: every place as last seen. `ready` and `lost`: the servers are known, or not."""

    def __init__(
        self, handle: port.EventHandler, ready: Callable[[], None], lost: Callable[[], None]
    ) -> None:
        self.handle, self._ready, self._lost, self._settled = handle, ready, lost, False
        self.me: int = 0
        self.places: dict[str, port.ChatPlace] = {}
        self.threads = ThreadCache()
        self.members = MemberCache()

    def on_event(self, event: str, *args: Any) -> None:
        """Handle an event of discord.py; events without a method here are ignored."""
        method = getattr(self, f"on_{event}", None)
        if method is not None:
            method(*args)

    # Connection

    def on_connect(self) -> None:
        """Report a gap: Discord repeats nothing in a new session."""
        self._settled = False
        self.members.forget()
        self._lost()
        self.handle(port.Gap())

    def on_ready(self) -> None:
        self._settled = True
        log.info("discord.connected")
        self._ready()

    def on_resumed(self) -> None:
        log.info("discord.resumed")

    def on_guild_available(self, _guild: discord.Guild) -> None:
        if self._settled:  # the server was away while we were connected
            self.handle(port.Gap())

    on_guild_join = on_guild_available

    # Messages

    def on_message(self, message: discord.Message) -> None:
        if isinstance(message.author, discord.Member):
            self.members.update(message.author)
        place = self._place_of_message(message)
        self.handle(self.to_post(place, message, message.author.display_name))

    def to_post(self, place: port.ChatPlace, message: discord.Message, name: str) -> port.Post:
        """Read a post. It addresses the bot if it replies to it, or mentions it by name or role;
        @everyone does not count."""
        replied = message.reference.resolved if message.reference else None
        ours = isinstance(replied, discord.Message) and replied.author.id == self.me
        tags = (role.tags for role in message.role_mentions)
        roles = any(each is not None and each.bot_id == self.me for each in tags)
        named = any(each.id == self.me for each in message.mentions)
        return port.Post(
            place=place,
            key=key_of(message.id),
            person=str(message.author.id),
            name=name,
            text=message_text(message),
            at=message.created_at,
            bot=not is_by_person(message),
            addressed=place.direct or ours or roles or named,
            answers=message_text(replied) if isinstance(replied, discord.Message) and ours else "",
        )

    def on_raw_message_edit(self, edit: discord.RawMessageUpdateEvent) -> None:
        message = edit.message
        if is_by_person(message):
            place = self._place_of_message(message)
            self.handle(port.Edit(place, key_of(message.id), message_text(message)))

    def on_raw_message_delete(self, deleted: discord.RawMessageDeleteEvent) -> None:
        place = self.last_known(deleted.channel_id, deleted.guild_id)
        self.handle(port.Deletion(place, (key_of(deleted.message_id),)))

    def on_raw_bulk_message_delete(self, deleted: discord.RawBulkMessageDeleteEvent) -> None:
        keys = tuple(key_of(each) for each in sorted(deleted.message_ids))
        self.handle(port.Deletion(self.last_known(deleted.channel_id, deleted.guild_id), keys))

    # Places

    def _place_of_message(self, message: discord.Message) -> port.ChatPlace:
        channel = message.channel
        if isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return self.remember(place_of(channel))
        if message.guild is None:
            return self.direct(channel.id, message.author)
        return self.last_known(channel.id, message.guild.id)

    def direct(self, channel: int, other: discord.abc.User) -> port.ChatPlace:
        before = self.places.get(str(channel))
        if other.id == self.me and before is not None:
            return before
        title = "" if other.id == self.me else other.display_name
        return self.remember(port.ChatPlace(DIRECT, str(channel), title, open=False, direct=True))

    def last_known(self, channel: int, guild: int | None) -> port.ChatPlace:
        """Return a place as last seen. An unknown one counts as private."""
        before = self.places.get(str(channel))
        if before is not None:
            return before
        of = space(guild) if guild else DIRECT
        return port.ChatPlace(of, str(channel), "", open=False, direct=guild is None)

    def remember(self, place: port.ChatPlace) -> port.ChatPlace:
        self.places[place.channel] = place
        return place

    def _changed(self, channel: discord.abc.GuildChannel | discord.Thread) -> None:
        place = place_of(channel)
        if self.places.get(place.channel) != place:
            self.handle(port.PlaceChange(self.remember(place)))

    def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        if isinstance(channel, discord.TextChannel | discord.VoiceChannel | discord.StageChannel):
            self._changed(channel)

    def on_guild_channel_update(
        self, _before: discord.abc.GuildChannel, after: discord.abc.GuildChannel
    ) -> None:
        """Update a channel and its threads, which have the same readers."""
        self.on_guild_channel_create(after)
        for thread in self.threads.in_guild(after.guild):
            if thread.parent_id == after.id:
                self._changed(thread)

    def on_guild_role_update(self, _before: discord.Role, after: discord.Role) -> None:
        if not after.is_default():
            return
        for channel in (*message_channels(after.guild), *self.threads.in_guild(after.guild)):
            self._changed(channel)

    def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Report a channel and all its threads; discord.py names only active ones."""
        below = [each for each in self.places.values() if each.parent == str(channel.id)]
        for place in (*below, self.last_known(channel.id, channel.guild.id)):
            self.deleted(place)

    def on_raw_thread_delete(self, deleted: discord.RawThreadDeleteEvent) -> None:
        if str(deleted.thread_id) in self.places or deleted.thread is None:
            self.deleted(self.last_known(deleted.thread_id, deleted.guild_id))

    def deleted(self, place: port.ChatPlace) -> None:
        self.threads.remove(int(place.channel))
        self.places.pop(place.channel, None)
        self.handle(port.PlaceDeletion(place))

    def on_thread_create(self, thread: discord.Thread) -> None:
        self.threads.put(thread)
        self._changed(thread)

    on_thread_join = on_thread_create

    def on_thread_update(self, _before: discord.Thread, after: discord.Thread) -> None:
        self.on_thread_create(after)
