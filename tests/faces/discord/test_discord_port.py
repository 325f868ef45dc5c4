"""The Discord side of the port, with an unmodified discord.py and a Discord on loopback."""

from __future__ import annotations

import asyncio
import logging

import pytest
from listening import Heard, connected, until

from erstwhile.base.errors import AuthenticationError, PermissionDenied
from erstwhile.bots.discord import ConnectionTiming, DiscordPlatform
from erstwhile.bots.port import (
    ChatPlace,
    Deletion,
    Edit,
    Gap,
    PlaceChange,
    PlaceDeletion,
    Post,
    SlashCommand,
    UnreadablePlace,
)
from support.discord import DiscordServer
from support.discord_gateway import CONTENT


async def test_what_happens_in_a_server_is_heard_in_order() -> None:
    async with DiscordServer() as discord:
        general, kim = discord.channel("general"), discord.person("Kim", nick="Kimmy")
        async with connected(discord) as heard:
            first = discord.post(general, kim, "hello")
            discord.edit(general, first, "hello there")
            second = discord.post(general, kim, "again")
            discord.delete(general, first)
            thread = discord.create_thread(general, "plans", kim)
            third = discord.post(thread, kim, f"<@{discord.bot}> when?")
            discord.rename(general, "lobby")
            discord.bulk_delete(general, [second])
            discord.delete_channel(thread)
            await heard.next(PlaceDeletion)
            space = f"discord:{discord.world.guild}"
            place = ChatPlace(space, general, "general", open=True)
            inside = ChatPlace(space, thread, "plans", open=True, parent=general)
            assert [type(each) for each in heard.events] == [
                Gap, Post, Edit, Post, Deletion, PlaceChange, Post, PlaceChange, Deletion, PlaceDeletion,
            ]  # fmt: skip
            said = heard.of(Post)
            assert (said[0].place, said[0].key, said[0].person, said[0].name) == (
                place,
                f"discord:{first}",
                kim,
                "Kimmy",
            )
            assert [each.text for each in said] == ["hello", "again", f"<@{discord.bot}> when?"]
            assert [each.addressed for each in said] == [False, False, True]
            assert said[2].key == f"discord:{third}"
            assert said[2].place == inside
            assert heard.of(Edit)[0].text == "hello there"
            assert [each.keys for each in heard.of(Deletion)] == [(f"discord:{first}",), (f"discord:{second}",)]
            assert heard.of(PlaceChange)[1].place.title == "lobby"
            assert heard.of(PlaceDeletion)[0].place == inside


async def test_a_dropped_connection_is_resumed_and_nothing_has_to_be_looked_up() -> None:
    async with DiscordServer() as discord:
        general, kim = discord.channel("general"), discord.person("Kim")
        async with connected(discord) as heard:
            reads = discord.rest.asked["GET /channels/{channel}/messages"]
            for round_, code in enumerate((None, 4000, 1001)):
                discord.post(general, kim, f"before {round_}")
                await discord.drop(code=code)
                discord.post(general, kim, f"meanwhile {round_}")
                await until(discord.gateway.connected)
            discord.gateway.ask_to_reconnect()
            discord.post(general, kim, "the last")
            await heard.next(Post, 7)
            expected = [f"{when} {each}" for each in range(3) for when in ("before", "meanwhile")]
            assert [each.text for each in heard.of(Post)] == [*expected, "the last"]
            assert len(heard.of(Gap)) == 1
            assert discord.gateway.identified == 1
            assert discord.rest.asked["GET /channels/{channel}/messages"] == reads


async def test_a_lost_session_is_told_as_missed_and_the_history_has_the_rest() -> None:
    async with DiscordServer() as discord:
        general, kim = discord.channel("general"), discord.person("Kim", nick="Kimmy")
        async with connected(discord) as heard:
            first = discord.post(general, kim, "before")
            await heard.next(Post)
            await discord.drop(resumable=False)
            for number in range(250):
                discord.post(general, kim, f"meanwhile {number}")
            thread = discord.create_thread(general, "aside", kim)
            discord.post(thread, kim, "in the thread")
            discord.archive(thread)
            await heard.next(Gap, 2)
            places = {each.channel: each for each in await heard.platform.places()}
            pages = [page async for page in heard.platform.history(places[general], f"discord:{first}")]
            assert [len(page) for page in pages] == [100, 100, 50]
            assert [each.text for page in pages for each in page] == [f"meanwhile {each}" for each in range(250)]
            assert {each.name for page in pages for each in page} == {"Kimmy"}
            assert places[thread].parent == general
            assert [[each.text async for page in heard.platform.history(places[thread], "") for each in page]] == [
                ["in the thread"]
            ]
            discord.gateway.invalidate()
            await heard.next(Gap, 3)


