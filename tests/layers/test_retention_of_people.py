"""F12 for what is known about people: notes, topics, profiles, told texts, days. Nothing dangles, whatever goes first."""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from stored_rows import said

import erstwhile
from community import Community, dangling, everything, insert, read
from erstwhile import ExpiryReport, Memory
from erstwhile.base import ids
from erstwhile.memories import history
from erstwhile.memories.history import VersionEntry
from erstwhile.storage import Transaction
from erstwhile.testing import FixedClock, ModelServer
from inside import runtime


@pytest.fixture
async def hall(database_url: str, clock: FixedClock) -> AsyncIterator[Community]:
    """Three days ago something was said; a space says for itself what it keeps."""
    settings = {"recipe": "dual", "recent_messages": 1, "worker": False}
    async with erstwhile.open(database_url, clock=clock, **settings) as memory:
        await memory.channel("hall").add_many(said(21))
        await memory.settle()
        yield Community(memory, clock())


async def expire(hall: Community, retention: str) -> ExpiryReport:
    await hall.memory.spaces.configure(retention=retention)
    gone = await hall.memory.archive.expire()
    before = await everything(hall.memory)
    assert await hall.memory.archive.expire() == ExpiryReport(), "a second run finds nothing to do"
    assert await everything(hall.memory) == before
    assert await dangling(hall.memory) == {}
    return gone


async def notes(memory: Memory) -> dict[str, tuple[str, str]]:
    rows = await read(memory, "SELECT id, title, text FROM memories WHERE space = :space AND kind IN ('note', 'topic')")
    return {row["id"]: (row["title"], row["text"]) for row in rows}


async def test_a_note_that_a_fact_leans_on_keeps_its_name(hall: Community, clock: FixedClock) -> None:
    memory = hall.memory
    leaned = await hall.note("leaned", 0)
    also = await hall.note("also", 0, place=("hall", 6, 10))
    loose = await hall.note("loose", 0, place=("gone", 1, 5))
    fresh = await hall.note("fresh", 20, place=("hall", 11, 15))
    fact = await hall.profile_fact("mina", 0, leaned, also=[also])
    clock.advance(days=31)
    assert await expire(hall, "note=30") == ExpiryReport(note=3)
    assert await notes(memory) == {
        leaned: ("About leaned", ""),
        also: ("About also", ""),
        fresh: ("About fresh", "Words of fresh"),
    }
    stub = (await read(memory, "SELECT * FROM memories WHERE space = :space AND id = :id", id=leaned))[0]
    assert (stub["text"], stub["category"]) == ("", hall.day(0))
    assert len(await read(memory, "SELECT * FROM note_people WHERE space = :space AND id = :id", id=leaned)) == 1
    last = (await memory.memories.history(loose))[-1]
    assert (last.action, last.by, last.text) == ("deleted", "retention", "")
    assert {version.text for version in await memory.memories.history(leaned)} == {""}
    assert (await memory.memories.history(fact))[-1].action == "written"

    assert await expire(hall, "note=30,profile=30") == ExpiryReport(profile=1)
    assert (await notes(memory)).keys() == {leaned, also, fresh}, "their messages are still there"
    assert (await notes(memory))[leaned] == ("", ""), "the place alone, so that they are not noted again"
    assert await expire(hall, "note=30,profile=30,message=30") == ExpiryReport(message=20)
    assert (await notes(memory)).keys() == {fresh}


async def test_a_topic_that_stays_keeps_the_names_of_its_notes(hall: Community, clock: FixedClock) -> None:
    memory = hall.memory
    one, two = await hall.note("one", 0, place=("gone", 1, 5)), await hall.note("two", 0, place=("gone", 6, 9))
    topic = await hall.topic("garden", 1, [one, two])
    clock.advance(days=31)
    assert await expire(hall, "note=20") == ExpiryReport(note=2)
    assert await notes(memory) == {
        one: ("About one", ""),
        two: ("About two", ""),
        topic: ("About garden", "Words of garden"),
    }
    assert await expire(hall, "topic=20") == ExpiryReport(topic=1)
    assert await notes(memory) == {}


async def test_notes_of_a_topic_that_went_are_not_put_into_topics_again(hall: Community, clock: FixedClock) -> None:
    note = await hall.note("one", 0)
    topic = await hall.topic("garden", 1, [note])
    clock.advance(days=31)
    assert await expire(hall, "topic=20") == ExpiryReport(topic=1)
    assert await notes(hall.memory) == {note: ("About one", "Words of one"), topic: ("", "")}
    (row,) = await read(hall.memory, "SELECT * FROM memory_sources WHERE space = :space")
    assert (row["id"], row["source"]) == (topic, note)
    await hall.memory.notes.nightly()
    assert (await notes(hall.memory)).keys() == {note, topic}


