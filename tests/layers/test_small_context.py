"""A model that reads little at once: every step asks for less, nothing is lost, and what can't be divided says what to do."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from days_kit import asked, rows
from profiled import facts, night, note, stated, take

import erstwhile
from erstwhile.base.errors import RequestTooLong
from erstwhile.layers.brief import store as briefs
from erstwhile.layers.days import portrait
from erstwhile.layers.days.making import DayWork
from erstwhile.layers.days.model import Portrait
from erstwhile.testing import Call, FixedClock
from erstwhile.testing.answers import complete
from erstwhile.writers.extractive import ExtractiveWriter
from erstwhile.writers.prompted import PromptedWriter
from erstwhile.writers.providers import ModelChoice
from erstwhile.writers.writers import Writers
from inside import runtime
from support.small_context import SmallContext

SERVERS = ("openai", "llama.cpp", "vllm", "tgi")


def opened(url: str, clock: FixedClock, server: SmallContext, **more: Any) -> erstwhile.Memory:
    where = {"model": "openai-compatible:small", "base_url": server.base_url, "api_key": "k"}
    settings: dict[str, Any] = {"worker": False, "model_timeout_seconds": 60, "retry_base_seconds": 0.01, **more}
    return erstwhile.open(url, clock=clock, **where, **settings)


async def talk(memory: erstwhile.Memory, *texts: str, reply: str = "Noted.") -> None:
    lines: list[dict[str, Any]] = []
    for text in texts:
        lines.append({"role": "user", "person": "mina", "name": "Mina", "text": text})
        lines.append({"role": "assistant", "text": reply})
    await memory.channel("chat").add_many(lines)


async def settled(memory: erstwhile.Memory) -> None:
    done = await memory.settle()
    assert (done.waiting, done.parked) == (0, 0), [(each.kind, each.reason) for each in await memory.jobs.list()]


# The brief


@pytest.mark.parametrize("words", SERVERS)
async def test_turns_are_folded_in_as_many_parts_as_it_takes(database_url: str, clock: FixedClock, words: str) -> None:
    with SmallContext(4096, words) as server:
        async with opened(database_url, clock, server, recipe="brief") as memory:
            await talk(memory, *(f"trip {n} " + "to the sea and back again " * 60 for n in range(40)))
            await settled(memory)
            found = await runtime(memory).database.read("default", lambda tx: briefs.get(tx, "chat"))
            assert found is not None
            assert not found.draft
            assert found.text.startswith("|" * 37 + " turns so far, the last about: trip 36"), (
                "each turn once, in order"
            )
            assert found.cursor == 74
    assert server.refused


async def test_a_long_message_is_folded_piece_by_piece(database_url: str, clock: FixedClock) -> None:
    with SmallContext(2000) as server:
        async with opened(database_url, clock, server, recipe="brief") as memory:
            pasted = " ".join(f"word{n}" for n in range(6000))
            await talk(memory, pasted, "one", "two", "three")
            await settled(memory)
    read = " ".join(call.user for call in server.answered)
    assert set(re.findall(r"word\d+", read)) == set(pasted.split()), "no word was left out"


async def test_a_summary_between_two_parts_stays_within_the_cap(database_url: str, clock: FixedClock) -> None:
    def wordy(call: Call) -> str:
        return "Mina talked about trips to the sea and back. " * 60 if "NEW_TURNS" in call.user else complete(call)

    limits = {"turns": 3, "threshold": 2000, "cap": 100}
    with SmallContext(1500, answer=wordy) as server:
        async with opened(database_url, clock, server, recipe="brief", brief=limits) as memory:
            await talk(memory, *(f"trip {n} " + "to the sea and back again " * 30 for n in range(20)))
            await memory.settle()
    existing = [call.user.partition("=== END_EXISTING_SUMMARY")[0] for call in server.answered]
    assert max(map(len, existing)) < 700


async def test_secrets_stay_masked_in_the_parts(database_url: str, clock: FixedClock) -> None:
    key = "sk-proj-" + "a1B2c3D4e5" * 4
    with SmallContext(2000) as server:
        async with opened(database_url, clock, server, recipe="brief") as memory:
            await talk(memory, *(f"trip {n}, my key is {key}, " + "to the sea and back " * 60 for n in range(30)))
            await settled(memory)
    assert server.answered
    assert not any(key in call.user for call in server.calls)


async def test_what_cannot_be_divided_is_parked_and_says_what_to_do(database_url: str, clock: FixedClock) -> None:
    with SmallContext(100) as server:
        async with opened(database_url, clock, server, recipe="brief") as memory:
            await talk(memory, *(f"trip {n} " + "to the sea and back again " * 60 for n in range(40)))
            await memory.settle()
            (job,) = await memory.jobs.list(state="parked")
            assert "openai-compatible:small finds the request too long" in (job.reason or "")
            assert "--ctx-size" in (job.reason or "")
            assert "erstwhile jobs retry" in (job.reason or "")
            server.limit = 4096
            await memory.jobs.retry()
            await settled(memory)
            found = await runtime(memory).database.read("default", lambda tx: briefs.get(tx, "chat"))
            assert found is not None
            assert found.text.startswith("|" * 37 + " turns so far")


# Notes, topics and profiles


@pytest.mark.parametrize("words", SERVERS)
async def test_a_long_conversation_gets_one_note_of_all_its_messages(
    database_url: str, clock: FixedClock, words: str
) -> None:
    places = ("Busan", "Seoul", "Daegu", "Jeju")
    said = [f"I moved to {places[n // 10]}. " + "It is by the sea and the trains are slow. " * 12 for n in range(40)]
    with SmallContext(4096, words) as server:
        async with opened(database_url, clock, server, recipe="community") as memory:
            await memory.channel("hall").add_many(
                [{"role": "user", "person": "mina", "name": "Mina", "text": text} for text in said]
            )
            clock.advance(minutes=30)
            await settled(memory)
            (found,) = await memory.notes.list(kind="note")
            assert not found.draft
            assert (found.first_seq, found.last_seq) == (1, 40)
            noted = [call for call in server.answered if '"people"' in call.system]
            assert sum(call.user.count("<message ") for call in noted) == 40
            homes = [each for each in await facts(memory, "mina", ended=True) if each.slot == "home"]
            assert {each.value for each in homes} == set(places)
            assert {(each.seq or 0) <= 40 for each in homes} == {True}
            assert max(each.seq or 0 for each in homes) > 30, "of the second half, by its own numbers"


async def test_topics_are_made_of_fewer_notes_at_a_time(database_url: str, clock: FixedClock) -> None:
    with SmallContext(1100) as server:
        async with opened(database_url, clock, server, recipe="community") as memory:
            await memory.channels.set_privacy(memory.channel("hall"), "open")
            for n in range(16):
                for person in ("mina", "juno"):
                    text = f"The matter {n} is about the garden and its plants " * 3
                    await memory.channel("hall").add("user", text, person=person, name=person.title())
                clock.advance(minutes=30)
            await settled(memory)
            await memory.notes.nightly()
            topics, notes = await memory.notes.list(kind="topic"), await memory.notes.list(kind="note")
            assert len(notes) == 16
            assert sorted(id for each in topics for id in each.notes) == sorted(each.id for each in notes)
            assert 3 <= len(topics) <= 8
            assert not any(each.draft for each in topics)
    assert [call for call in server.refused if '"topics"' in call.system]


async def test_a_profile_is_consolidated_in_parts(database_url: str, clock: FixedClock) -> None:
    with SmallContext(1500) as server:
        async with opened(database_url, clock, server, recipe="community") as memory:
            told = [f"Alice likes the sea at place number {n} in the morning" for n in range(40)]
            for n, text in enumerate(told):
                await take(memory, note(f"n{n}"), [stated(f"{text}.", section="interests")])
            await night(memory, "alice")
            await settled(memory)
            assert {each.text.rstrip(".") for each in await facts(memory)} == set(told), "nothing is lost"
    merged = [call for call in server.answered if '"drop"' in call.system]
    assert sum(call.user.count("<fact ") for call in merged) == 40
    assert server.refused


# Days


async def test_a_long_day_is_read_in_parts(database_url: str, clock: FixedClock) -> None:
    with SmallContext(2500, "vllm") as server:
        async with opened(database_url, clock, server) as memory:
            said = [f"tree {n} " + "is a tall tree with many leaves " * 8 for n in range(30)]
            await memory.channel("general").add_many(
                [{"role": "user", "person": "alice", "name": "Alice", "text": text} for text in said]
            )
            about = await memory.about("alice")
            assert "tree 0" in about.today
            (day,) = await rows(memory, "days")
            assert not day["draft"]
    read = [call for call in server.answered if '"days"' in call.system and "Alice said" not in call.user]
    assert sum(call.user.count("<message>") for call in read) == 30
    assert len(asked(server, "days")) > 3


async def test_week_and_portrait_are_written_in_parts(database_url: str, clock: FixedClock) -> None:
    def long_days(call: Call) -> str:
        answer = complete(call)
        if '"days"' not in call.system:
            return answer
        days = json.loads(answer)
        for each in days["days"]:
            each["summary"] = f"{each['summary']} {'The sea was cold and clear. ' * 11}"
        return json.dumps(days)

    with SmallContext(100_000, answer=long_days) as server:
        async with opened(database_url, clock, server, days={"characters": 1200, "week_characters": 2000}) as memory:
            for n in range(5):
                text = f"day {n} was at the sea. The sea was cold and clear."
                await memory.channel("general").add("user", text, person="alice", name="Alice")
                server.limit = 100_000 if n < 4 else 480
                await memory.remember("alice", f"I like the place {n} by the sea")
                about = await memory.about("alice")
                clock.advance(days=1)
            (week,) = await rows(memory, "weeks")
            assert not week["draft"]
            assert [f"day {n}" in week["text"] for n in range(4)] == [True] * 4
            assert about.text.startswith("In all:"), "written by the model"
            assert [f"place {n}" in about.text for n in range(5)] == [True] * 5
            assert "day 4" in about.text
    assert [call for call in server.refused if '"portrait"' in call.system]
    assert [call for call in server.refused if '"week"' in call.system]


async def test_a_question_that_is_too_long_leaves_the_model_to_the_others() -> None:
    with SmallContext(100) as server:
        name = "openai-compatible:small"
        model = PromptedWriter(ModelChoice(name, name, base_url=server.base_url, api_key="k"))
        work = DayWork(Writers(model, ExtractiveWriter()))
        ask = portrait.ask(Portrait("alice", "Alice", told="Alice lives in Seoul.", today="Alice swam."))
        assert (await work.answer(ask)).draft
        assert isinstance(work.failure, RequestTooLong)
        server.limit = 4096
        assert not (await work.answer(ask)).draft
        await model.close()


# What was told


async def test_much_that_was_told_is_merged_and_forgotten_in_parts(database_url: str, clock: FixedClock) -> None:
    fruits = ["apples", "pears", "plums", "grapes", "melons", "figs", "dates", "lemons", "limes", "kiwis", "mangos"]
    told = [f"likes {each} from the market by the river" for each in fruits]
    with SmallContext(100_000) as server:
        async with opened(database_url, clock, server) as memory:
            await memory.channel("hall").add("user", "hi", person="alice", name="Alice")
            for each in told:
                await memory.remember("alice", each)
            server.limit = 320
            await memory.remember("alice", "I live in Busan")
            (text,) = await memory.people.remembered("alice")
            assert not text.draft
            assert "lives in Busan" in text.text
            assert [each in text.text for each in fruits] == [True] * 11, "nothing is lost"
            gone = await memory.forget("alice", "likes dates")
            assert gone.found
            (text,) = await memory.people.remembered("alice")
            assert "dates" not in text.text
            assert [each in text.text for each in fruits].count(True) == 10
    assert len(server.refused) > 1


async def test_what_was_said_before_remember_this_is_read_in_parts(database_url: str, clock: FixedClock) -> None:
    with SmallContext(600) as server:
        async with opened(database_url, clock, server) as memory:
            chat = memory.channel("chat")
            for n in range(12):
                await chat.add("user", f"I like the number {n}", person="alice", name="Alice")
            done = await chat.command("remember this about Alice", person="alice")
            assert done.found
            assert [f"number {n}" in done.fact for n in range(12)] == [True] * 12
    read = [call for call in server.answered if '"sentences"' in call.system]
    assert sum(call.user.count("<message ") for call in read) == 12
    assert len(read) > 1


async def test_a_hosted_prompt_that_reads_little_is_asked_in_parts(database_url: str, clock: FixedClock) -> None:
    brief = {"turns": 3, "threshold": 6000, "cap": 500, "prompt": "pmpt_1@3"}
    with SmallContext(2000, "openai") as server:
        more = {"model": "openai:gpt-5-nano", "base_url": server.base_url, "api_key": "k"}
        async with erstwhile.open(
            database_url, clock=clock, worker=False, recipe="brief", brief=brief, **more
        ) as memory:
            await talk(memory, *(f"trip {n} " + "to the sea and back again " * 60 for n in range(40)))
            await settled(memory)
            found = await runtime(memory).database.read("default", lambda tx: briefs.get(tx, "chat"))
            assert found is not None
            assert found.text.startswith("|" * 37 + " turns so far")
    assert server.refused
    assert {call.path for call in server.calls} == {"/responses"}
