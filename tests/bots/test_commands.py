"""Slash commands: what they do, and that only the asker sees what they say."""

from __future__ import annotations

import pytest
from pretend import Pretend, Server
from running import SPACE, at_work, quiet, standing, stored

import erstwhile
from erstwhile.bots import replies
from erstwhile.bots.bot import Bot
from erstwhile.bots.port import SlashCommand


class Desk:
    """Someone types commands; `said` is what they saw."""

    def __init__(self, memory: erstwhile.Memory) -> None:
        self.memory = memory
        self.server = Server()
        for channel, parent in (("general", None), ("thread", "general"), ("council", None)):
            self.server.open(channel, parent=parent, open=channel != "council")
        self.server.readers = {"council": {"ann"}}
        self.platform = Pretend(self.server)
        self.platform.max_length = 2000

    async def type(
        self, bot: Bot, verb: str, text: str = "", *, by: str = "ann", whom: str | None = None, **more: str | bool
    ) -> str:
        seen: list[str] = []

        async def answer(shown: str) -> None:
            seen.append(shown)

        place = self.server.places[str(more.get("channel", "general"))]
        bot.handle(SlashCommand(place, by, by.title(), verb, text, whom, bool(more.get("manages")), answer))
        await quiet(bot)
        assert len(seen) == 1
        return seen[0]


@pytest.fixture
def desk(memory: erstwhile.Memory) -> Desk:
    return Desk(memory)


async def test_only_those_who_manage_a_channel_choose_for_it(desk: Desk) -> None:
    async with at_work(desk.memory, desk.server, desk.platform) as bot:
        old = desk.server.post("general", "ann", "Said before.")
        desk.server.post("thread", "ann", "Said in the thread before.")
        desk.server.number += 1
        assert "manage" in await desk.type(bot, "memory", "on", by="bob")
        assert "don't listen" in await desk.type(bot, "memory", "status", manages=True)
        assert "I listen here, from 2026-03-01 on." in await desk.type(bot, "memory", "on", manages=True)
        new = desk.server.post("general", "ann", "Said after.")
        await quiet(bot)
        assert list(await stored(desk.memory, "general")) == [new.key]
        assert "from the beginning" in await desk.type(bot, "memory", "on past", manages=True)
        assert await stored(desk.memory, "general") == standing(desk.server, "general")
        assert await stored(desk.memory, "thread") == standing(desk.server, "thread")
        assert "no longer" in await desk.type(bot, "memory", "off", manages=True)
        desk.server.post("general", "ann", "Said in between.")
        desk.server.edit("general", old.key, "Said before, corrected.")
        await quiet(bot)
        desk.server.number += 1
        await desk.type(bot, "memory", "on", manages=True)
        desk.server.post("general", "ann", "Said again.")
        await quiet(bot)
        texts = list((await stored(desk.memory, "general")).values())
    assert sorted(texts) == ["Said after.", "Said again.", "Said before, corrected."]
    listened = next(each for each in await desk.memory.channels.listening(space=SPACE) if each.channel == "general")
    assert (listened.on, listened.by, listened.title) == (True, "ann", "#general")
    assert not desk.platform.out


async def test_nobody_is_told_that_we_listen_where_we_cannot_hear(desk: Desk) -> None:
    async with at_work(desk.memory, desk.server, desk.platform) as bot:
        desk.platform.unreadable.add("general")
        assert await desk.type(bot, "memory", "on", manages=True) == replies.CANT_READ
        assert "don't listen" in await desk.type(bot, "memory", "status", manages=True)
        desk.platform.unreadable.clear()
        assert "I listen here" in await desk.type(bot, "memory", "on", manages=True)


