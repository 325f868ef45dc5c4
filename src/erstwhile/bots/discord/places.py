"""Channels, threads and direct conversations as places, and who can read them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import aiohttp
import discord

from erstwhile.bots.port import Place

DIRECT = "discord:direct"
Speaking = discord.TextChannel | discord.VoiceChannel | discord.StageChannel
Parent = discord.TextChannel | discord.ForumChannel
_FRESH = 20.0  # seconds for which the roles that came with a message are taken as those of now
_REMEMBERED = 2000
_PATIENCE = 10.0  # seconds for the names of a page


def space(guild: int) -> str:
    return f"discord:{guild}"


def guild_of(place: str) -> int | None:
    number = place.removeprefix("discord:")
    return int(number) if place.startswith("discord:") and number.isdigit() else None


def place_of(channel: discord.abc.GuildChannel | discord.Thread) -> Place:
    parent = str(channel.parent_id) if isinstance(channel, discord.Thread) else None
    return Place(space(channel.guild.id), str(channel.id), channel.name, open_to_all(channel), parent=parent)


def open_to_all(channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    if isinstance(channel, discord.Thread):
        parent = channel.parent
        return parent is not None and not channel.is_private() and open_to_all(parent)
    rights = channel.permissions_for(channel.guild.default_role)
    return rights.view_channel and rights.read_message_history


def reads(member: discord.Member, channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    """For a private thread only whether the channel that it is in can be read."""
    around = channel.parent if isinstance(channel, discord.Thread) else channel
    if around is None:
        return False
    rights = around.permissions_for(member)
    return rights.view_channel and rights.read_message_history


def manages_threads(member: discord.Member, thread: discord.Thread) -> bool:
    return thread.parent is not None and thread.parent.permissions_for(member).manage_threads


def speaking(guild: discord.Guild) -> Iterator[Speaking]:
    return (each for each in guild.channels if isinstance(each, Speaking))


class Threads:
    """discord.py forgets a thread when it is archived; its messages stand nevertheless."""

    def __init__(self) -> None:
        self._archived: dict[int, discord.Thread] = {}

    def put(self, thread: discord.Thread) -> None:
        if thread.archived:
            self._archived[thread.id] = thread
        else:
            self._archived.pop(thread.id, None)

    def get(self, identity: int) -> discord.Thread | None:
        return self._archived.get(identity)

    def drop(self, identity: int) -> None:
        self._archived.pop(identity, None)

    def of(self, guild: discord.Guild) -> list[discord.Thread]:
        active = {each.id: each for each in guild.threads}
        kept = [each for each in self._archived.values() if each.guild.id == guild.id and each.id not in active]
        return [*active.values(), *kept]

    async def look_up(self, guild: discord.Guild) -> None:
        """Takes in all archived threads that the bot can read, and drops those that are gone."""
        found = [each async for each in _archived_in(guild)]
        for each in [each for each in self._archived.values() if each.guild.id == guild.id]:
            del self._archived[each.id]
        for thread in found:
            self._archived[thread.id] = thread


async def _archived_in(guild: discord.Guild) -> AsyncIterator[discord.Thread]:
    for channel in guild.channels:
        if not isinstance(channel, Parent) or not reads(guild.me, channel):
            continue
        try:
            async for thread in channel.archived_threads(limit=None):
                yield thread
            if isinstance(channel, discord.TextChannel) and not channel.is_news():
                async for thread in channel.archived_threads(limit=None, private=True, joined=True):
                    yield thread
        except discord.Forbidden:
            continue


class Members:
    """Who has which roles and goes by which name. Messages tell it of who wrote them; of others Discord is asked."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], tuple[float, discord.Member]] = {}
        self._names: dict[tuple[int, int], str] = {}
        self._session = 0

    def forget(self) -> None:
        """There is a new session: names may have changed meanwhile."""
        self._session += 1
        self._seen.clear()
        self._names.clear()

    def saw(self, member: discord.Member) -> None:
        if len(self._seen) > _REMEMBERED:
            self._seen.clear()
        key = (member.guild.id, member.id)
        self._seen[key] = (time.monotonic(), member)
        self._names[key] = member.display_name

    async def get(self, guild: discord.Guild, person: int) -> discord.Member | None:
        at, member = self._seen.get((guild.id, person), (0.0, None))
        if member is not None and time.monotonic() - at < _FRESH:
            return member
        member = await self._fetched(guild, person)
        if member is not None:
            self.saw(member)
        return member

    async def name(self, guild: discord.Guild, users: list[discord.abc.User]) -> None:
        """Asks for the names of those that aren't known yet: the history of a channel comes without them."""
        while unknown := {each.id: each for each in users if (guild.id, each.id) not in self._names}:
            found = await self._asked_for(guild, sorted(unknown))
            # Who is no member any more goes by the name that everyone has.
            names = {each.id: each.display_name for each in (*unknown.values(), *found)}
            self._names.update({(guild.id, each): name for each, name in names.items()})

    async def _asked_for(self, guild: discord.Guild, people: list[int]) -> list[discord.Member]:
        """All at once over the connection, which takes one message; one by one where that breaks meanwhile."""
        session = self._session
        with suppress(TimeoutError, aiohttp.ClientError, OSError, RuntimeError):
            async with asyncio.timeout(_PATIENCE):
                found = await guild.query_members(user_ids=people, limit=100, cache=False)
            if session == self._session:  # a new one leaves what was asked without an answer, which looks like "none"
                return found
        each = [await self._fetched(guild, person) for person in people]
        return [member for member in each if member is not None]

    async def _fetched(self, guild: discord.Guild, person: int) -> discord.Member | None:
        try:
            return await guild.fetch_member(person)
        except discord.NotFound:
            return None

    def name_of(self, guild: int | None, user: discord.abc.User) -> str:
        return self._names.get((guild, user.id), user.display_name) if guild else user.display_name
