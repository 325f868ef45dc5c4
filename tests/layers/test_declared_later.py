"""A channel that everyone could hear is declared private: from the next question on it is, also for what was made of it before."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from days_kit import opened, rows, say, say_together
from profiled import facts, stated, take
from profiled import note as noted

import erstwhile
from community import read
from erstwhile.testing import Call, FixedClock, ModelServer
from erstwhile.testing.answers import sensible

TWINS = "I am secretly pregnant with twins"


async def two_places(memory: erstwhile.Memory) -> None:
    await say_together(memory, "council", alice=TWINS, bob="Congratulations on the twins Alice")
    await say_together(memory, "square", carol="Hello everyone in the square", alice="Hello Carol, nice sunny weather")


async def words_anywhere(memory: erstwhile.Memory, table: str, word: str = "twins") -> list[Any]:
    found = await read(memory, f"SELECT * FROM {table} WHERE space = :space")
    return [row for row in found if word in str(row["text"]) and row.get("audience", row.get("channel", "")) == ""]


async def test_today_and_the_days_before_are_made_again_without_it(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock, recipe="person") as memory:
        await two_places(memory)
        clock.advance(days=1)
        await two_places(memory)
        await say(memory, "dave", "I am only in the square", channel="square")
        assert "twins" in (await memory.about("alice", channel="square", asker="carol")).history
        await memory.channels.set_privacy(memory.channel("council"), "private", people=["alice", "bob"])
        for table in ("memories", "weeks", "portraits", "versions"):
            assert await words_anywhere(memory, table) == []
        heard = await memory.about("alice", channel="square", asker="carol")
        assert "twins" not in heard.text
        assert "sunny weather" in heard.today
        assert "sunny weather" in heard.history
        assert "twins" not in (await memory.channel("square").context("How is Alice?", person="carol")).text
        assert "twins" in (await memory.about("alice", channel="council", asker="bob")).today
        (again,) = [
            row for row in await rows(memory, "days") if row["person"] == "carol" and row["day"] == "2026-03-02"
        ]
        versions = await memory.memories.history(again["id"])
        assert [version.action for version in versions][-2:] == ["deleted", "written"]


async def test_days_that_cannot_be_made_again_go(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock, recipe="person") as memory:
        await two_places(memory)
        await memory.about("alice")
        clock.advance(days=1)
        await memory.about("alice")
        clock.advance(days=30)
        await memory.channels.set_privacy(memory.channel("council"), "direct", people=["alice", "bob"])
        await memory.about("alice")
        assert await rows(memory, "days") == []


async def test_where_its_messages_have_expired_no_day_before_them_stays(database_url: str, clock: FixedClock) -> None:
    keeping: dict[str, Any] = {"retention": {"message": 3}, "recent_messages": 1}
    async with opened(database_url, clock, recipe="person", **keeping) as memory:
        await two_places(memory)
        clock.advance(days=1)
        await memory.about("alice")
        clock.advance(days=8)
        await say(memory, "bob", "I am back", channel="council")
        await memory.archive.expire()
        assert await words_anywhere(memory, "memories")
        await memory.channels.set_privacy(memory.channel("council"), "private", people=["alice", "bob"])
        assert await rows(memory, "days") == []


async def test_nothing_goes_where_nothing_changes(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock, recipe="person") as memory:
        await two_places(memory)
        await say(memory, "erin", "hello bot", channel="erin and the bot")
        await memory.about("alice")
        before = await rows(memory, "days")
        await memory.channels.set_privacy(memory.channel("council"), "open")
        await memory.channels.set_privacy(memory.channel("erin and the bot"), "direct")
        await memory.channels.set_privacy(memory.channel("new"), "private")
        assert await rows(memory, "days") == before


async def test_what_is_being_made_meanwhile_is_not_kept(database_url: str, clock: FixedClock) -> None:
    asking, declared = threading.Event(), threading.Event()

    def answer(call: Call) -> str:
        asking.set()
        declared.wait(10)
        return sensible(call)

    with ModelServer(answer) as server:
        async with opened(database_url, clock, server, recipe="person") as memory:
            await two_places(memory)
            about = asyncio.create_task(memory.about("alice", channel="square", asker="carol"))
            await asyncio.to_thread(asking.wait, 10)
            await memory.channels.set_privacy(memory.channel("council"), "private", people=["alice", "bob"])
            declared.set()
            assert "twins" not in (await about).text
            assert not await words_anywhere(memory, "memories")
            assert "sunny" in (await memory.about("alice", channel="square", asker="carol")).text


async def test_a_week_that_is_being_made_meanwhile_is_not_kept(database_url: str, clock: FixedClock) -> None:
    asking, declared = threading.Event(), threading.Event()

    def answer(call: Call) -> str:
        if '"week"' in call.system:
            asking.set()
            declared.wait(10)
        return sensible(call)

    with ModelServer(answer) as server:
        async with opened(database_url, clock, server, recipe="person") as memory:
            for _ in range(2):
                await two_places(memory)
                clock.advance(days=1)
            about = asyncio.create_task(memory.about("alice", channel="square", asker="carol"))
            await asyncio.to_thread(asking.wait, 10)
            await memory.channels.set_privacy(memory.channel("council"), "private", people=["alice", "bob"])
            declared.set()
            assert "twins" not in (await about).text
            assert not await words_anywhere(memory, "weeks")


@pytest.mark.parametrize("edited", [False, True])
async def test_topics_are_put_together_again_without_it(database_url: str, clock: FixedClock, edited: bool) -> None:
    async with opened(database_url, clock, recipe="full", embedder="none") as memory:
        await two_places(memory)
        clock.advance(minutes=150)
        await memory.settle()
        await memory.notes.nightly()
        topics = [topic for topic in await memory.notes.list(kind="topic") if "twins" in topic.text]
        assert topics
        if edited:
            await memory.memories.edit(topics[0].id, "They talked of twins.", by="alice")
        await memory.channels.set_privacy(memory.channel("council"), "private", people=["alice", "bob"])
        assert not [topic for topic in await memory.notes.list(kind="topic") if "twins" in topic.text]
        for topic in topics:
            assert {version.text for version in await memory.memories.history(topic.id)} == {""}
        clock.advance(days=1)
        await memory.settle()
        again = await memory.notes.list(kind="topic")
        assert any("weather" in topic.text for topic in again)
        assert not [topic for topic in again if "twins" in topic.text and topic.channel == ""]
        for recipe in ("person", "community", "full"):
            told = await memory.channel("square").context("What about Alice?", person="carol", recipe=recipe)
            assert "twins" not in told.text


async def test_facts_that_also_stand_on_it_are_told_there_alone(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock, recipe="community") as memory:
        await two_places(memory)
        for person in ("alice", "bob"):
            await say(memory, person, "hello", channel="third")
        await take(memory, noted("c", "council"), [stated("Alice likes tea.")])
        await take(memory, noted("s", "square"), [stated("Alice likes tea.")])
        await take(memory, noted("t", "third"), [stated("Alice rides a horse.")])
        (tea,) = [fact for fact in await facts(memory) if "tea" in fact.text]
        assert set(tea.notes) == {"nte_c", "nte_s"}
        (other,) = {"council", "square"} - {tea.channel}
        await memory.channels.set_privacy(memory.channel(other), "private", people=["alice", "bob"])
        moved = {fact.text: fact.channel for fact in await facts(memory)}
        assert moved == {"Alice likes tea.": other, "Alice rides a horse.": "third"}
        about = await memory.about("alice", channel="third", asker="dave")
        assert "tea" not in str(about.profile)
        assert "horse" in str(about.profile)
        assert "tea" in str((await memory.about("alice", channel=other, asker="bob")).profile)

        await memory.channels.set_privacy(memory.channel(tea.channel), "private", people=["alice", "carol"])
        standing = {fact.text: fact.channel for fact in await facts(memory)}
        assert standing == {"Alice rides a horse.": "third"}, "neither may hear what the other said"
