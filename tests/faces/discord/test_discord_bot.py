"""The bot on Discord: an unmodified discord.py on a Discord on loopback, a real memory, and a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from listening import HURRY, until

import erstwhile
from erstwhile.bots.bot import Bot
from erstwhile.bots.discord import DiscordPlatform
from erstwhile.testing import Call, ModelServer
from erstwhile.testing.answers import sensible
from support.discord import DiscordServer

ANSWER = "It was said to be on Friday."


def script(call: Call) -> str:
    return ANSWER if "You answer in a group chat" in call.system else sensible(call)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(script) as server:
        yield server


@dataclass
class Living:
    discord: DiscordServer
    memory: erstwhile.Memory
    model: ModelServer

    @property
    def space(self) -> str:
        return f"discord:{self.discord.world.guild}"

    async def texts(self, channel: str, space: str | None = None) -> list[str]:
        return [each.text async for each in self.memory.channel(channel, space or self.space).messages()]

    async def keeps(self, channel: str, texts: list[str], space: str | None = None) -> None:
        """Waits until the channel is stored so."""
        found: list[str] = []
        for _ in range(1000):
            found = await self.texts(channel, space)
            if found == texts:
                return
            await asyncio.sleep(0.02)
        assert found == texts

    async def told(self, channel: str, *path: str, by: str, **options: str) -> str:
        answer = await self.discord.answer(self.discord.command(channel, by, *path, **options))
        assert answer.only_for_them
        return answer.text

    async def said(self, channel: str, number: int) -> dict[str, Any]:
        await until(lambda: len(self.discord.said_by_bot(channel)) >= number)
        return self.discord.said_by_bot(channel)[number - 1]

    def asked(self) -> list[str]:
        return [call.prompt for call in self.model.calls if "You answer in a group chat" in call.system]


@asynccontextmanager
async def living(
    url: str, model: ModelServer, furnish: Callable[[DiscordServer], None] | None = None
) -> AsyncIterator[Living]:
    settings = {"model": "openai-compatible:scripted", "base_url": model.base_url, "api_key": "test-key"}
    async with DiscordServer() as discord, erstwhile.open(url, worker=False, **settings) as memory:  # type: ignore[arg-type]
        if furnish is not None:
            furnish(discord)
        running = asyncio.create_task(Bot(memory, DiscordPlatform(discord.token, discord.api, timing=HURRY)).run())
        try:
            await until(lambda: discord.gateway.connected() and discord.rest.commands)
            yield Living(discord, memory, model)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def test_a_channel_that_opted_in_is_kept_as_it_stands(database_url: str, model: ModelServer) -> None:
    async with living(database_url, model) as here:
        discord = here.discord
        kim, mod, helper = discord.person("Kim"), discord.person("Mo"), discord.person("Helper", bot=True)
        discord.managing(mod)
        general, other = discord.channel("general"), discord.channel("other")
        discord.post(general, kim, "nobody listens yet")
        assert "those who manage" in await here.told(general, "memory", "on", by=kim)
        assert "I listen here" in await here.told(general, "memory", "on", by=mod)
        first = discord.post(general, kim, "the party is on Friday")
        second = discord.post(general, kim, "and I bring cake")
        third = discord.post(general, kim, "or rather pie")
        fourth = discord.post(general, kim, "no, soup")
        discord.post(general, helper, "beep")
        discord.post(other, kim, "nobody listens here")
        thread = discord.create_thread(general, "the list", kim)
        discord.post(thread, kim, "plates, cups")
        discord.edit(general, first, "the party is on Saturday")
        discord.delete(general, second)
        discord.bulk_delete(general, [third, fourth])
        await here.keeps(thread, ["plates, cups"])
        await here.keeps(general, ["the party is on Saturday"])
        assert await here.texts(other) == []
        message = await anext(aiter(here.memory.channel(general, here.space).messages()))
        assert (message.key, message.person, message.meta["source"]) == (f"discord:{first}", kim, "discord")
        assert "no longer" in await here.told(general, "memory", "off", by=mod)
        discord.post(general, kim, "nobody listens any more")
        discord.edit(general, first, "the party is off")
        await here.keeps(general, ["the party is off"])


async def test_it_answers_those_who_mention_it_and_nobody_else(database_url: str, model: ModelServer) -> None:
    async with living(database_url, model) as here:
        discord = here.discord
        kim, helper, general = discord.person("Kim"), discord.person("Helper", bot=True), discord.channel("general")
        discord.managing(kim)
        await here.told(general, "memory", "on", by=kim)
        discord.post(general, kim, "the party is on Friday @everyone")
        discord.post(general, helper, f"<@{discord.bot}> when is the party?")
        question = discord.post(general, kim, f"<@{discord.bot}> when is the party?")
        answer = await here.said(general, 1)
        assert answer["content"] == ANSWER
        assert answer["message_reference"]["message_id"] == question
        assert answer["allowed_mentions"]["parse"] == []
        assert discord.rest.typed
        assert "the party is on Friday" in here.asked()[0]
        discord.post(general, kim, "are you sure?", reply_to=answer["id"])
        await here.said(general, 2)
        assert ANSWER in here.asked()[1]
        assert len(here.asked()) == 2, "the other bot was answered"
        discord.post(general, kim, f"<@{discord.bot}> remember that I am allergic to nuts")
        assert (await here.said(general, 3))["content"] == "Noted."
        assert "nuts" in await here.told(general, "what-do-you-know", by=kim)
        why = await here.told(general, "memory", "explain", by=kim)
        assert "are you sure?" in why
        assert ANSWER not in await here.texts(general), "what it said itself stays out"


async def test_what_was_said_in_private_is_told_nowhere_else(database_url: str, model: ModelServer) -> None:
    async with living(database_url, model) as here:
        discord = here.discord
        team = discord.world.role("team")
        kim, ben = discord.person("Kim", roles=[team]), discord.person("Ben")
        general, office = discord.channel("general"), discord.channel("office", only=[team])
        lounge = discord.channel("lounge", only=[ben])
        discord.managing(kim)
        discord.managing(ben)
        for channel, who in ((general, kim), (office, kim), (lounge, ben)):
            assert "I listen here" in await here.told(channel, "memory", "on", by=who)
        discord.post(office, kim, "the surprise for the party is canary4711")
        discord.post(general, kim, "the party is a party")
        await here.keeps(office, ["the surprise for the party is canary4711"])
        await here.keeps(general, ["the party is a party"])
        for channel, who in ((general, ben), (lounge, ben), (general, kim)):
            before = len(discord.said_by_bot(channel))
            discord.post(channel, who, f"<@{discord.bot}> what is the surprise for the party?")
            await here.said(channel, before + 1)
        assert len(here.asked()) == 3
        assert not any("canary4711" in prompt for prompt in here.asked())
        assert "canary4711" not in await here.told(general, "about", by=ben, who=kim)
        discord.post(office, kim, f"<@{discord.bot}> what is the surprise for the party?")
        await here.said(office, 1)
        assert "canary4711" in here.asked()[-1], "where it was said, it is known"


async def test_people_decide_about_themselves(database_url: str, model: ModelServer) -> None:
    async with living(database_url, model) as here:
        discord = here.discord
        kim, ben, general = discord.person("Kim"), discord.person("Ben"), discord.channel("general")
        discord.managing(ben)
        await here.told(general, "memory", "on", by=ben)
        discord.post(general, kim, "I live in Lisbon")
        discord.post(general, ben, "so do I")
        await here.keeps(general, ["I live in Lisbon", "so do I"])
        assert "I keep 1 of your messages" in await here.told(general, "what-do-you-know", by=kim)
        assert "/forget-me" in await here.told(general, "privacy", by=kim)
        await here.told(general, "privacy", by=kim, choice="stop")
        discord.post(general, kim, "not for the record")
        discord.post(general, ben, "sure")
        await here.keeps(general, ["I live in Lisbon", "so do I", "sure"])
        await here.told(general, "privacy", by=kim, choice="start")
        assert "can't be undone" in await here.told(general, "forget-me", by=kim)
        assert "Erased" in await here.told(general, "forget-me", by=kim, confirm="yes")
        await here.keeps(general, ["so do I", "sure"])
        await discord.drop(resumable=False)
        discord.post(general, ben, "still here")
        await here.keeps(general, ["so do I", "sure", "still here"])
        asked = discord.direct(kim, "hello you")
        direct = next(channel for channel, messages in discord.world.messages.items() if asked in messages)
        assert (await here.said(direct, 1))["content"] == ANSWER
        await here.keeps(direct, ["hello you"], "discord:direct")


async def test_what_was_missed_is_made_up_for(database_url: str, model: ModelServer) -> None:
    async with living(database_url, model) as here:
        discord = here.discord
        kim, general = discord.person("Kim"), discord.channel("general")
        discord.managing(kim)
        await here.told(general, "memory", "on", by=kim)
        one, two = discord.post(general, kim, "one"), discord.post(general, kim, "two")
        await here.keeps(general, ["one", "two"])
        await asyncio.sleep(0.3)  # whatever was to be looked up is
        reads = discord.rest.asked["GET /channels/{channel}/messages"]
        await discord.drop()
        discord.post(general, kim, "three")
        await here.keeps(general, ["one", "two", "three"])
        assert discord.rest.asked["GET /channels/{channel}/messages"] == reads, (
            "Discord repeated it, nothing was looked up"
        )
        discord.limits.refuse(2, 0.2, path="/messages")
        await discord.drop(resumable=False)
        discord.edit(general, one, "one, changed")
        discord.delete(general, two)
        thread = discord.create_thread(general, "aside", kim)
        discord.post(thread, kim, "in a thread that nobody told of")
        discord.post(general, kim, "four")
        await here.keeps(general, ["one, changed", "three", "four"])
        await here.keeps(thread, ["in a thread that nobody told of"])
        assert discord.limits.refused == 2
        assert discord.limits.early == 0
