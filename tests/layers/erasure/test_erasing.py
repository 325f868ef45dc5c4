"""A person, or a channel, is erased: no byte of their words is left, others keep theirs, and it does not come back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from words import found

import erstwhile
from databases import Filled
from erstwhile.log import erase as listing
from erstwhile.testing import FixedClock, ModelServer

CANARY = "zephyrine"
NAME = "Alicia Quillfeather"
WORDS = (CANARY, NAME, "alice77")


@pytest.fixture(params=["extractive", "model"])
def opened(
    request: pytest.FixtureRequest, database_url: str, clock: FixedClock, model_server: ModelServer
) -> Callable[[], erstwhile.Memory]:
    """Every layer in use, written by a model, or without one."""
    by_model = {"model": "openai-compatible:scripted", "base_url": model_server.base_url, "api_key": "test-key"}
    settings = by_model if request.param == "model" else {}
    return lambda: erstwhile.open(
        database_url,
        clock=clock,
        worker=False,
        recipe="full",
        chunk_size=4,
        meta_size=3,
        brief={"threshold": 200, "cap": 100},
        **settings,
    )


@pytest.fixture
async def empty(opened: Callable[[], erstwhile.Memory]) -> AsyncIterator[erstwhile.Memory]:
    async with opened() as memory:
        yield memory


@pytest.fixture
async def full(
    request: pytest.FixtureRequest, opened: Callable[[], erstwhile.Memory], clock: FixedClock, filled: Filled
) -> AsyncIterator[erstwhile.Memory]:
    """Somebody to be erased has lived in it."""

    async def fill() -> None:
        async with opened() as memory:
            await live(memory, clock)

    await filled(f"erasing {request.node.callspec.params['opened']}", fill)
    async with opened() as memory:
        await memory.search(
            "cats", channel="square"
        )  # what is searched is now held in memory, as in a process that runs for long
        yield memory


async def talk(memory: erstwhile.Memory, clock: FixedClock, *, alice: bool = True) -> None:
    """Three days in a square, with or without Alice, who also has a channel of her own with the assistant."""
    square, own = memory.channel("square"), memory.channel("alice-own")
    for day in range(3):
        for hour in range(4):
            if alice:
                said = f"I live in {CANARY} town and I love {CANARY} kites. I work as a {CANARY} pilot."
                await square.add("user", said, person="alice77", name=NAME, key=f"a{day}-{hour}")
                await square.add("assistant", f"A {CANARY} kite, how nice, {NAME}.")
                await own.add("user", f"My {CANARY} password is number {hour}.", person="alice77", name=NAME)
                await own.add("assistant", f"I keep the {CANARY} in mind.")
            await square.add("user", "I moved to Busan and I work as a baker.", person="bob", name="Bob")
            await square.add(
                "user", f"I am Carol, I have {hour + 2} cats and I live in Oslo.", person="carol", name="Carol"
            )
            await square.add("assistant", "Bread and cats, how nice.")
            clock.advance(minutes=10)
        clock.advance(hours=23)
        await memory.settle()


async def live(memory: erstwhile.Memory, clock: FixedClock) -> None:
    """Into every layer."""
    await talk(memory, clock)
    square = memory.channel("square")
    await memory.remember("alice77", f"has a {CANARY} allergy", by="alice77")
    await memory.remember("bob", f"wants a {CANARY} for his birthday", by="alice77")
    await memory.remember("bob", "is allergic to nuts", by="bob")
    await memory.people.add_to_profile("alice77", "skills", f"Plays the {CANARY}.", by="bob")
    await memory.people.add_to_profile("carol", "skills", f"Sings {CANARY} songs.", by="alice77")
    await memory.people.add_to_profile("bob", "skills", "Plays the cello.", by="carol")
    await memory.prompts.set("summarise", f"Sum up, mind the {CANARY}.", person="alice77")
    await memory.notes.nightly()
    for person in ("alice77", "bob", "carol"):
        await memory.about(person)
        await square.context(f"What of the {CANARY}?" if person == "alice77" else "Where is Busan?", person=person)
    chunk = (await memory.channels.summaries(square, level=0))[0]
    await memory.memories.edit(chunk.id, f"It was about {CANARY} kites.", by="alice77")
    facts = [each for each in await memory.facts.list(square) if CANARY in each.text]
    await memory.memories.delete(facts[0].id, by="carol")
    await memory.memories.delete((await memory.people.remembered("alice77"))[0].id, by="alice77")
    await memory.memories.regenerate(square, chunk.first, chunk.last, overwrite=True)
    await memory.facts.add(square, "Carol's card is 4111 1111 1111 1111.", by="carol", person="carol")
    await memory.memories.review((await memory.memories.flagged(reason="secret"))[0].id, by="alice77")
    await memory.requests.feedback((await memory.requests.list())[-1].id, f"It forgot the {CANARY}.")
    await memory.settle()


@pytest.mark.usefixtures("unchecked")
async def test_no_byte_of_an_erased_person_is_left(full: erstwhile.Memory, clock: FixedClock) -> None:
    assert await found(full, *WORDS)
    receipt = await full.erase(person="alice77", by="carol")
    assert receipt.checked
    assert receipt.what == {"space": "default", "person": "alice77"}
    assert receipt.counts["messages"] == 48
    assert {
        "facts",
        "chunks",
        "notes",
        "profile_facts",
        "told",
        "days",
        "documents",
        "versions",
    } <= receipt.counts.keys()
    assert await found(full, *WORDS) == []

    settled = await full.settle()
    assert (settled.waiting, settled.parked) == (0, 0)
    await full.notes.nightly()
    for person in ("bob", "carol"):
        await full.about(person)
    assert await found(full, *WORDS) == []
    assert sorted(each.person for each in await full.people.list()) == ["bob", "carol"]
    assert await full.search(CANARY) == []


async def test_the_others_keep_what_is_theirs(full: erstwhile.Memory, clock: FixedClock) -> None:
    square = full.channel("square")
    before = [each async for each in square.messages() if each.person in ("bob", "carol")]
    await full.erase(person="alice77")
    await full.settle()
    await full.notes.nightly()
    assert [each async for each in square.messages() if each.person is not None] == before
    summaries = await full.channels.summaries(square)
    assert {each.level for each in summaries} >= {0, 1, 2}
    assert all(each.text for each in summaries)
    assert "cello" in str(await full.people.profile("bob"))
    assert "nuts" in (await full.about("bob")).told
    assert {each.person for each in await full.facts.list(square)} >= {"bob", "carol"}
    notes = await full.notes.list(kind="note")
    assert notes
    assert all(each.people == ("bob", "carol") for each in notes)
    assert [each.channel for each in await full.channels.list()] == ["square"]


async def test_beside_a_space_that_never_had_them_nothing_else_is_different(
    database_url: str, clock: FixedClock
) -> None:
    """Stretches stay as they were cut, so facts may be picked differently; but they are the same people's, of the same messages."""
    start, seen = clock(), []
    for alice in (True, False):
        clock.now = start
        async with erstwhile.open(
            database_url, clock=clock, worker=False, recipe="full", chunk_size=4, space=f"with {alice}"
        ) as memory:
            await talk(memory, clock, alice=alice)
            if alice:
                await memory.erase(person="alice77")
                await memory.settle()
            square = memory.channel("square")
            said = [(each.person, each.text, each.at) async for each in square.messages()]
            facts = await memory.facts.list(square)
            assert all(any(fact.text.partition(": ")[2] in text for _, text, _ in said) for fact in facts)
            notes = [(note.people, note.day) for note in await memory.notes.list(kind="note")]
            seen.append((said, {fact.person for fact in facts}, notes, await memory.people.list()))
    assert seen[0] == seen[1]