async def test_what_is_told_of_someone_is_shown_to_whom_could_have_read_it(desk: Desk) -> None:
    async with at_work(desk.memory, desk.server, desk.platform) as bot:
        assert await desk.type(bot, "remember", "I like tea") == replies.not_kept(desk.server.places["general"])
        for channel in ("general", "council"):
            await desk.type(bot, "memory", "on", channel=channel, manages=True)
        assert await desk.type(bot, "remember", "I am allergic to nuts") == replies.NOTED
        assert await desk.type(bot, "remember", "I keep bees", channel="council") == replies.NOTED
        assert "Say what" in await desk.type(bot, "remember", " ")
        own = await desk.type(bot, "what-do-you-know")
        assert "nuts" in own
        assert "bees" in own
        shown = await desk.type(bot, "about", by="bob", whom="ann")
        assert "nuts" in shown
        assert "bees" not in shown, "Bob can't read the council"
        assert await desk.type(bot, "remember", "is on probation", whom="bob", channel="council") == replies.NOTED
        assert await desk.type(bot, "remember", "sings well", whom="bob") == replies.NOTED
        of_bob = await desk.type(bot, "what-do-you-know", by="bob")
        assert "sings well" in of_bob
        assert "probation" not in of_bob, "nor what is said of him there"
        assert "probation" in await desk.type(bot, "about", whom="bob")
        await desk.type(bot, "forget-me", "yes", by="bob")
        assert "probation" not in await desk.type(bot, "about", whom="bob")
        assert await desk.type(bot, "forget", "I am allergic to nuts") == replies.FORGOTTEN
        assert await desk.type(bot, "forget", "I am allergic to cats") == replies.NOT_THERE
        assert "nuts" not in await desk.type(bot, "about", by="bob", whom="ann")
        assert await desk.type(bot, "about", by="bob", whom="nobody") == replies.NOBODY_KNOWN


async def test_whoever_wants_to_be_forgotten_is_asked_once_and_then_is(desk: Desk) -> None:
    async with at_work(desk.memory, desk.server, desk.platform) as bot:
        await desk.type(bot, "memory", "on", manages=True)
        desk.server.post("general", "ann", "My cat is called Miso.")
        kept = desk.server.post("general", "bob", "A fine name.")
        await quiet(bot)
        assert "Miso" in await desk.type(bot, "what-do-you-know")
        assert "your 1 messages" in await desk.type(bot, "forget-me")
        assert "Receipt era_" in await desk.type(bot, "forget-me", "Yes.")
        assert await stored(desk.memory, "general") == {kept.key: "A fine name."}
        desk.platform.drop()
        desk.platform.come_back()
        await quiet(bot)
        assert await stored(desk.memory, "general") == {kept.key: "A fine name."}, "it does not come back"
        desk.server.post("general", "ann", "Hello again.")
        await quiet(bot)
        assert "Hello again." in (await stored(desk.memory, "general")).values(), "a new beginning"
        assert "nothing" in await desk.type(bot, "privacy", "stop")
        desk.server.post("general", "ann", "Not for the book.")
        await quiet(bot)
        assert "Not for the book." not in (await stored(desk.memory, "general")).values()
        assert replies.OPTED_OUT in await desk.type(bot, "what-do-you-know")
        assert replies.OPTED_OUT in await desk.type(bot, "remember", "I am here")
        assert "kept again" in await desk.type(bot, "privacy", "start")
        await desk.memory.people.block("ann", space=SPACE)
        assert "Only they" in await desk.type(bot, "privacy", "start")
        await desk.memory.people.unblock("ann", space=SPACE)
        told = await desk.type(bot, "privacy")
    assert "Everyone in this server" in told
    assert "until it is erased" in told


async def test_why_is_for_whoever_asked_and_for_those_who_manage(desk: Desk) -> None:
    async with at_work(desk.memory, desk.server, desk.platform) as bot:
        assert "answered nothing" in await desk.type(bot, "memory", "explain")
        await desk.memory.channel("general", SPACE).context("Where is the mill?", person="ann")
        assert "answered nothing" in await desk.type(bot, "memory", "explain"), "a context is no answer"
        assert "Use `/memory" in await desk.type(bot, "memory", "nonsense")
        assert "don't know the command" in await desk.type(bot, "dance")


async def test_what_goes_wrong_is_said_in_plain_words(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_args: object, **_more: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr(type(desk.memory.spaces), "configuration", broken)
    async with at_work(desk.memory, desk.server, desk.platform) as bot:
        assert "don't keep" in await desk.type(bot, "privacy")
        await desk.type(bot, "memory", "on", manages=True)
        assert await desk.type(bot, "privacy") == replies.FAILED
        assert "kept" in await desk.type(bot, "privacy", "start"), "and the bot lives on"
