"""P5, P6, P10: the night puts a day's notes into topics, once, and what was missed is made up for."""

from __future__ import annotations

import asyncio
from datetime import date

from listening_layer import Listening, opened, say

import erstwhile
from erstwhile.layers.notes import store
from erstwhile.testing import Fault, FixedClock, ModelServer
from erstwhile.testing.answers import complete
from inside import runtime

DAY = date(2026, 3, 2)
THINGS = ("The garden needs water.", "Dinner is pasta.", "The train to Busan is late.", "I like jazz.", "Tea is ready.")


async def a_day(memory: erstwhile.Memory, clock: FixedClock, channel: str = "hall", notes: int = 5) -> None:
    """So many conversations of two people."""
    await memory.channels.set_privacy(memory.channel(channel), "open")
    for n in range(notes):
        await say(memory.channel(channel), THINGS[n % 5])
        await say(memory.channel(channel), THINGS[n % 5], "juno")
        clock.advance(minutes=30)


async def test_at_night_the_days_notes_are_put_into_topics(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    """One strong call; then the rooms made from notes are told who took part."""
    async with opened(database_url, clock, model_server, model_strong="openai-compatible:strong") as memory:
        heard = Listening(memory)
        await a_day(memory, clock)
        await memory.settle()
        assert [note.topic for note in await memory.notes.list()] == [None] * 5
        clock.now = clock.now.replace(day=3, hour=2, minute=59)
        await memory.settle()
        assert await memory.notes.list(kind="topic") == []
        clock.advance(minutes=1)
        await memory.settle()
        assert [call.model for call in model_server.calls if '"topics"' in call.system] == ["strong"]
        assert [call.model for call in model_server.calls].count("scripted") == 5
        topics = await memory.notes.list(kind="topic")
        notes = await memory.notes.list(kind="note")
        assert len(topics) == 3
        assert {topic.channel for topic in topics} == {""}
        assert all(topic.people == ("juno", "mina") and topic.day == DAY for topic in topics)
        assert sorted(id for topic in topics for id in topic.notes) == sorted(note.id for note in notes)
        assert {note.topic for note in notes} == {topic.id for topic in topics}
        assert all(topic.from_at <= topic.to_at for topic in topics)
        assert heard.nights == [(DAY, ["juno", "mina"])]
        (found, *_) = await memory.search("garden", kinds=["topic"])
        assert set(found.sources) <= {note.id for note in notes}
        source = await memory.memories.sources(found.id)
        assert {each.kind for each in source.sources} == {"note"}
        assert found.text.endswith((await memory.memories.history(found.id))[0].text)
        calls = len(model_server.calls)
        clock.advance(hours=5)
        await memory.settle()
        assert len(model_server.calls) == calls
        assert len(heard.nights) == 1


async def test_private_notes_are_put_together_only_with_others_of_their_channel(
    database_url: str, clock: FixedClock
) -> None:
    async with opened(database_url, clock) as memory:
        heard = Listening(memory)
        await a_day(memory, clock, "hall", 2)
        for n in range(2):
            await say(memory.channel("diary"), f"A secret, {n}.", "ada")
            clock.advance(minutes=30)
        clock.advance(days=1)
        await memory.settle()
        topics = await memory.notes.list(kind="topic")
        assert [topic.channel for topic in topics] == ["", ""]
        assert [note.topic for note in await memory.notes.list(channel="diary")] == [None, None]
        assert heard.nights == [(DAY, ["ada", "juno", "mina"])], "too few for a topic, but Ada took part"
        await say(memory.channel("diary"), "Another secret.", "ada")
        clock.advance(days=1)
        await memory.settle()
        private = await memory.notes.list(kind="topic", channel="diary")
        assert len(private) == 3
        assert {person for topic in private for person in topic.people} == {"ada"}
        assert heard.nights[-1] == (date(2026, 3, 3), ["ada"])
        assert len(heard.nights) == 2


async def test_the_night_falls_where_the_people_are(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock, timezone="Asia/Seoul", notes={"nightly_hour": 0}) as memory:
        await a_day(memory, clock, notes=3)
        await memory.settle()
        clock.now = clock.now.replace(hour=14, minute=59)
        await memory.settle()
        assert await memory.notes.list(kind="topic") == []
        clock.advance(minutes=1)
        await memory.settle()
        assert len(await memory.notes.list(kind="topic")) == 3


async def test_two_servers_have_one_night(database_url: str, clock: FixedClock, model_server: ModelServer) -> None:
    async with opened(database_url, clock, model_server) as one, opened(database_url, clock, model_server) as other:
        heard = Listening(one), Listening(other)
        await a_day(one, clock)
        await asyncio.gather(one.settle(), other.settle())
        clock.advance(days=1)
        await asyncio.gather(one.settle(), other.settle())
        assert sum('"topics"' in call.system for call in model_server.calls) == 1
        assert len(await one.notes.list(kind="topic")) == 3
        assert sum(len(each.nights) for each in heard) == 1


async def test_by_hand_the_night_comes_now_and_closes_nothing_early(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        heard = Listening(memory)
        await a_day(memory, clock)
        await memory.settle()
        await say(memory.channel("hall"), "Still talking.")
        night = await memory.notes.nightly()
        assert (night.day, night.notes, night.topics, night.people) == (DAY, 5, 3, 2)
        assert len(await memory.notes.buffers()) == 1
        assert heard.nights == [(DAY, ["juno", "mina"])]
        again = await memory.notes.nightly()
        assert (again.notes, again.topics, again.people) == (0, 0, 0)
        clock.advance(days=1)
        await memory.settle()
        assert all(note.topic for note in await memory.notes.list(kind="note")), (
            "what was said later, the night puts in"
        )
        assert await memory.notes.nightly(space="nowhere") == erstwhile.layers.notes.model.Night(
            date(2026, 3, 3), 0, 0, 0
        )


async def test_in_a_space_that_is_not_remembered_no_night_falls(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        await a_day(memory, clock)
        await memory.settle()
    async with opened(database_url, clock, spaces=["elsewhere"]) as memory:
        assert await memory.notes.nightly() == erstwhile.layers.notes.model.Night(DAY, 0, 0, 0)
        assert await runtime(memory).database.read("default", store.last_night) is None


async def test_two_nights_by_hand_at_once_put_no_note_into_two_topics(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as one, opened(database_url, clock) as other:
        await a_day(one, clock)
        await one.settle()
        nights = await asyncio.gather(one.notes.nightly(), other.notes.nightly())
        assert sum(night.notes for night in nights) == 5
        topics = await one.notes.list(kind="topic")
        assert len(topics) == 3
        assert sum(len(topic.notes) for topic in topics) == 5


async def test_what_was_missed_is_made_up_for_day_by_day(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        for _ in range(3):
            await a_day(memory, clock, notes=4)
            await runtime(memory).worker.settle()
            clock.now = clock.now.replace(hour=9, minute=0)
            clock.advance(days=1)
    clock.advance(days=2)
    async with opened(database_url, clock) as memory:
        await runtime(memory).database.write("default", _forget_jobs)
        heard = Listening(memory)
        await memory.settle()
        topics = await memory.notes.list(kind="topic")
        assert {topic.day.day for topic in topics} == {2, 3, 4}
        assert all(note.topic for note in await memory.notes.list(kind="note"))
        assert len(heard.nights) <= 1
    async with opened(database_url, clock) as memory:
        heard = Listening(memory)
        await memory.settle()
        assert heard.nights == []


async def test_a_night_that_never_was_is_made_up_for_on_start(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        await a_day(memory, clock, notes=4)
        await memory.settle()
        await runtime(memory).database.write("default", _forget_jobs)
        assert await runtime(memory).database.read("default", store.last_night) is None
    clock.advance(days=3)
    async with opened(database_url, clock) as memory:
        await memory.settle()
        assert len(await memory.notes.list(kind="topic")) == 3
        assert await runtime(memory).database.read("default", store.last_night) == clock.now


async def test_a_model_that_forgets_notes_is_helped_and_one_that_makes_too_few_topics_asked_again(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    def topics(*notes: list[int]) -> str:
        made = [{"title": f"T{n}", "summary": "S", "notes": each} for n, each in enumerate(notes)]
        return str({"topics": made}).replace("'", '"')

    async with opened(database_url, clock, model_server) as memory:
        await a_day(memory, clock)
        await memory.settle()
        clock.advance(days=1)
        model_server.then(topics([1, 2, 3, 4, 5]), topics([1, 2], [3], [4]))
        await memory.settle()
        found = await memory.notes.list(kind="topic")
        assert len(found) == 3
        assert sum(len(topic.notes) for topic in found) == 5
        assert any("could not be used" in call.user for call in model_server.calls)


async def test_days_whose_notes_stay_drafts_are_put_into_topics_once(database_url: str, clock: FixedClock) -> None:
    """As after an import with a wrong key: no note gets better, so no topic is made again and again."""
    refused = [True]
    with ModelServer(lambda call: Fault.bad_request(401) if refused[0] else complete(call)) as server:
        async with opened(database_url, clock, server) as memory:
            for _ in range(10):  # more groups than one run takes
                await a_day(memory, clock, notes=1)
                clock.advance(days=1)
            await asyncio.wait_for(memory.settle(), timeout=120)
            notes = await memory.notes.list(kind="note", limit=100)
            assert len(notes) == 10
            assert all(note.draft and note.topic for note in notes)
            assert len(await memory.notes.list(kind="topic", limit=100)) == 10
            refused[0] = False
            await memory.jobs.retry()
            clock.advance(hours=1)
            await asyncio.wait_for(memory.settle(), timeout=120)
            assert not any(each.draft for each in await memory.notes.list(limit=100))


async def test_a_topic_can_be_edited_and_deleted(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        await a_day(memory, clock, notes=3)
        await memory.settle()
        await memory.notes.nightly()
        one, other, third = await memory.notes.list(kind="topic")
        await memory.memories.edit(one.id, "What we really did.", by="mina")
        await memory.memories.delete(other.id, by="mina")
        await memory.notes.nightly()
        await memory.spaces.rebuild()
        await memory.settle()
        await memory.notes.nightly()
        found = {topic.id: topic.text for topic in await memory.notes.list(kind="topic")}
        assert found == {one.id: "What we really did.", third.id: third.text}


def _forget_jobs(tx: object):  # type: ignore[no-untyped-def]
    from erstwhile.storage.queries import make

    sql = "DELETE FROM jobs WHERE space = :space"
    return tx.run(make("forget", sql, sql))  # type: ignore[attr-defined]
