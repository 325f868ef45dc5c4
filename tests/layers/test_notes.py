"""P2, P3, P4, P6, P9: a channel's buffer, and the note it becomes, on both databases."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listening_layer import Listening, opened, places, say

import erstwhile
from erstwhile.layers.notes import store
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock, ModelServer
from inside import pages, runtime

DROP_JOBS = make("drop", *("DELETE FROM jobs WHERE space = :space",) * 2)


async def test_a_channel_that_falls_quiet_gets_its_note(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        heard = Listening(memory)
        hall = memory.channel("hall")
        await say(hall, "I moved to Busan last week.")
        clock.advance(minutes=10)
        await say(hall, "I like jazz.", "juno")
        (buffer,) = await memory.notes.buffers()
        assert (buffer.channel, buffer.first_seq, buffer.last_seq, buffer.messages) == ("hall", 1, 2, 2)
        assert buffer.updated_at - buffer.started_at == timedelta(minutes=10)
        clock.advance(minutes=24)
        assert (await memory.settle()).waiting == 0, "a timer that has not run down is nothing to be done"
        assert [job.kind for job in await memory.jobs.list(state="timer")] == ["notes.flush"]
        assert await memory.notes.list() == []
        clock.advance(minutes=1)
        await memory.settle()
        (note,) = await memory.notes.list()
        assert (note.kind, note.channel, note.first_seq, note.last_seq) == ("note", "hall", 1, 2)
        assert note.people == ("juno", "mina")
        assert (note.draft, note.writer, note.topic) == (True, "extractive/1", None)
        assert "Busan" in note.text
        assert note.title
        assert await memory.notes.buffers() == []
        assert [version.text for version in await memory.memories.history(note.id)] == [note.text]
        ((told, stated),) = heard.notes
        assert told.id == note.id
        assert {(each.about, each.said_by, each.section, each.value, each.seq) for each in stated} == {
            ("mina", "mina", "bio", "Busan", 1),
            ("juno", "juno", "interests", "jazz", 2),
        }
        (found,) = [hit for hit in await memory.search("Busan") if hit.kind == "note"]
        assert found.id == note.id
        assert len((await memory.memories.sources(note.id)).sources) == 2


async def test_a_conversation_that_goes_on_is_noted_after_two_hours(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        hall = memory.channel("hall")
        for n in range(14):
            await say(hall, f"The lanterns are red, {n}.")
            await memory.settle()
            clock.advance(minutes=10)
        assert await places(memory) == [(1, 12)]
        (buffer,) = await memory.notes.buffers()
        assert (buffer.first_seq, buffer.last_seq) == (13, 14)


async def test_timers_outlive_the_process_and_lost_ones_come_back(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        await say(memory.channel("hall"), "I moved to Busan.")
        await say(memory.channel("yard"), "I moved to Seoul.")
    clock.advance(minutes=26)
    async with opened(database_url, clock) as memory:
        await memory.settle()
        assert {note.channel for note in await memory.notes.list()} == {"hall", "yard"}
        await say(memory.channel("hall"), "And now?")
        await runtime(memory).database.write("default", lambda tx: tx.run(DROP_JOBS))
    async with opened(database_url, clock) as memory:
        clock.advance(minutes=24)
        await memory.settle()
        assert len(await memory.notes.buffers()) == 1
        clock.advance(minutes=1)
        await memory.settle()
        assert await memory.notes.buffers() == []
        assert await places(memory) == [(1, 1), (2, 2)]


async def test_the_bots_own_words_never_enter_and_threads_are_channels(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        hall, thread = memory.channel("hall"), memory.channel("hall/thread-1")
        await hall.add("assistant", "Welcome, everyone. I am the tortoise.")
        assert await memory.notes.buffers() == []
        await say(hall, "Where do we meet?")
        await hall.add("assistant", "In Zanzibar, obviously.")
        await hall.add("system", "The bot has joined.")
        await say(thread, "The thread is about lanterns.", "juno")
        clock.advance(minutes=30)
        await memory.settle()
        notes = {note.channel: note for note in await memory.notes.list()}
        assert notes.keys() == {"hall", "hall/thread-1"}
        assert (notes["hall"].first_seq, notes["hall"].last_seq, notes["hall"].people) == (2, 2, ("mina",))
        assert "Zanzibar" not in notes["hall"].text


async def test_an_import_of_old_chats_is_cut_as_it_happened(database_url: str, clock: FixedClock) -> None:
    start = datetime(2024, 5, 1, 20, tzinfo=UTC)
    minutes = [0, 5, 20, 60, 61, 24 * 60, 24 * 60 + 3]
    told: list[dict[str, Any]] = [
        {"role": "user", "person": "mina", "text": f"Lantern {n}", "at": start + timedelta(minutes=each)}
        for n, each in enumerate(minutes)
    ]
    async with opened(database_url, clock) as memory:
        await memory.channel("at once").add_many(told)
        for each in told:
            await memory.channel("one by one").add(**each)
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert await memory.notes.buffers() == []
        for channel in ("at once", "one by one"):
            assert await places(memory, channel) == [(1, 3), (4, 5), (6, 7)]
        days = {note.day.isoformat() for note in await memory.notes.list(kind="note")}
        assert days == {"2024-05-01", "2024-05-02"}
        assert {note.day.isoformat() for note in await memory.notes.list(kind="topic")} <= days


async def test_an_import_beside_a_worker_waits_for_the_rest_of_it(database_url: str) -> None:
    start = datetime(2024, 5, 1, 20, tzinfo=UTC)
    async with erstwhile.open(database_url, recipe="community", jobs={"poll_seconds": 0.01}) as memory:
        for n in range(20):
            await memory.channel("hall").add("user", f"Lantern {n}", at=start + timedelta(minutes=n))
            await asyncio.sleep(0.005)
        (buffer,) = await memory.notes.buffers()
        assert (buffer.first_seq, buffer.last_seq) == (1, 20)


async def test_one_light_call_writes_the_note_and_what_it_states(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with opened(database_url, clock, model_server, models={"note": "openai-compatible:light"}) as memory:
        heard = Listening(memory)
        await say(memory.channel("elsewhere"), "Hi", "ada")
        hall = memory.channel("hall")
        await say(hall, "I moved to Busan. <@juno>, and you?")
        await say(hall, "I like jazz & <b>tea</b>", "juno")
        clock.advance(minutes=30)
        await memory.settle()
        calls = [call for call in model_server.calls if "moved to Busan" in call.user]
        assert len(calls) == 1
        assert calls[0].model == "light"
        assert calls[0].schema is not None
        assert "@Juno, and you?" in calls[0].user
        assert "&lt;b&gt;" in calls[0].user
        (note,) = await memory.notes.list(channel="hall")
        assert (note.draft, note.writer) == (False, "openai-compatible:light#note/3")
        stated = next(each for one, each in heard.notes if one.id == note.id)
        assert [(each.about, each.section, each.text, each.slot) for each in stated] == [
            ("mina", "bio", "Mina lives in Busan.", "home"),
            ("juno", "interests", "Juno likes jazz.", "likes"),
        ]


@pytest.mark.usefixtures("unchecked")
async def test_whom_a_statement_is_about(database_url: str, clock: FixedClock, model_server: ModelServer) -> None:
    def claim(person: str, fact: str) -> dict[str, Any]:
        return {"person": person, "section": "bio", "fact": fact, "slot": None, "value": None, "message": 1}

    people = ["mina", "@Juno", "ADA", "Nobody", "Blocked"]
    wanted = {"title": "T", "summary": "S", "people": [claim(each, f"{each} was named.") for each in people]}
    async with opened(database_url, clock, model_server) as memory:
        heard = Listening(memory)
        await say(memory.channel("elsewhere"), "Hi", "ada")
        await say(memory.channel("elsewhere"), "Hi", "blocked")
        await memory.people.block("blocked")
        clock.advance(minutes=30)
        await memory.settle()
        heard.notes.clear()
        hall = memory.channel("hall")
        await say(hall, "All of us were named.")
        await say(hall, "Yes.", "juno")
        clock.advance(minutes=30)
        model_server.then(json.dumps(wanted))
        await memory.settle()
        ((_, stated),) = heard.notes
        assert [(each.about, each.said_by) for each in stated] == [("mina", "mina"), ("juno", "mina"), ("ada", "mina")]


async def test_while_the_model_is_away_there_are_drafts_and_later_notes(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with opened(database_url, clock, model_server) as memory:
        heard = Listening(memory)
        await memory.channels.set_privacy(memory.channel("hall"), "open")
        model_server.down()
        for n in range(4):
            await say(memory.channel("hall"), f"I moved to Busan, {n}.")
            await say(memory.channel("hall"), "I like jazz.", "juno")
            clock.advance(hours=1)
            await memory.settle()
        drafts = await memory.notes.list(kind="note")
        assert [note.draft for note in drafts] == [True] * 4
        assert await memory.notes.buffers() == []
        clock.advance(hours=20)
        await memory.settle()
        while not await memory.notes.list(
            kind="topic"
        ):  # a night that meets a note being tried again waits for a minute
            clock.advance(minutes=1)
            await memory.settle()
        assert all(topic.draft for topic in await memory.notes.list(kind="topic"))
        assert len(await memory.notes.list(kind="topic")) == 3
        model_server.up()
        clock.advance(hours=3)
        heard.notes.clear()
        await memory.settle()
        notes = await memory.notes.list(kind="note")
        assert [note.id for note in notes] == [note.id for note in drafts]
        assert not any(note.draft for note in notes)
        assert {note.id for note, _ in heard.notes} == {note.id for note in notes}
        clock.advance(hours=3)
        await memory.settle()
        topics = await memory.notes.list(kind="topic")
        assert not any(topic.draft for topic in topics)
        assert sorted(id for topic in topics for id in topic.notes) == sorted(note.id for note in notes)
        assert {hit.id for hit in await memory.search("Busan", kinds=["topic"], limit=20)} <= {t.id for t in topics}


async def test_drafts_are_replaced_when_a_model_becomes_available(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with opened(database_url, clock) as memory:
        for n in range(5):
            await say(memory.channel("hall"), f"I moved to Busan, {n}.")
            await say(memory.channel("hall"), "I like jazz.", "juno")
            clock.advance(hours=1)
        clock.advance(days=1)
        await memory.settle()
        drafts = [*await memory.notes.list(kind="note"), *await memory.notes.list(kind="topic")]
        assert [note.draft for note in drafts] == [True] * 8
    async with opened(database_url, clock, model_server) as memory:
        await memory.settle()
        notes, topics = await memory.notes.list(kind="note"), await memory.notes.list(kind="topic")
        assert not any(note.draft for note in (*notes, *topics))
        assert len(topics) == 3
        assert [version.action for version in await memory.memories.history(notes[-1].id)] == ["written", "replaced"]


async def test_a_conversation_without_a_word_has_its_note_too(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        for text in ("👍", "...", "!?"):
            await say(memory.channel("hall"), text)
            clock.advance(minutes=30)
        assert (await memory.settle()).parked == 0
        notes = await memory.notes.list()
        assert [note.title for note in notes] == ['Mina: "!?"', 'Mina: "…"', 'Mina: "👍"']
        assert all(note.text for note in notes)
        assert (await memory.notes.nightly()).topics == 3


async def test_two_memories_on_one_database_write_each_note_once(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with opened(database_url, clock, model_server) as one, opened(database_url, clock, model_server) as other:
        heard = Listening(one), Listening(other)
        for n in range(6):
            await say(one.channel(f"room {n}"), "I moved to Busan.")
            await say(other.channel(f"room {n}"), "I like jazz.", "juno")
        clock.advance(minutes=30)
        await asyncio.gather(one.settle(), other.settle())
        assert len(await one.notes.list()) == 6
        assert len(model_server.calls) == 6
        assert sorted(note.channel for each in heard for note, _ in each.notes) == [f"room {n}" for n in range(6)]


async def test_what_blocked_people_said_before_is_left_out(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        await say(memory.channel("hall"), "I live in Zanzibar.", "mallory")
        await say(memory.channel("hall"), "I moved to Busan.")
        await say(memory.channel("yard"), "I live in Zanzibar.", "mallory")
        await memory.people.block("mallory")
        assert await say(memory.channel("hall"), "Again!", "mallory") == 0
        clock.advance(minutes=30)
        await memory.settle()
        (note,) = await memory.notes.list()
        assert (note.channel, note.people) == ("hall", ("mina",))
        assert "Zanzibar" not in note.text
        assert await memory.notes.buffers() == []
        assert len(await runtime(memory).database.read("default", lambda tx: store.ranges(tx, "yard"))) == 1


async def test_notes_can_be_edited_and_deleted_and_stay_so(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        heard = Listening(memory)
        hall = memory.channel("hall")
        for n in range(3):
            await say(hall, f"I moved to Busan, {n}.")
            clock.advance(minutes=30)
        await memory.settle()
        last, middle, first = await memory.notes.list()
        await memory.memories.edit(middle.id, "They moved, twice.", by="mina")
        await memory.memories.delete(first.id, by="mina")
        assert heard.deleted == [(first.id, "mina")]
        assert [note.id for note in await memory.notes.list()] == [last.id, middle.id]
        edited = (await memory.notes.list(channel="hall", day=middle.day, person="mina", kind="note"))[1]
        assert (edited.title, edited.text) == (middle.title, "They moved, twice.")
        assert {hit.id for hit in await memory.search("twice", kinds=["note"])} == {middle.id}
        with pytest.raises(erstwhile.NotFound):
            await memory.memories.delete(first.id, by="mina")
        await memory.spaces.rebuild()
        await memory.settle()
        assert [note.id for note in await memory.notes.list()] == [last.id, middle.id]
        assert [note.text for note in await memory.notes.list()][1] == "They moved, twice."
        assert await memory.notes.buffers() == []


async def test_everything_is_noted_the_same_way_after_a_rebuild(database_url: str, clock: FixedClock) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    async with opened(database_url, clock) as memory:
        for channel in ("hall", "yard"):
            await memory.channel(channel).add_many(
                [
                    {"role": "user" if n % 5 else "assistant", "person": "mina", "text": f"Lantern {n} is red."}
                    | {"at": start + timedelta(minutes=n + (n // 60) * 40)}
                    for n in range(1, 521)
                ]
            )
        await say(memory.channel("hall"), "And still we talk.")
        await memory.settle()
        before, buffers = await memory.notes.list(limit=1000), await memory.notes.buffers()
        assert len([note for note in before if note.kind == "note"]) > 15
        await memory.spaces.rebuild()
        assert await memory.notes.list() == []
        await say(memory.channel("yard"), "Someone speaks meanwhile.")
        settled = await memory.settle()
        assert settled.parked == 0
        assert await memory.notes.list(limit=1000) == before
        assert [each for each in await memory.notes.buffers() if each.channel == "hall"] == buffers
        assert len(await memory.notes.buffers()) == 2


async def test_notes_of_other_spaces_and_wrong_questions(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await memory.channel("hall", space="one").add("user", "I moved to Busan.", person="mina")
    clock.advance(minutes=30)
    await memory.settle()
    assert len(await memory.notes.list(space="one")) == 1
    assert await memory.notes.list(space="two") == []
    assert await memory.notes.list(space="one", person="juno") == []
    assert await memory.notes.list(space="one", day="2026-03-03") == []
    for wrong in ({"kind": "diary"}, {"limit": 0}, {"day": "yesterday"}):
        with pytest.raises(erstwhile.InvalidInput):
            await memory.notes.list(**wrong)  # type: ignore[arg-type]


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.5, 10, 24, 26, 70, 300]), st.sampled_from("uuab"), st.booleans()), max_size=25
    )
)
def test_every_message_of_a_person_is_in_exactly_one_note_or_buffer(schedule: list[tuple[float, str, bool]]) -> None:
    """Whenever people, the bot and a worker come by; `b` says three things at once."""

    async def live(url: str) -> None:
        clock = FixedClock()
        async with opened(url, clock) as memory:
            hall = memory.channel("hall")
            for minutes, who, works in schedule:
                clock.advance(minutes=minutes)
                role = "assistant" if who == "a" else "user"
                await hall.add_many([{"role": role, "text": "I like jazz.", "person": who}] * (3 if who == "b" else 1))
                if works:
                    await memory.settle()
            notes = [(note.first_seq, note.last_seq) for note in await memory.notes.list(kind="note", limit=1000)]
            held = [(each.first_seq, each.last_seq) for each in await memory.notes.buffers()]
            async for message in hall.messages():
                times = sum(first <= message.seq <= last for first, last in [*notes, *held])
                assert times == 1 or message.role == "assistant"

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(live(str(Path(folder) / "notes.db")))


async def test_notes_page_by_page_by_day_and_one_by_itself(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        began = clock.now.date()
        for n in range(7):
            await say(memory.channel(("hall", "yard")[n % 2]), "I moved to Busan.", ("mina", "juno")[n % 2])
            clock.advance(hours=9)
            await memory.settle()
        every = await memory.notes.list(kind="note")
        assert len(every) == 7
        seen = [note.id for page in await pages(memory.notes.list, kind="note", limit=3) for note in page]
        assert seen == [note.id for note in every]

        until = began + timedelta(days=30)
        for narrowed in ({}, {"channel": "hall"}, {"person": "juno"}, {"channel": "hall", "person": "juno"}):
            noted = await memory.notes.days(began, until.isoformat(), **narrowed)
            plain = await memory.notes.list(kind="note", limit=100, **narrowed)  # type: ignore[arg-type]
            assert {each.day: each.notes for each in noted if each.notes} == Counter(note.day for note in plain)
            topics = await memory.notes.list(kind="topic", limit=100, **narrowed)  # type: ignore[arg-type]
            assert sum(each.topics for each in noted) == len(topics)
        assert await memory.notes.days(began - timedelta(days=9), began - timedelta(days=1)) == []
        assert await memory.notes.days(began, until, space="other") == []

        for n in range(5):
            await say(memory.channel(f"corner {n}"), "Hello again.")
            clock.advance(minutes=1)
        assert [each.channel for each in await memory.notes.buffers(limit=2)] == ["corner 4", "corner 3"]
        assert len(await memory.notes.buffers()) == 5

        topic = next(topic for topic in await memory.notes.list(kind="topic", limit=100) if topic.notes)
        shown = await memory.notes.get(topic.id)
        assert (shown.note, shown.topic, [part.id for part in shown.parts]) == (topic, None, list(topic.notes))
        shown = await memory.notes.get(topic.notes[0])
        assert shown.topic is not None
        assert shown.topic.id == topic.id
        assert [(fact.person in shown.note.people, "Busan" in fact.text) for fact in shown.facts] == [(True, True)]
        assert set(shown.names) == set(shown.note.people)

        first = await memory.notes.list(kind="note", limit=1)
        await memory.memories.delete(every[0].id, by="carol")
        with pytest.raises(erstwhile.NotFound):
            await memory.notes.list(kind="note", limit=1, cursor=first.next)
        for wrong in (every[0].id, "nte_0123456789abcdefghjkmnpqrs", "fct_0123456789abcdefghjkmnpqrs"):
            with pytest.raises(erstwhile.NotFound):
                await memory.notes.get(wrong)
            with pytest.raises(erstwhile.InvalidInput, match="cursor"):
                await memory.notes.list(cursor=wrong)
        with pytest.raises(erstwhile.InvalidInput):
            await memory.notes.days("2026-02-30", "2026-03-01")
