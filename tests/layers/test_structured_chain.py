"""Which memory holds when (R13): a function of what was said and when, whatever the order in which it was read."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stored_rows import rows

import erstwhile
from erstwhile.base.clock import micros, moment
from erstwhile.layers import threads
from erstwhile.layers.structured.chain import MemoryValidity, standings
from erstwhile.layers.structured.model import StructuredMemory
from erstwhile.testing import Call, FixedClock, ModelServer
from erstwhile.testing.answers import sensible, step

DAY = 86_400_000_000
START = datetime(2026, 1, 1, 9, tzinfo=UTC)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 12, 1, 9, tzinfo=UTC))


def link(
    day: int, value: str, *, by_hand: bool = False, valid_from: int | None = None, **more: Any
) -> StructuredMemory:
    usual: dict[str, Any] = {
        "id": f"str_{day}_{value}",
        "type": "fact",
        "slot": "home",
        "value": value,
        "text": f"Alice lives in {value}.",
        "done": False,
        "confidence": 0.9,
        "edited_by": "alice" if by_hand else None,
        "person": "alice",
        "said_by": "alice",
        "channel": "chat",
        "seq": day,
        "at": moment(day * DAY),
        "valid_from": moment(day * DAY if valid_from is None else valid_from),
        "subject": "Alice",
        "due": None,
        **dict.fromkeys(("valid_to", "superseded_by", "restates")),
        "first_seq": day,
        "last_seq": day,
        "writer": "extractive",
        "draft": False,
    }
    return StructuredMemory(**usual | more)


def told(rows: Sequence[StructuredMemory]) -> list[tuple[int | None, str | None, str | None]]:
    """Of each row: the day it ended, what took its place, what it restates."""
    found = standings(rows)
    return [
        (
            None if (one := found[row.id]).valid_to is None else micros(one.valid_to) // DAY,
            one.superseded_by,
            one.restates,
        )
        for row in rows
    ]


def test_another_value_ends_the_one_before_and_the_same_again_restates_it() -> None:
    seoul, again, busan, back = link(1, "Seoul"), link(2, "seoul"), link(5, "Busan"), link(9, "Seoul")
    assert told([seoul, again, busan, back]) == [
        (5, busan.id, None),
        (5, busan.id, seoul.id),
        (9, back.id, None),
        (None, None, None),
    ]


def test_a_date_that_was_told_counts_not_the_day_it_was_told() -> None:
    seoul = link(1, "Seoul")
    assert told([seoul, link(9, "Busan", valid_from=5 * DAY)])[0][0] == 5
    assert told([seoul, link(9, "Busan", valid_from=20 * DAY)])[0][0] == 20
    # "I have lived in Busan all along": then Seoul held until that was said.
    assert told([seoul, link(9, "Busan", valid_from=0)])[0][0] == 9


def test_what_is_over_ends_only_itself() -> None:
    seoul, former = link(1, "Seoul"), link(5, "Berlin", done=True)
    assert told([seoul, former]) == [(None, None, None), (5, None, None)]
    left = link(6, "Seoul", done=True)
    assert told([seoul, former, left]) == [(6, left.id, None), (5, None, None), (6, None, None)]


def test_a_more_exact_home_is_the_same_home_and_another_job_is_another_job() -> None:
    assert told([link(1, "Seoul"), link(2, "Gangnam, Seoul")])[1][2] == "str_1_Seoul"
    nurse, head = link(1, "nurse", slot="job"), link(2, "head nurse", slot="job")
    assert told([nurse, head])[0] == (2, head.id, None)


def test_likes_stand_side_by_side_and_a_change_of_taste_ends_the_liking() -> None:
    owner = "person:alice"
    thread = {
        (slot, value): threads.thread(owner, "preference", slot, value, "")
        for slot, value in itertools.product(("likes", "dislikes"), ("ramen", "jazz"))
    }
    assert thread["likes", "ramen"] == thread["dislikes", "ramen"] != thread["likes", "jazz"]
    taste: dict[str, Any] = {"type": "preference", "slot": "likes"}
    like, over = link(1, "ramen", **taste), link(3, "ramen", **taste | {"done": True, "id": "over"})
    hate = link(3, "ramen", **taste | {"slot": "dislikes", "id": "hate"})
    assert told([like, over])[0] == (3, "over", None)
    assert told([like, hate]) == [(3, "hate", None), (None, None, None)]
    unhate = link(5, "ramen", **taste | {"slot": "dislikes", "done": True, "id": "unhate"})
    assert told([like, unhate])[0] == (None, None, None), "not disliking it any more ends no liking"


def test_the_words_tell_which_todo_is_done() -> None:
    def todo(day: int, value: str, **more: Any) -> StructuredMemory:
        return link(day, value, type="todo", slot="", **more)

    milk, mom, done = todo(1, "buy milk"), todo(2, "call mom"), todo(3, "bought the milk", done=True)
    assert told([milk, mom, done]) == [(3, done.id, None), (None, None, None), (3, None, None)]
    assert told([mom, todo(3, "called the dentist", done=True)])[0] == (None, None, None)
    assert told([milk, todo(2, "buy milk", id="again"), done])[1] == (3, done.id, milk.id)
    assert told([milk, todo(3, "bought the milk", done=True, said_by="eve")])[0] == (None, None, None)
    asked = todo(1, "buy milk", person="bob", said_by="alice")
    assert told([asked, todo(3, "bought the milk", done=True, person="bob", said_by="bob", id="x")])[0] == (
        3,
        "x",
        None,
    )
    korean = [todo(1, "우유 사야"), todo(2, "우유 샀어", done=True, id="x")]
    assert told(korean)[0] == (2, "x", None)


def test_an_unsure_memory_leaves_what_a_person_wrote() -> None:
    hand = link(1, "Incheon", by_hand=True)
    assert told([hand, link(2, "Busan", confidence=0.5)]) == [(None, None, None), (2, hand.id, None)]
    assert told([hand, link(2, "Busan", confidence=0.5, by_hand=True)])[0] == (2, "str_2_Busan", None)
    assert told([hand, link(2, "Busan")])[0] == (2, "str_2_Busan", None)
    assert told([hand, link(2, "Incheon", confidence=0.5, done=True, id="x")])[0] == (None, None, None)


LINKS = st.lists(
    st.builds(
        link,
        st.integers(1, 6),
        st.sampled_from(["Seoul", "Busan", "Gangnam, Seoul", "서울"]),
        done=st.booleans(),
        confidence=st.sampled_from([0.5, 0.9]),
        by_hand=st.booleans(),
        channel=st.sampled_from(["a", "b"]),
        valid_from=st.integers(0, 8).map(lambda day: day * DAY),
        type=st.just("fact"),
    ),
    max_size=7,
)


@given(rows=LINKS, mixed=st.randoms(use_true_random=False), kind=st.sampled_from(["fact", "todo"]))
def test_the_order_of_reading_never_matters(rows: list[StructuredMemory], mixed: Any, kind: str) -> None:
    slot = "home" if kind == "fact" else ""
    rows = [replace(row, id=f"str_{number}", type=kind, slot=slot) for number, row in enumerate(rows)]
    expected = standings(rows)
    shuffled = list(rows)
    mixed.shuffle(shuffled)
    assert standings(shuffled) == expected
    for row in rows:
        found = expected[row.id]
        assert found.valid_to is None or found.valid_to >= row.valid_from
        assert found.superseded_by != row.id
        assert found.restates is None or expected[found.restates].restates is None
    assert standings([]) == {}
    if kind == "fact":
        standing = [row for row in rows if expected[row.id] == MemoryValidity()]
        assert len(standing) <= 1, "of a single-valued slot at most one holds"


@pytest.mark.parametrize(
    ("text", "value", "edited", "now"),
    [
        ("Alice lives in Seoul.", "Seoul", "Alice lives in Incheon.", "Incheon"),
        ("Alice lives in Seoul.", "Seoul", "Alice still lives in Seoul, near the river.", "Seoul"),
        ("Alice lives in Seoul.", "Seoul", "Nobody knows.", "Nobody knows."),
        ("Alice has a cat.", "", "Alice has a dog.", "Alice has a dog."),
        ("Alice lives in Seoul.", "Seoul", "Alice lives in .", "Alice lives in ."),
    ],
)
def test_the_value_follows_an_edit(text: str, value: str, edited: str, now: str) -> None:
    assert threads.value_after_edit(text, value, edited) == now


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Home", "home"),
        ("relationship_status", "relationship"),
        ("Favorite Food", "favourite food"),
        (None, ""),
        ("x" * 99, "x" * 40),
    ],
)
def test_a_slot_has_one_name(written: str | None, kept: str) -> None:
    assert threads.slot(written) == kept


# On disk


SAID = [
    "I live in Seoul",
    "I like jazz",
    "I moved to Busan",
    "I need to buy milk",
    "I live in Seoul",
    "I moved to Oslo",
    "I live in Oslo",
    "I have done this: bought the milk",
]
CHUNKS = len(SAID) // 2


def conversation() -> list[dict[str, Any]]:
    return [
        {"role": "user", "person": "alice", "name": "Alice", "text": text, "at": START + timedelta(days=30 * number)}
        for number, text in enumerate(SAID)
    ]


def opened(url: str, clock: FixedClock, server: ModelServer, **more: Any) -> erstwhile.Memory:
    usual: dict[str, Any] = {"worker": False, "chunk_size": 2, "model": "openai-compatible:x", "api_key": "k", **more}
    return erstwhile.open(url, clock=clock, base_url=server.base_url, **usual)


async def shown(memory: erstwhile.Memory) -> list[tuple[Any, ...]]:
    """What stands in the table, without what a run may differ in."""
    wanted = ("id", "value", "done", "valid_from", "valid_to", "superseded_by", "restates")
    return sorted(tuple(row[name] for name in wanted) for row in await rows(memory, "structured"))


async def undisturbed(url: str, clock: FixedClock) -> list[tuple[Any, ...]]:
    with ModelServer() as server:
        async with opened(url, clock, server, space="reference", jobs={"concurrency": 1}) as memory:
            await memory.channel("chat").add_many(conversation())
            await memory.settle()
            wanted = ("value", "done", "valid_from", "valid_to")
            found = await rows(memory, "structured", "reference")
            return sorted((tuple(row[name] for name in wanted) for row in found), key=repr)


async def values(memory: erstwhile.Memory) -> list[tuple[Any, ...]]:
    wanted = ("value", "done", "valid_from", "valid_to")
    found = await rows(memory, "structured")
    return sorted((tuple(row[name] for name in wanted) for row in found), key=repr)


@pytest.mark.parametrize("order", [(3, 2, 1, 0), (2, 0, 3, 1), (1, 3, 0, 2)])
async def test_chunks_read_in_any_order_end_in_the_same_chain(
    order: tuple[int, ...], database_url: str, clock: FixedClock
) -> None:
    reference = await undisturbed(database_url, clock)
    with ModelServer() as server:
        async with opened(database_url, clock, server) as memory:
            chat = memory.channel("chat")
            await chat.add_many(conversation())
            for job in await memory.jobs.list(space="default"):
                if job.kind == "structured.structure":
                    await memory.jobs.park(job.id, "to be read later")
            await memory.settle()
            assert await rows(memory, "structured") == []
            for chunk in order:
                await memory.memories.regenerate(chat, 2 * chunk + 1, 2 * chunk + 2, what="structured")
            assert await values(memory) == reference
            assert [(each.before.value, each.after.value) for each in await memory.facts.changes()] == [
                ("Seoul", "Busan"),
                ("Busan", "Seoul"),
                ("Seoul", "Oslo"),
            ]


async def test_readings_at_the_same_time_end_in_the_same_chain(database_url: str, clock: FixedClock) -> None:
    reference = await undisturbed(database_url, clock)
    with ModelServer() as server:
        async with (
            opened(database_url, clock, server, jobs={"concurrency": 4}) as one,
            opened(database_url, clock, server, jobs={"concurrency": 4}) as other,
        ):
            await one.channel("chat").add_many(conversation())
            await asyncio.gather(one.settle(), other.settle())
            assert (await one.settle()).waiting == 0
            assert await values(one) == reference


async def test_read_again_rebuilt_edited_and_deleted_the_chain_stays_true(database_url: str, clock: FixedClock) -> None:
    with ModelServer() as server:
        async with opened(database_url, clock, server) as memory:
            chat = memory.channel("chat")
            await chat.add_many(conversation())
            await memory.settle()
            before = await shown(memory)
            for chunk in range(CHUNKS):
                await memory.memories.regenerate(chat, 2 * chunk + 1, 2 * chunk + 2)
            assert await shown(memory) == before
            await memory.spaces.rebuild()
            await memory.settle()
            assert await shown(memory) == before

            (oslo,) = await memory.facts.structured(type="fact")
            assert len(oslo.sources) == 2
            await memory.memories.delete(oslo.id, by="alice")
            (home,) = await memory.facts.structured(type="fact")
            assert (home.value, home.valid_to) == ("Seoul", None), "without the newer one, the older one holds again"
            await memory.memories.edit(home.id, "Alice lives in Jeju.", by="alice")
            assert [each.value for each in await memory.facts.structured(type="fact")] == ["Jeju"]
            assert [each.after.value for each in await memory.facts.changes()] == ["Busan", "Jeju"]
            await memory.spaces.rebuild()
            await memory.settle()
            assert [each.value for each in await memory.facts.structured(type="fact")] == ["Jeju"]


@settings(
    max_examples=8 if os.environ.get("ERSTWHILE_SOAK") else 3,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_on_disk_any_permutation_of_readings_and_repeats_is_the_same(data: Any, tmp_path_factory: Any) -> None:
    """The same as above with many more orders, each chunk read once or more, drafts among them."""
    order = data.draw(st.permutations(list(range(CHUNKS))))
    repeats = data.draw(st.lists(st.integers(0, CHUNKS - 1), max_size=4))
    first_drafts = data.draw(st.booleans())
    folder = tmp_path_factory.mktemp("permutations")
    clock = FixedClock(datetime(2026, 12, 1, 9, tzinfo=UTC))

    async def run() -> None:
        url = str(folder / "chain.db")
        reference = await undisturbed(url, clock)
        if first_drafts:
            async with erstwhile.open(url, clock=clock, worker=False, chunk_size=2, model="extractive") as memory:
                await memory.channel("chat").add_many(conversation())
                await memory.settle()
        with ModelServer() as server:
            async with opened(url, clock, server) as memory:
                chat = memory.channel("chat")
                if not first_drafts:
                    await chat.add_many(conversation())
                    for job in await memory.jobs.list(space="default"):
                        if job.kind == "structured.structure":
                            await memory.jobs.park(job.id, "to be read later")
                await memory.settle()
                for chunk in (*order, *repeats):
                    await memory.memories.regenerate(chat, 2 * chunk + 1, 2 * chunk + 2, what="structured")
                assert await values(memory) == reference

    asyncio.run(run())


# A story


async def test_where_alice_lives_in_march_and_since_june(database_url: str, clock: FixedClock) -> None:
    """R13: recall prefers what holds, and can tell the change with both sources."""
    march, june = datetime(2026, 3, 10, 9, tzinfo=UTC), datetime(2026, 6, 3, 9, tzinfo=UTC)
    with ModelServer() as server:
        async with opened(database_url, clock, server, chunk_size=10) as memory:
            chat = memory.channel("chat")
            small = [{"role": "assistant", "text": f"Fine, thank you, {n}.", "at": march} for n in range(9)]
            person = {"role": "user", "person": "alice", "name": "Alice"}
            first = await chat.add_many([{**person, "text": "I live in Seoul", "at": march}, *small])
            later = [{**each, "at": june} for each in small]
            second = await chat.add_many([{**person, "text": "I moved to Busan", "at": june}, *later])
            talk = [{"role": "assistant", "text": f"Let us talk of tea number {n}.", "at": june} for n in range(30)]
            await chat.add_many(talk)
            await memory.settle()

            hits = await memory.search("where does alice live", kinds=["structured"])
            assert [hit.text for hit in hits] == ["Alice lives in Busan.", "Alice lives in Seoul. (until 2026-06-03)"]
            context = await chat.context("Where does Alice live?", person="alice")
            line = next(item for part in context.parts for item in part.items if item.kind == "structured")
            assert line.text == (
                "- Alice lives in Busan. (since 3 Jun 2026) Before: Alice lives in Seoul. (10 Mar 2026 until 3 Jun 2026)"
            )
            source = next(each for each in context.sources if each.id == line.id)
            assert source.messages == (first[0].id, second[0].id)
            facts = next(part for part in context.parts if part.name == "facts")
            assert [item.kind for item in facts.items] == ["structured"], "the plain facts say no more than it"

            (change,) = await memory.facts.changes(person="alice")
            assert (change.before.value, change.after.value, change.at) == ("Seoul", "Busan", june)
            assert (change.before.sources, change.after.sources) == ((first[0].id,), (second[0].id,))
            assert [each.value for each in await memory.facts.structured(valid=march)] == ["Seoul"]
            assert [each.value for each in await memory.facts.structured(person="alice")] == ["Busan"]
            assert "structured" not in {
                item.kind for part in (await chat.context("Where?", recipe="dual")).parts for item in part.items
            }


async def test_a_change_is_seen_across_channels_of_a_space_and_not_across_spaces(
    database_url: str, clock: FixedClock
) -> None:
    with ModelServer() as server:
        async with opened(database_url, clock, server) as memory:
            for space, channel, number in (("default", "a", 0), ("default", "b", 2), ("other", "a", 5)):
                await memory.channel(channel, space=space).add_many(conversation()[number : number + 2])
            await memory.settle()
            assert [each.value for each in await memory.facts.structured(type="fact")] == ["Busan"]
            assert [each.value for each in await memory.facts.structured(type="fact", space="other")] == ["Oslo"]
            assert "Alice lives in Busan. (since 2 Mar 2026)" in (await memory.channel("a").context("Alice lives")).text


@pytest.mark.usefixtures("unchecked")
async def test_a_model_names_the_slot_and_with_it_what_is_contradicted(database_url: str, clock: FixedClock) -> None:
    def script(call: Call) -> str:
        if step(call.system) != "structure":
            return sensible(call)
        hall = "B" if "hall B" in call.user else "A"
        memory = {"type": "decision", "text": f"The party is in hall {hall}.", "subject": None, "slot": "venue"}
        return json.dumps({"memories": [{**memory, "value": f"hall {hall}", "confidence": 0.8, "message": 1}]})

    with ModelServer(script) as server:
        async with opened(database_url, clock, server) as memory:
            for channel, texts in {"x": ("hall A", "ok", "no, hall B", "ok"), "y": ("hall A", "ok")}.items():
                await memory.channel(channel).add_many([{"role": "user", "text": text} for text in texts])
            await memory.settle()
            found = await memory.facts.structured(type="decision")
            assert {(each.channel, each.value) for each in found} == {("x", "hall B"), ("y", "hall A")}
