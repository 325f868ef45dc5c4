"""Channels, threads and direct conversations as places, and who can read them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import aiohttp
import discord

from erstwhile.bots.port import ChatPlace

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


def place_of(channel: discord.abc.GuildChannel | discord.Thread) -> ChatPlace:
    parent = str(channel.parent_id) if isinstance(channel, discord.Thread) else None
    named = space(channel.guild.id), str(channel.id), channel.name
    return ChatPlace(*named, open_to_all(channel), parent=parent)


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
        """Load all archived threads that the bot can read."""
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