async def test_channels_that_went_away_while_nobody_listened_are_gone() -> None:
    async with DiscordServer() as discord:
        kim = discord.person("Kim")
        general, hall = discord.channel("general"), discord.channel("hall")
        secret = discord.channel("secret", only=[kim])
        async with connected(discord) as heard:
            place = {each.channel: each for each in await heard.platform.places()}
            assert set(place) == {general, hall, secret}
            await discord.drop(resumable=False)
            discord.delete_channel(hall)
            discord.world.channels[secret]["permission_overwrites"].pop(1)  # the bot's own
            await heard.next(Gap, 2)
            assert {each.channel for each in await heard.platform.places()} == {general}
            assert [each.place for each in heard.of(PlaceDeletion)] == [place[hall]]
            with pytest.raises(UnreadablePlace):
                await anext(heard.platform.history(place[secret], ""))


async def test_rate_limits_and_outages_are_waited_out() -> None:
    async with DiscordServer() as discord:
        general, kim = discord.channel("general"), discord.person("Kim")
        asked = discord.post(general, kim, "hello")
        async with connected(discord) as heard:
            place = (await heard.platform.places())[0]
            discord.limits.refuse(2, 0.2, path="/messages")
            await heard.platform.send(place, "one", f"discord:{asked}")
            discord.limits.refuse(1, 0.2, path="/messages", everywhere=True)
            everywhere = asyncio.create_task(heard.platform.send(place, "two", ""))
            await until(lambda: discord.limits.refused == 3)
            await asyncio.sleep(0.05)
            await asyncio.gather(everywhere, *(heard.platform.send_private(place, kim, "psst") for _ in range(3)))
            discord.limits.each, discord.limits.per = 2, 0.3
            pages = [page async for page in heard.platform.history(place, "")]
            await asyncio.gather(*(heard.platform.send(place, f"many {each}", "") for each in range(5)))
            discord.limits.each = 1000
            discord.fail(1, 502)
            await heard.platform.send(place, "after the outage", "")
            said = discord.said_by_bot(general)
            assert [each["content"] for each in said[:2]] == ["one", "two"]
            assert sorted(each["content"] for each in said[2:-1]) == [f"many {each}" for each in range(5)]
            assert said[-1]["content"] == "after the outage"
            assert said[0]["message_reference"]["message_id"] == asked
            assert said[0]["allowed_mentions"]["parse"] == []
            assert [each.text for page in pages for each in page] == ["hello", "one", "two"]
            assert discord.limits.refused >= 3
            assert discord.limits.early == 0


async def test_who_can_read_what() -> None:
    async with DiscordServer() as discord:
        team = discord.world.role("team")
        kim, ben = discord.person("Kim", roles=[team]), discord.person("Ben")
        general, office = discord.channel("general"), discord.channel("office", only=[team])
        aside = discord.create_thread(general, "aside", kim)
        closed = discord.create_thread(general, "closed", kim, private=True)
        discord.join(closed, discord.bot)
        async with connected(discord) as heard:
            platform, space = heard.platform, f"discord:{discord.world.guild}"
            opens = {each.channel: each.open for each in await platform.places()}
            assert opens == {general: True, office: False, aside: True, closed: False}
            assert await platform.readable(space, kim) == {general, office, aside, closed}
            assert await platform.readable(space, ben) == {general, aside}
            assert await platform.readable(space, "12345") == frozenset()
            discord.open_to(general, [team])
            await until(lambda: len(heard.of(PlaceChange)) == 2)
            assert [(each.place.channel, each.place.open) for each in heard.of(PlaceChange)] == [
                (general, False),
                (aside, False),
            ]
            assert await platform.readable(space, ben) == frozenset()
            discord.give(kim, [])
            discord.post(office, kim, "my role is gone, and Discord says so with each message")
            await heard.next(Post)
            assert await platform.readable(space, kim) == frozenset()
            assert await platform.readable("discord:direct", ben) == {discord.world.direct_with(ben)["id"]}


async def test_what_a_message_says() -> None:
    async with DiscordServer() as discord:
        kim, helper = discord.person("Kim"), discord.person("Helper", bot=True)
        general, team = discord.channel("general"), discord.world.role("team")
        async with connected(discord) as heard:
            discord.post(general, kim, f"<@!{kim}> and <@&{team}> in <#{general}> <:wave:1234>")
            picture = {"id": "1", "filename": "cat.png", "size": 3, "url": "u", "proxy_url": "u"}
            discord.post(general, kim, "look", attachments=[picture])
            discord.post(general, kim, "", sticker_items=[{"id": "2", "name": "party", "format_type": 1}])
            moved = {
                "content": "news",
                "type": 0,
                "embeds": [],
                "attachments": [],
                "timestamp": "2026-01-01T00:00:00+00:00",
            }
            discord.post(general, kim, "", message_snapshots=[{"message": {**moved, "edited_timestamp": None}}])
            discord.post(general, helper, "beep", embeds=[{"type": "rich", "title": "News"}])
            discord.post(general, kim, "", type=6)
            discord.post(general, kim, "from outside", webhook_id="77")
            own = await _said_by_us(discord, heard, general)
            discord.post(general, kim, "really?", reply_to=own)
            discord.direct(kim, "between us")
            await until(lambda: len(heard.of(Post)) == 10)
            said = heard.of(Post)
            assert [each.text for each in said[:4]] == [
                f"<@{kim}> and @team in #general :wave:",
                "look\n[file: cat.png]",
                "[sticker: party]",
                "[forwarded] news",
            ]
            assert [each.bot for each in said] == [False] * 4 + [True] * 4 + [False] * 2
            assert (said[8].addressed, said[8].answers) == (True, "I remember.")
            assert said[9].place == ChatPlace("discord:direct", said[9].place.channel, "Kim", open=False, direct=True)
            assert said[9].addressed