async def test_a_fact_goes_when_nobody_has_restated_it(hall: Community, clock: FixedClock) -> None:
    memory = hall.memory
    old, new = await hall.note("old", 0), await hall.note("new", 20, place=("hall", 6, 10))
    await insert(memory, "profiles", person="mina", changed_at=0, consolidated_at=0)
    gone = await hall.profile_fact("gone", 0, old)
    await hall.profile_fact("restated", 0, old, also=[new])
    await hall.profile_fact("recent", 20, new)
    await hall.profile_fact("by hand", 0, None, edited=True)
    ended = await hall.profile_fact("ended", 0, old, edited=True)
    query = "SELECT text, superseded_by FROM memories WHERE space = :space AND kind = 'profile' ORDER BY text"
    await runtime(memory).database.write(
        "default",
        lambda tx: tx.run(
            erstwhile.storage.queries.make(
                "t", *["UPDATE memories SET superseded_by = :by WHERE space = :space AND id = :id"] * 2
            ),
            by=gone,
            id=ended,
        ),
    )
    clock.advance(days=31)
    assert await expire(hall, "profile=30") == ExpiryReport(profile=1)
    assert [row["text"] for row in await read(memory, query)] == [
        "Words of by hand",
        "Words of ended",
        "Words of recent",
        "Words of restated",
    ]
    versions = await memory.memories.history(gone)
    assert [(each.action, each.by, each.text) for each in versions] == [
        ("written", "m", ""),
        ("deleted", "retention", ""),
    ]
    assert (await read(memory, "SELECT changed_at FROM profiles WHERE space = :space"))[0]["changed_at"] > 0


async def test_told_texts_go_when_nobody_touched_them(hall: Community, clock: FixedClock) -> None:
    memory = hall.memory
    mina = await hall.told("mina", 0)
    await hall.told("jun", 20)
    await hall.told("ada", 0)
    await hall.telling("ada", 25, number=2)  # not merged in yet
    await hall.telling("bob", 0)  # all of it was forgotten
    await hall.week_and_portrait("mina", 30)
    clock.advance(days=31)
    assert await expire(hall, "told=30") == ExpiryReport(told=1)
    assert {row["person"] for row in await read(memory, "SELECT * FROM told WHERE space = :space")} == {"jun", "ada"}
    assert {row["person"] for row in await read(memory, "SELECT * FROM tellings WHERE space = :space")} == {
        "jun",
        "ada",
    }
    assert await read(memory, "SELECT * FROM portraits WHERE space = :space") == []
    assert [(each.action, each.by, each.text) for each in await memory.memories.history(mina)] == [
        ("written", "m", ""),
        ("deleted", "retention", ""),
    ]


async def test_days_go_but_are_not_made_again_while_anyone_looks_back_on_them(
    hall: Community, clock: FixedClock
) -> None:
    memory = hall.memory
    for at in (0, 20, 27, 30):
        await hall.a_day("mina", at)
    await hall.week_and_portrait("mina", 0)
    await hall.week_and_portrait("jun", 30)
    clock.advance(days=31)
    assert await expire(hall, "day=3") == ExpiryReport(day=3)
    days = "SELECT category AS day FROM memories WHERE space = :space AND kind = 'day'"
    assert [row["day"] for row in await read(memory, days)] == [hall.day(30)]
    batches = await read(memory, "SELECT day FROM day_batches WHERE space = :space ORDER BY day")
    assert [row["day"] for row in batches] == [hall.day(27), hall.day(30)]
    for table in ("weeks", "portraits"):
        rows = await read(memory, f"SELECT person FROM {table} WHERE space = :space")
        assert [row["person"] for row in rows] == ["jun"]


async def test_a_day_whose_messages_went_is_no_draft_any_longer(hall: Community, clock: FixedClock) -> None:
    await hall.a_day("mina", 0)
    await hall.a_day("mina", 31)
    clock.advance(days=31)
    assert await expire(hall, "message=30") == ExpiryReport(message=20)
    rows = await read(
        hall.memory, "SELECT category AS day, draft FROM memories WHERE space = :space AND kind = 'day' ORDER BY day"
    )
    assert [(row["day"], row["draft"]) for row in rows] == [(hall.day(0), 0), (hall.day(31), 1)]


