"""What people say on a platform is stored as it stands there: from the opt-in on, through gaps, edits, deletions and restarts."""

from __future__ import annotations

import asyncio
import os
import random
from dataclasses import dataclass, field

import pytest
from pretend import Pretend, Server
from running import SPACE, at_work, quiet, standing, stored

import erstwhile
from erstwhile.bots import place_queue
from erstwhile.bots.bot import Bot
from erstwhile.bots.port import Gap
from erstwhile.log.listening import ListenedChannel

SOAK = bool(os.environ.get("ERSTWHILE_SOAK"))
STEPS, LIVES = (400, 25) if SOAK else (60, 3)


async def chosen(memory: erstwhile.Memory, server: Server, channel: str, *, past: bool = False) -> int:
    """From now on; the number of the last message before."""
    server.number += 1
    since = "" if past else server.now().isoformat()
    await memory.channels.listen(memory.channel(channel, SPACE), since=since, title=f"#{channel}")
    return 0 if past else server.number - 1


async def test_only_chosen_channels_are_listened_to_and_threads_go_with_theirs(memory: erstwhile.Memory) -> None:
    server = Server()
    for channel, parent in (("general", None), ("random", None), ("thread", "general"), ("aside", "general")):
        server.open(channel, parent=parent)
    server.post("general", "ann", "Said before anyone chose.")
    await chosen(memory, server, "general")
    await memory.channels.listen(memory.channel("aside", SPACE), on=False)
    async with at_work(memory, server):
        server.post("general", "ann", "Said in the open.")
        server.post("general", "webhook", "Deployed.", bot=True)
        server.post("general", "ann", "  ")
        server.post("random", "ann", "Nobody chose this one.")
        server.post("thread", "bob", "A thread of it.")
        server.post("aside", "bob", "Left out by hand.")
    assert list((await stored(memory, "general")).values()) == ["Said in the open."]
    assert list((await stored(memory, "thread")).values()) == ["A thread of it."]
    assert not await stored(memory, "random")
    assert not await stored(memory, "aside")
    [message] = [each async for each in memory.channel("general", SPACE).messages()]
    assert (message.person, message.name, message.meta["source"]) == ("ann", "Ann", "pretend")
    assert {each.channel: (each.privacy, each.title) for each in await memory.channels.list(space=SPACE)} == {
        "general": ("open", "#general"),
        "thread": ("open", "#thread"),
    }


async def test_a_gap_is_filled_in_order_before_anything_newer(memory: erstwhile.Memory) -> None:
    server, platform = Server(), None
    server.open("general")
    await chosen(memory, server, "general")
    platform = Pretend(server)
    async with at_work(memory, server, platform) as bot:
        first, second = server.post("general", "ann", "One."), server.post("general", "bob", "Two.")
        await quiet(bot)
        platform.drop()
        for number in range(8):
            server.post("general", "ann", f"Missed {number}.")
        server.edit("general", first.key, "One, corrected.")
        server.delete("general", second.key)
        platform.come_back()
        server.post("general", "ann", "Newer.")
        await quiet(bot)
        texts = list((await stored(memory, "general")).values())
    assert texts == ["One, corrected.", *(f"Missed {number}." for number in range(8)), "Newer."]


async def test_a_place_that_fails_is_tried_again_and_the_others_go_on(
    memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_queue, "_RETRY_SECONDS", (0.01, 0.05))
    monkeypatch.setattr(place_queue.PlaceQueue.__init__, "__defaults__", ((0.01, 0.05),))
    server = Server()
    for channel in ("general", "walled", "random"):
        server.open(channel)
        await chosen(memory, server, channel)
        server.post(channel, "ann", f"Said in {channel}.")
    platform = Pretend(server)
    platform.unreadable, platform.failing = {"walled"}, 3
    async with at_work(memory, server, platform):
        pass
    assert await stored(memory, "general") == standing(server, "general")
    assert await stored(memory, "random") == standing(server, "random")
    assert not await stored(memory, "walled")
    platform.unreadable = set()
    async with at_work(memory, server, Pretend(server)):
        pass
    assert await stored(memory, "walled") == standing(server, "walled"), "and what can be read again is caught up with"