async def _said_by_us(discord: DiscordServer, heard: Heard, channel: str) -> str:
    place = next(each for each in await heard.platform.places() if each.channel == channel)
    async with heard.platform.typing(place):
        await heard.platform.send(place, "I remember.", "")
        await until(lambda: discord.rest.typed == [channel])
    return str(discord.said_by_bot(channel)[-1]["id"])


async def test_whispers_reach_one_person_or_say_that_they_cannot() -> None:
    async with DiscordServer() as discord:
        kim, ben, general = discord.person("Kim"), discord.person("Ben"), discord.channel("general")
        discord.world.closed_to_bots.add(ben)
        async with connected(discord) as heard:
            place = (await heard.platform.places())[0]
            assert await heard.platform.send_private(place, kim, "for you alone")
            assert not await heard.platform.send_private(place, ben, "hello")
            told = discord.texts(str(discord.world.direct_with(kim)["id"]))
            assert told == ["for you alone"]
            assert discord.texts(general) == []


async def test_slash_commands_are_registered_once_and_answered_to_the_asker_alone() -> None:
    async with DiscordServer() as discord:
        kim, ben, general = discord.person("Kim"), discord.person("Ben"), discord.channel("general")
        async with connected(discord) as heard:
            discord.managing(kim)
            tokens = [
                discord.command(general, kim, "remember", what="I like tea"),
                discord.command(general, ben, "about", who=kim),
                discord.command(general, kim, "memory", "on"),
                discord.command(str(discord.world.direct_with(ben)["id"]), ben, "what-do-you-know"),
            ]
            await until(lambda: len(heard.of(SlashCommand)) == 4)
            asked = heard.of(SlashCommand)
            assert [(each.person, each.verb, each.words, each.whom, each.manages) for each in asked] == [
                (kim, "remember", "I like tea", None, True),
                (ben, "about", "", kim, False),
                (kim, "memory", "on", None, True),
                (ben, "what-do-you-know", "", None, True),
            ]
            assert asked[3].place.direct
            for each in asked:
                await each.answer(f"{each.verb}, noted")
            answers = [await discord.answer(each) for each in tokens]
            assert [each.text for each in answers] == [f"{each.verb}, noted" for each in asked]
            assert all(each.only_for_them for each in answers)
            assert discord.texts(general) == []
        names = {each["name"] for each in discord.rest.commands}
        assert names == {"remember", "forget", "about", "what-do-you-know", "forget-me", "privacy", "memory"}
        async with connected(discord):
            assert discord.rest.registered == 1
        discord.rest.commands[0]["description"] = "Something older."
        async with connected(discord):
            assert discord.rest.registered == 2


async def test_what_is_wrong_is_said_clearly(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "erstwhile")
    canary = "canary.token.4711"
    async with DiscordServer() as discord:
        with pytest.raises(AuthenticationError, match="DISCORD_TOKEN"):
            await DiscordPlatform(canary, discord.api).run(lambda _: None)
        discord.gateway.allowed = 0
        with pytest.raises(PermissionDenied, match="MESSAGE CONTENT INTENT"):
            await DiscordPlatform(discord.token, discord.api).run(lambda _: None)
        discord.gateway.allowed = CONTENT
        discord.gateway.refusals.append(4004)
        with pytest.raises(AuthenticationError, match="DISCORD_TOKEN"):
            await DiscordPlatform(discord.token, discord.api).run(lambda _: None)
        general, kim = discord.channel("general"), discord.person("Kim")
        async with connected(discord):
            discord.limits.refuse(1, 0.05)
            discord.post(general, kim, "canary words 0815")
            await discord.drop()
            await until(discord.gateway.connected)
    assert canary not in caplog.text
    assert discord.token not in caplog.text
    assert "canary words" not in caplog.text


async def test_a_silent_connection_is_given_up() -> None:
    async with DiscordServer() as discord:
        general, kim = discord.channel("general"), discord.person("Kim")
        discord.gateway.heartbeat = 0.1
        async with connected(discord, ConnectionTiming(session=0.0, ready=0.05, silence=0.5)) as heard:
            discord.gateway.acknowledges = False
            await until(lambda: discord.gateway.resumed >= 1)
            discord.gateway.acknowledges = True
            discord.post(general, kim, "still there?")
            assert (await heard.next(Post)).text == "still there?"