async def test_until_it_is_made_again_nobody_is_shown_the_old_words(full: erstwhile.Memory, clock: FixedClock) -> None:
    square = full.channel("square")
    await full.erase(person="alice77")
    context = await square.context("What of the kites?", person="bob")
    assert CANARY not in context.text
    assert CANARY not in str(await full.memories.list(limit=500))
    assert CANARY not in str(await full.channels.summaries(square))


async def test_erasing_while_jobs_run_leaves_none(empty: erstwhile.Memory, clock: FixedClock) -> None:
    square = empty.channel("square")
    for number in range(40):
        await square.add("user", f"The {CANARY} number {number} is mine.", person="alice77", name=NAME)
        await square.add("user", f"The loaf number {number} is mine.", person="bob", name="Bob")
    clock.advance(hours=30)
    working = [
        asyncio.create_task(empty.settle()),
        asyncio.create_task(empty.about("bob")),
        asyncio.create_task(empty.about("alice77")),
    ]
    await asyncio.sleep(0.05)
    receipt = await empty.erase(person="alice77")
    await asyncio.gather(*working, return_exceptions=True)
    await empty.settle()
    assert receipt.checked
    assert await found(empty, *WORDS) == []
    assert (await empty.settle()).parked == 0


async def test_what_was_erased_does_not_come_back_but_the_person_may(memory: erstwhile.Memory) -> None:
    chat = memory.channel("square")
    await chat.add("user", "I like kites.", person="alice77", key="a1")
    await chat.add("user", "I like bread.", person="bob", key="b1")
    await memory.erase(person="alice77")
    again = await chat.add("user", "I like kites.", person="alice77", key="a1")
    assert again.seq == 0
    assert [each.text async for each in chat.messages()] == ["I like bread."]
    assert sorted(each.person for each in await memory.people.list()) == ["bob"]
    assert (await chat.add("user", "Good morning.", person="alice77", key="a2")).seq == 3
    assert sorted(each.person for each in await memory.people.list()) == ["alice77", "bob"]