@pytest.mark.parametrize("seed", range(6 if os.environ.get("ERSTWHILE_SOAK") else 1))
async def test_nothing_dangles_whatever_is_kept_for_how_long(hall: Community, clock: FixedClock, seed: int) -> None:
    chance = random.Random(seed)
    memory = hall.memory
    written: list[str] = []
    for n in range(40):
        at = chance.uniform(0, 60)
        place = (chance.choice(["hall", "gone"]), 5 * n + 1, 5 * n + 5)
        written.append(await hall.note(f"note {n}", at, place=place))
    for n in range(6):
        await hall.topic(f"topic {n}", chance.uniform(0, 60), chance.sample(written, 5))
    for n in range(40):
        note = chance.choice([*written, None])
        also = chance.sample(written, chance.randint(0, 3))
        await hall.profile_fact(f"fact {n}", chance.uniform(0, 60), note, also=also, edited=chance.random() < 0.2)
    for n in range(10):
        await hall.told(f"person {n}", chance.uniform(0, 60))
        await hall.a_day(f"person {n}", chance.uniform(0, 60))
        await hall.week_and_portrait(f"person {n}", chance.uniform(0, 60))
    talk = memory.channel("hall")
    clock.advance(days=30)
    await talk.add_many(said(19, start=22))
    await memory.settle()
    clock.advance(days=30)
    facts = await memory.facts.list(talk)
    for _ in range(4):
        kinds = chance.sample(["message", "day", "note", "topic", "told", "profile"], chance.randint(1, 6))
        await expire(hall, ",".join(f"{kind}={chance.uniform(1, 70):.2f}" for kind in kinds))
        clock.advance(days=chance.uniform(0, 10))
        await memory.settle()
        assert (await talk.context("red lanterns", person="alice")).text
        hits = await memory.search("lanterns of the market in Busan", limit=50, kinds=["message", "chunk", "fact"])
        for hit in hits:
            await memory.memories.sources(hit.id)
        for row in await read(memory, "SELECT DISTINCT id FROM versions WHERE space = :space"):
            assert await memory.memories.history(row["id"])
        assert not [each for each in await memory.doctor() if each.level == "problem"]
        assert [fact.text for fact in await memory.facts.list(talk)] == [fact.text for fact in facts]
    await memory.spaces.rebuild()
    settled = await memory.settle()
    assert (settled.waiting, settled.parked) == (0, 0)
    assert [fact.text for fact in await memory.facts.list(talk)] == [fact.text for fact in facts]


async def test_what_was_made_of_days_that_went_is_told_no_longer(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    settings = {"recipe": "person", "worker": False, "retention": {"day": 2}}
    model = {"model": "openai-compatible:scripted", "base_url": model_server.base_url, "api_key": "k"}
    async with erstwhile.open(database_url, clock=clock, **settings, **model) as memory:
        hall = memory.channel("hall")
        for seen in ("an aardvark", "a badger", "a cheetah", "a dingo", "an emu"):
            await hall.add("user", f"I saw {seen} today", person="mina", name="Mina")
            await hall.add("user", "Great", person="jun", name="Jun")
            clock.advance(days=1)
        assert "aardvark" in (await memory.about("mina")).history
        clock.advance(hours=1)
        assert (await memory.archive.expire()).day == 6
        told = (await hall.context("How is Mina?", person="jun")).text
        people = told.partition("<people>")[2].partition("</people>")[0]
        assert "emu" in people
        for gone in ("aardvark", "badger", "cheetah"):
            assert gone not in people
            assert gone not in (await memory.about("mina")).history


async def test_the_words_of_what_was_replaced_or_deleted_go_from_the_history_too(
    hall: Community, clock: FixedClock
) -> None:
    memory = hall.memory
    standing = await hall.profile_fact("standing", 40, None)
    replaced = {kind: ids.derived(kind, "replaced") for kind in ("profile", "topic", "note", "told", "day")}
    late = ids.derived("profile", "late")

    async def unit(tx: Transaction) -> None:
        await history.record(tx, [VersionEntry(id, "Words of replaced", "m") for id in replaced.values()], clock())
        await history.record(tx, [VersionEntry(late, "Words of late", "m")], clock() + timedelta(days=40))

    await runtime(memory).database.write("default", unit)
    by_hand = await hall.profile_fact("by hand", 0, None)
    await memory.memories.delete(by_hand, by="jun")
    clock.advance(days=41)
    await expire(hall, "profile=30,note=30,told=30,day=30")
    words = {
        id: {version.text for version in await memory.memories.history(id)}
        for id in (*replaced.values(), late, standing)
    }
    assert all(words[replaced[kind]] == {""} for kind in ("profile", "note", "told", "day"))
    assert words[replaced["topic"]] == {"Words of replaced"}, "topics are kept"
    assert words[late] == {"Words of late"}
    assert [(each.action, each.by, each.text) for each in await memory.memories.history(by_hand)][-1] == (
        "deleted",
        "jun",
        "",
    )
    assert words[standing] == {"Words of standing"}
    await expire(hall, "topic=30")
    assert {version.text for version in await memory.memories.history(replaced["topic"])} == {""}
