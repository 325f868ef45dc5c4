"""A month of a server, through the real discord.py, with a line that breaks again and again: the store ends as the server stands."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from guild_month import Month, State
from listening import HURRY

import erstwhile
from erstwhile.bots.discord import DiscordPlatform
from erstwhile.bots.port import ChatPlace, Post, UnreadablePlace
from support.discord import DiscordServer
from support.guild import Guild

SOAK = bool(os.environ.get("ERSTWHILE_SOAK"))


def differences(wanted: State, found: State) -> list[str]:
    lines = []
    for channel in sorted(wanted.keys() | found.keys()):
        here, there = wanted.get(channel, []), found.get(channel, [])
        lines += [f"{channel} lacks {each}" for each in here if each not in there]
        lines += [f"{channel} has {each}" for each in there if each not in here]
        if sorted(here) == sorted(there) and here != there:
            lines.append(f"{channel} is in another order")
    return lines


async def lived(month: Month) -> list[str]:
    await month.live()
    async with erstwhile.open(month.url, worker=False) as memory:
        return differences(month.standing(), await month.stored(memory))


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_a_month_of_a_server_ends_as_the_server_stands(database_url: str) -> None:
    guild = Guild() if SOAK else Guild(people=12, messages_a_day=25, channels=4)
    async with DiscordServer() as discord:
        month = Month(discord, database_url, guild, days=30, reconnects=100 if SOAK else 12, restarts=10 if SOAK else 2)
        assert await lived(month) == []
        assert discord.gateway.resumed >= 3
        assert discord.gateway.identified >= 5
        assert {"edit", "delete", "bulk delete", "rename", "archive"} <= month.done.keys()
        assert discord.limits.early == 0
        async with erstwhile.open(database_url, worker=False) as memory:
            page = await memory.people.list(space=month.space, limit=100)
            names = {each.person: each.name for each in page}
            nicks = {who: discord.world.members[who]["nick"] for who in names}
            assert all(names[who] == nick for who, nick in nicks.items() if nick and nick.endswith("th"))


class Forgetful(DiscordPlatform):
    """One that never looks anything up."""

    async def history(self, place: ChatPlace, after: str) -> AsyncIterator[list[Post]]:
        for page in ():
            yield page


class Blind(DiscordPlatform):
    """One that can look nothing up."""

    async def history(self, place: ChatPlace, after: str) -> AsyncIterator[list[Post]]:
        for page in ():
            yield page
        raise UnreadablePlace(place.channel)


async def test_what_happens_is_followed_as_it_happens_without_looking_anything_up(tmp_path: Path) -> None:
    guild = Guild(people=6, messages_a_day=60, channels=2)
    async with DiscordServer() as discord:
        month = Month(discord, str(tmp_path / "blind.db"), guild, days=12, reconnects=0)
        month.platform = lambda token, api: Blind(token, api, timing=HURRY)
        assert await lived(month) == []
        assert {"edit", "delete", "bulk delete"} <= month.done.keys()
        assert not discord.rest.asked["GET /channels/{channel}/messages"]


async def test_without_looking_up_what_was_missed_it_would_not(tmp_path: Path) -> None:
    """The control: the comparison sees what is missing."""
    guild = Guild(people=6, messages_a_day=20, channels=2)
    async with DiscordServer() as discord:
        month = Month(discord, str(tmp_path / "forgetful.db"), guild, days=5, reconnects=5, patience=10)
        month.platform = lambda token, api: Forgetful(token, api, timing=HURRY)
        assert any(" lacks " in line for line in await lived(month))