async def test_erasing_twice_is_harmless_and_nobody_is_not_found(memory: erstwhile.Memory) -> None:
    await memory.channel("square").add("user", "I like kites.", person="alice77")
    first = await memory.erase(person="alice77")
    second = await memory.erase(person="alice77")
    assert (first.checked, second.checked) == (True, True)
    assert (first.counts["messages"], second.counts) == (1, {})
    with pytest.raises(erstwhile.NotFound, match="carol"):
        await memory.erase(person="carol")
    with pytest.raises(erstwhile.NotFound, match="nowhere"):
        await memory.erase(channel="nowhere")
    with pytest.raises(erstwhile.InvalidInput):
        await memory.erase()
    with pytest.raises(erstwhile.InvalidInput):
        await memory.erase(person="alice77", channel="square")


async def test_what_an_earlier_erasure_left_is_not_made_again(database_url: str, clock: FixedClock) -> None:
    """Alice is in the first stretch, Bob in the second; both spoke in the channel, and so did Carol."""
    settings = {"worker": False, "recipe": "dual", "chunk_size": 4, "recent_messages": 2}
    async with erstwhile.open(database_url, clock=clock, **settings) as memory:
        square = memory.channel("square")
        for person in (
            "alice",
            "carol",
            "carol",
            "carol",
            "bob",
            "carol",
            "carol",
            "carol",
            "carol",
            "carol",
            "carol",
            "bob",
        ):
            await square.add("user", f"I am {person}, and I live in Busan.", person=person)
        await memory.settle()
        await memory.erase(person="alice")
        await memory.settle()
        receipt = await memory.erase(person="bob")
        assert receipt.counts["chunks"] == 2, "not the first, where nobody is missing but who was missing before"
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        await memory.spaces.configure(retention="message=10")
        await square.add_many([{"role": "user", "text": f"Number {n}.", "person": "dave"} for n in range(8)])
        await memory.settle()
        clock.advance(days=11)
        assert (await memory.archive.expire()).message > 0
        assert (await memory.erase(person="carol")).counts["chunks"] >= 3, (
            "whose words are in what expired, nobody can tell"
        )


async def test_a_channel_goes_whole_and_the_others_stay(full: erstwhile.Memory, clock: FixedClock) -> None:
    hall = full.channel("hall")
    await hall.add("user", "I moved to Lima.", person="bob", name="Bob")
    assert any(hit.channel == "alice-own" for hit in await full.search("What is the password?", asker="alice77"))
    receipt = await full.erase(channel="alice-own")
    assert receipt.checked
    assert receipt.what == {"space": "default", "channel": "alice-own"}
    await full.settle()
    assert await found(full, "password", "alice-own") == []
    gone = await full.erase(channel="square", by="alice77")
    assert gone.checked
    await full.settle()
    assert await found(full, "cats", "square") == []
    assert [each.channel for each in await full.channels.list()] == ["hall"]
    assert [each.text async for each in hall.messages()] == ["I moved to Lima."]