async def test_a_database_that_fails_when_the_bot_looks_around_costs_nothing(
    memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server()
    server.open("general")
    await chosen(memory, server, "general", past=True)
    server.post("general", "ann", "Said while nobody was there.")
    listening, failures = memory.channels.listening, [1, 2]

    async def failing(*, space: str | None = None) -> list[ListenedChannel]:
        if failures:
            failures.pop()
            raise OSError("the database is locked")
        return await listening(space=space)

    monkeypatch.setattr(memory.channels, "listening", failing)
    platform = Pretend(server)
    async with at_work(memory, server, platform) as bot:
        assert await stored(memory, "general") == standing(server, "general")
        for _ in range(50):
            platform.drop()
            platform.come_back()
        await quiet(bot)
    assert len(platform.asked_for) < 10, "fifty gaps at once are one"


async def test_more_than_may_wait_is_looked_up_later(memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place_queue, "MAX_EVENTS", 10)
    server = Server()
    server.open("general")
    await chosen(memory, server, "general")
    async with at_work(memory, server, Pretend(server, page=20)) as bot:
        said = [server.post("general", "ann", f"Number {number}.") for number in range(60)]
        server.delete("general", said[3].key)
        assert len(bot._queues[SPACE, "general"]._waiting) <= 11
    assert await stored(memory, "general") == standing(server, "general")


async def test_a_channel_that_is_gone_is_erased_with_its_threads_and_one_that_turns_private_is_declared_so(
    memory: erstwhile.Memory,
) -> None:
    server = Server()
    for channel, parent in (("general", None), ("thread", "general"), ("council", None)):
        server.open(channel, parent=parent)
        await chosen(memory, server, channel)
    async with at_work(memory, server) as bot:
        for channel in ("general", "thread", "council"):
            server.post(channel, "ann", "Something.")
        await quiet(bot)
        server.close("general")
        server.move("council", open=False, title="#the-council")
    shown = {each.channel: (each.privacy, each.title) for each in await memory.channels.list(space=SPACE)}
    assert shown == {"council": ("private", "#the-council")}
    assert [each.channel for each in await memory.channels.listening(space=SPACE)] == ["council"]


async def test_the_past_is_taken_in_where_that_was_asked_for_and_not_twice(memory: erstwhile.Memory) -> None:
    server = Server()
    server.open("general")
    old = [server.post("general", "ann", f"Long ago {number}.") for number in range(7)]
    await chosen(memory, server, "general", past=True)
    async with at_work(memory, server):
        pass
    assert list(await stored(memory, "general")) == [each.key for each in old]
    await memory.people.block("ann", space=SPACE)
    platform = Pretend(server)
    async with at_work(memory, server, platform) as bot:
        server.post("general", "ann", "Said while opted out.")
        server.post("general", "bob", "Said beside it.")
        await quiet(bot)
        await memory.people.unblock("ann", space=SPACE)
        platform.drop()
        platform.come_back()
        await quiet(bot)
        texts = list((await stored(memory, "general")).values())
    assert texts[-1] == "Said beside it."
    assert "Said while opted out." not in texts, "what was said in between was never kept"


async def test_an_audit_finds_what_changed_long_ago_and_goes_on_where_it_was_broken_off(
    memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from erstwhile.bots import capture

    monkeypatch.setattr(capture, "_AUDIT_PAUSE", 0.0)
    monkeypatch.setattr(capture, "MIN_MESSAGES", 3)
    server = Server()
    server.open("general")
    old = [server.post("general", "ann", f"Long ago {number}.") for number in range(9)]
    await chosen(memory, server, "general", past=True)
    async with at_work(memory, server):
        pass
    server.number += 40 * 86_400
    server.post("general", "ann", "Much later.")
    for _ in range(4):
        server.post("general", "bob", "Talk.")
    server.edit("general", old[1].key, "Edited in the meantime.")
    server.delete("general", old[7].key)
    platform = Pretend(server)
    async with at_work(memory, server, platform) as bot:
        assert (await stored(memory, "general"))[old[1].key] == "Long ago 1.", "further back than a gap is looked into"
        pages = platform.history(server.places["general"], "")
        assert pages is not None
        await memory.channels.mark_checked(memory.channel("general", SPACE), old[4].key)
        await bot._history_sync.audit(server.places["general"])
        assert (await stored(memory, "general"))[old[1].key] == "Long ago 1.", "it went on after the fifth"
        assert old[7].key not in await stored(memory, "general")
        await bot._history_sync.audit(server.places["general"])
    assert await stored(memory, "general") == standing(server, "general")
    [listened] = await memory.channels.listening(space=SPACE)
    assert listened.audited == ""
    assert listened.audited_at is not None


@dataclass
class World:
    """A platform with people at it, and which channels were chosen from which message on."""

    server: Server
    dice: random.Random
    since: dict[str, int] = field(default_factory=dict)
    unheard: set[str] = field(default_factory=set)

    def act(self) -> None:
        server, dice = self.server, self.dice
        channel = dice.choice(sorted(server.places))
        standing = server.said[channel]
        deed = dice.random()
        if deed < 0.6 or not standing:
            said = server.post(channel, dice.choice(["ann", "bob", "cas"]), f"Word {server.number}.", bot=deed < 0.05)
            if channel not in self.since:
                self.unheard.add(said.key)
        elif deed < 0.8:
            server.edit(channel, dice.choice(standing).key, f"Other words {dice.randrange(10**6)}.")
        else:
            server.delete(
                channel, *(each.key for each in dice.sample(standing, min(len(standing), dice.choice([1, 3]))))
            )


async def killed(memory: erstwhile.Memory, bot: Bot, task: asyncio.Task[None]) -> None:
    """Wherever it is. A write that the database was at is done or not once another one is through, as it is when a process is gone."""
    for each in [task, *(queue._task for queue in bot._queues.values() if queue._task is not None)]:
        each.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await memory.channels.mark_read(memory.channel("elsewhere", SPACE), "pretend:1")


@pytest.mark.timeout(3600 if SOAK else 600)
@pytest.mark.parametrize("seed", range(LIVES))
async def test_whatever_happens_the_store_ends_as_the_platform_stands(memory: erstwhile.Memory, seed: int) -> None:
    """Posts, edits, deletions, broken lines, choices, and a bot that is killed at any moment."""
    dice = random.Random(seed)
    world = World(Server(), dice)
    for channel, parent in (("general", None), ("random", None), ("thread", "general"), ("council", None)):
        world.server.open(channel, parent=parent, open=channel != "council")
    platform: Pretend | None = None
    bot: Bot | None = None
    task: asyncio.Task[None] | None = None
    for _ in range(STEPS):
        world.act()
        deed = dice.random()
        if platform is not None and deed < 0.1:
            platform.drop()
        elif platform is not None and deed < 0.2:
            platform.come_back()
        elif deed < 0.28 and len(world.since) < 3:
            channel = dice.choice(["general", "random", "council"])
            if channel not in world.since:
                world.since[channel] = await chosen(memory, world.server, channel, past=dice.random() < 0.3)
                if channel == "general":
                    world.since["thread"] = world.since[channel]
                if platform is not None and platform.handle is not None:
                    platform.handle(Gap())
        elif deed < 0.36 or task is None:
            if bot is not None and task is not None:
                await asyncio.sleep(dice.choice([0, 0, 0.002]))
                await killed(memory, bot, task)
            platform = Pretend(world.server, page=dice.choice([2, 5, 50]))
            bot = Bot(memory, platform, clock=world.server.now)
            task = asyncio.create_task(bot.run())
        if dice.random() < 0.4:
            await asyncio.sleep(dice.choice([0, 0, 0.001, 0.01]))
    assert bot is not None
    assert task is not None
    await killed(memory, bot, task)
    async with at_work(memory, world.server):
        pass
    for channel in world.server.places:
        expected = standing(world.server, channel, world.since[channel]) if channel in world.since else {}
        found = await stored(memory, channel)
        assert found == expected, f"{channel} with seed {seed}"