async def test_requests_that_show_an_erased_channel_go_and_others_stay(memory: erstwhile.Memory) -> None:
    """Also where the channel is called as a kind or a part of a context is."""
    for channel in ("facts", "message", "hall"):
        await memory.channel(channel).add("user", "I keep kites.", person="alice77")
    await memory.channel("hall").context("Who keeps kites?", person="bob")
    await memory.search("kites", channel="hall")
    kept = {each.id for each in await memory.requests.list()}
    await memory.search("kites")
    assert len(await memory.requests.list()) == len(kept) + 1
    for channel in ("facts", "message"):
        await memory.erase(channel=channel)
    assert {each.id for each in await memory.requests.list()} == kept


async def test_other_spaces_are_not_touched(memory: erstwhile.Memory) -> None:
    for space in ("one", "two"):
        await memory.channel("square", space).add("user", "I like kites.", person="alice77")
    await memory.erase(space="one", person="alice77")
    assert [each.person for each in await memory.people.list(space="one")] == []
    assert [each.person for each in await memory.people.list(space="two")] == ["alice77"]


async def test_whoever_is_blocked_stays_blocked(memory: erstwhile.Memory) -> None:
    chat = memory.channel("square")
    await chat.add("user", "I like kites.", person="alice77", name=NAME)
    await memory.people.block("alice77")
    assert (await memory.erase(person="alice77")).checked
    assert (await chat.add("user", "I am back.", person="alice77")).seq == 0


async def test_those_who_watch_are_told(memory: erstwhile.Memory) -> None:
    chat = memory.channel("square")
    await chat.add("user", "I like kites.", person="alice77")
    await chat.add("user", "I like bread.", person="bob")
    receipt = await memory.erase(person="alice77")
    seen = memory.events.watch(after="0")
    heard = [await anext(seen) for _ in range(4)]
    assert [(each.kind, each.action) for each in heard][-2:] == [("message", "erased"), ("person", "erased")]
    assert heard[-1].id == receipt.id
    assert all(each.person != "alice77" for each in heard)


def test_replies_to_a_person_go_with_what_they_answer() -> None:
    order = ["alice", "bot1", "bob", "bot2", "alice", "bob", "bot3", "bot4", "system", "bob", "bot5"]
    rows = [
        {"seq": seq, "id": each, "at": 0, "person": each if each in ("alice", "bob") else None}
        | {"role": "user" if each in ("alice", "bob") else "system" if each == "system" else "assistant"}
        for seq, each in enumerate(order, start=1)
    ]
    assert [row["id"] for row in listing.answers(rows, lambda row: row["person"] == "alice")] == [
        "bot1",
        "bot3",
        "bot4",
    ]


async def test_nor_is_anything_left_where_only_records_have_it(memory: erstwhile.Memory, clock: FixedClock) -> None:
    """What was asked in the words of a message, what someone said was missing, which messages were edited, who came with an import."""
    square, den = memory.channel("square"), memory.channel("quixotria")
    asked = await square.add("user", f"Where is my {CANARY}?", person="alice77", name=NAME)
    await square.add("user", "I bake bread.", person="bob", name="Bob")
    await memory.search(f"Where is my {CANARY}?")
    await square.context(f"Where is my {CANARY}?", person="alice77")
    clock.advance(seconds=1)
    assert (await memory.erase(message=asked.id)).counts["requests"] == 2
    assert await found(memory, CANARY) == []

    await square.context("Bread?", person="bob")
    await memory.requests.feedback((await memory.requests.list())[0].id, f"{NAME} would not like it.")
    clock.advance(seconds=1)
    assert (await memory.erase(person="alice77")).counts["feedback"] == 1
    assert await found(memory, *WORDS) == []

    await den.add("user", "I feed seals.", person="bob", key="k1")
    await den.edit("k1", "I feed whales.")
    assert (await memory.erase(channel="quixotria")).checked
    assert await found(memory, "quixotria") == []

    for person, name in (("alice77", NAME), ("bob", "Bob")):
        await square.add("user", "I fly kites.", person=person, name=name, meta={"source": f"import:{CANARY}.txt"})
    assert (await memory.erase(origin=f"import:{CANARY}.txt")).counts["people"] == 1
    assert await found(memory, *WORDS) == []
    assert sorted(each.person for each in await memory.people.list()) == ["bob"]
