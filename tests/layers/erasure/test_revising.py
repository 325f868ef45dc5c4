"""Messages are edited and deleted where they were said: nothing is left of the old words, and nobody else's work is disturbed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from words import found

import erstwhile
from erstwhile.testing import FixedClock, ModelServer
from erstwhile.testing.answers import sensible
from erstwhile.testing.calls import Call, Reply
from inside import runtime

OLD, NEW = "zephyrine", "quokka"


class Thinker(ModelServer):
    """A model that thinks for a while about anything that says `slowly`, and longer about notes, while a test wants that."""

    def __init__(self) -> None:
        super().__init__(self._think)
        self.thinks = False

    def _think(self, call: Call) -> Reply:
        delay = 1.5 if "<notes>" in call.user else 0.5 if "slowly" in call.user else 0
        return Reply(str(sensible(call)), delay=delay if self.thinks else 0)


@pytest.fixture
def slow() -> Iterator[Thinker]:
    with Thinker() as server:
        yield server


@pytest.fixture
async def modelled(database_url: str, clock: FixedClock, slow: Thinker) -> AsyncIterator[erstwhile.Memory]:
    model = {"model": "openai-compatible:scripted", "base_url": slow.base_url, "api_key": "test-key"}
    sizes = {"chunk_size": 4, "meta_size": 3, "brief": {"threshold": 200, "cap": 100}}
    async with erstwhile.open(database_url, clock=clock, worker=False, recipe="full", **model, **sizes) as memory:
        yield memory


def asked(server: ModelServer, *words: str) -> int:
    return sum(all(word in call.prompt for word in words) for call in server.calls)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(120):
        while not condition():  # noqa: ASYNC110 - the server is on a thread of its own
            await asyncio.sleep(0.01)


async def talk(memory: erstwhile.Memory, clock: FixedClock) -> None:
    """Two days, into every layer; the messages r2 and r7 are Alice's, with the word."""
    square = memory.channel("square")
    for number in range(12):
        who = ("bob", "carol", "alice")[number % 3]
        said = f"I live in {OLD} town and I love {OLD} kites." if number in (2, 5) else f"I moved to Oslo {number}."
        await square.add("user", said, person=who, name=who.title(), key=f"r{number}")
        if number % 4 == 3:
            await square.add("assistant", "How nice.")
        clock.advance(minutes=40 if number == 5 else 3)
    await memory.settle()
    await square.add("user", f"remember that I love {OLD} kites", person="alice", name="Alice", key="told")
    await square.command(f"remember that I love {OLD} kites", person="alice", name="Alice")
    clock.advance(hours=23)
    await memory.settle()
    await memory.notes.nightly()
    for person in ("alice", "bob"):
        await memory.about(person)
    await square.context(f"remember that I love {OLD} kites", person="bob")
    chunk = (await memory.channels.summaries(square, level=0))[0]
    await memory.memories.edit(chunk.id, f"It was about {OLD} kites.", by="carol")
    await memory.memories.regenerate(square, chunk.first, chunk.last, overwrite=True)
    await memory.settle()


async def test_no_byte_of_old_words_is_left_and_the_new_ones_are_in_everything(
    modelled: erstwhile.Memory, clock: FixedClock
) -> None:
    await talk(modelled, clock)
    square = modelled.channel("square")
    before = {each.key: each async for each in square.messages() if each.key}
    assert await found(modelled, OLD)
    revised = await square.edit("r2", f"I live in {NEW} town and I love {NEW} kites.")
    assert revised is not None
    assert (revised.id, revised.seq, revised.at, revised.person) == (
        before["r2"].id,
        before["r2"].seq,
        before["r2"].at,
        "alice",
    )
    assert await square.delete(["r5", "told"]) == 2
    assert OLD not in str(await modelled.memories.list(limit=500))  # at once
    for _ in range(2):
        settled = await modelled.settle()
        await modelled.notes.nightly()
        for person in ("alice", "bob"):
            await modelled.about(person)
        clock.advance(hours=1)
    assert (settled.waiting, settled.parked) == (0, 0)
    assert [job.state for job in await modelled.jobs.list() if job.kind == "erasure.clean"] in (["done"], [])
    assert await found(modelled, OLD) == []

    assert NEW in str(await modelled.channels.summaries(square))
    assert NEW in str(await modelled.facts.list(square))
    assert [each.kind for each in await modelled.search(NEW, kinds=["message"])] == ["message"]
    after = {each.key: each async for each in square.messages() if each.key}
    assert after == {key: each for key, each in before.items() if key not in ("r2", "r5", "told")} | {"r2": revised}
    assert all(each.text for each in await modelled.channels.summaries(square))
    assert (await square.add("user", f"My {OLD}.", person="alice", key="r5")).seq == 0


async def test_a_call_over_another_channel_survives_and_one_over_this_is_refused(
    modelled: erstwhile.Memory, slow: Thinker, clock: FixedClock
) -> None:
    here, there = modelled.channel("here"), modelled.channel("there")
    for number in range(4):
        await here.add("user", f"Here I slowly {OLD} {number}.", person="alice", key=f"h{number}")
        await there.add("user", f"There I slowly walk {number}.", person="bob", key=f"t{number}")
    slow.thinks = True
    working = asyncio.create_task(modelled.settle())
    await until(lambda: asked(slow, "Here I slowly") and asked(slow, "There I slowly"))
    assert await here.delete([f"h{number}" for number in range(3)]) == 3
    assert await here.edit("h3", f"Here I slowly {NEW}.")
    slow.thinks = False
    await working
    await modelled.settle()
    clock.advance(hours=2)
    await modelled.settle()
    assert await found(modelled, OLD) == []
    assert NEW in (await modelled.channels.summaries(here))[0].text
    summaries = sum("There I slowly" in call.prompt and '"facts"' not in call.prompt for call in slow.calls)
    again = sum("Here I slowly" in call.prompt and '"facts"' not in call.prompt for call in slow.calls)
    assert again > summaries  # what was refused was asked once more; what was not, was not
    once = [call for call in slow.calls if "There I slowly" in call.prompt]
    assert len({call.prompt for call in once}) == len(once)


async def test_a_storm_of_edits_starves_no_night(modelled: erstwhile.Memory, slow: Thinker, clock: FixedClock) -> None:
    hall, square = modelled.channel("hall"), modelled.channel("square")
    for number in range(6):
        await hall.add("user", f"We slowly speak of thing {number}.", person="alice", key=f"n{number}")
        await hall.add("user", "So we do.", person="bob")
        clock.advance(minutes=40)
    await modelled.settle()
    clock.advance(hours=24)
    slow.thinks = True
    working = asyncio.create_task(modelled.settle())
    await until(lambda: asked(slow, "<notes>"))
    edits = 0
    while not working.done() and edits < 500:
        chat = (hall, square)[edits % 2]
        await chat.add("user", "Typo.", person="bob", key=f"s{edits}")
        await chat.edit(f"s{edits}", "No typo.")
        await chat.delete([f"s{edits - 2}"])
        edits += 1
        await asyncio.sleep(0.01)
    await working
    assert edits > 3
    assert asked(slow, "<notes>") == 1
    assert await modelled.notes.list(kind="topic")


async def test_a_night_over_a_note_that_changes_keeps_nothing_of_it(
    modelled: erstwhile.Memory, slow: Thinker, clock: FixedClock
) -> None:
    """The note is made again, with the same id, while the night still thinks about the old one."""
    hall = modelled.channel("hall")
    for number in range(4):
        said = f"We slowly speak of {OLD}." if number == 1 else f"We slowly speak of thing {number}."
        await hall.add("user", said, person="alice", name="Alice", key=f"n{number}")
        clock.advance(minutes=40)
    await modelled.settle()
    clock.advance(hours=24)
    slow.thinks = True
    working = asyncio.create_task(modelled.settle())
    await until(lambda: asked(slow, "<notes>", OLD))
    await hall.edit("n1", f"We speak of {NEW}.")
    slow.thinks = False
    await modelled.settle()
    await working
    await modelled.settle()
    clock.advance(hours=1)
    await modelled.settle()
    assert await found(modelled, OLD) == []
    assert {note.topic is not None for note in await modelled.notes.list(kind="note")} == {True}
    assert NEW in str(await modelled.notes.list(kind="topic"))


async def test_a_day_is_made_again_only_if_it_read_what_changed(
    modelled: erstwhile.Memory, slow: Thinker, clock: FixedClock
) -> None:
    hall = modelled.channel("hall")
    await hall.add("user", f"I slowly paint {OLD}.", person="alice", name="Alice", key="d1")
    slow.thinks = True
    asking = asyncio.create_task(modelled.about("alice"))
    await until(lambda: asked(slow, "slowly paint"))
    await hall.add("user", "I slowly cook.", person="alice", key="d2")
    await hall.edit("d2", "I slowly bake.")
    assert OLD in (await asking).today
    assert asked(slow, "slowly paint") == 1

    await hall.delete(["d2"])
    clock.advance(hours=1)
    asking = asyncio.create_task(modelled.about("alice"))
    await hall.add("user", "I slowly sing.", person="alice", key="d3")
    await hall.edit("d1", "I slowly paint walls.")
    assert OLD not in (await asking).text
    slow.thinks = False
    await modelled.settle()
    clock.advance(hours=1)
    assert OLD not in (await modelled.about("alice")).text
    await modelled.settle()
    assert await found(modelled, OLD) == []


async def test_what_is_regenerated_of_words_that_change_is_refused(modelled: erstwhile.Memory, slow: Thinker) -> None:
    chat = modelled.channel("here")
    for number in range(8):
        await chat.add("user", f"I slowly count {number}.", person="alice", key=f"k{number}")
    await modelled.settle()
    calls = len(slow.calls)
    for key, refused in (("k7", False), ("k1", True)):
        slow.thinks = True
        working = asyncio.create_task(modelled.memories.regenerate(chat, 1, 4))
        await until(lambda: len(slow.calls) > calls)  # noqa: B023
        await chat.edit(key, f"I count {key}.")
        slow.thinks = False
        if refused:
            with pytest.raises(erstwhile.StorageError, match="erased meanwhile"):
                await working
        else:
            assert (await working).replaced
        await modelled.settle()
        calls = len(slow.calls)


# Without a model


async def test_a_revision_is_heard_of_and_the_same_words_are_none(memory: erstwhile.Memory) -> None:
    chat = memory.channel("talk")
    first = await chat.add("user", "Tea?", person="alice", key="a/1:2")
    assert await chat.edit("a/1:2", "Tea?") == first
    assert await chat.edit("nothing", "Tea!") is None
    assert "erasure.clean" not in {job.kind for job in await memory.jobs.list(state="timer")}
    revised = await chat.edit("a/1:2", "Coffee?")
    assert await chat.add("user", "Tea?", person="alice", key="a/1:2") == revised
    assert await chat.edit("a/1:2", "") is None
    assert [each async for each in chat.messages()] == []
    events = memory.events.watch(after="0")
    heard = [await anext(events) for _ in range(3)]
    assert [(each.kind, each.action, each.seq) for each in heard] == [
        ("message", "added", 1),
        ("message", "revised", 1),
        ("message", "erased", 1),
    ]
    with pytest.raises(erstwhile.InvalidInput, match="bytes"):
        await chat.edit("a/1:2", "x" * (memory.settings.limits.message_bytes + 1))
    with pytest.raises(erstwhile.InvalidInput, match="list"):
        await chat.delete("a/1:2")


async def test_buffers_hold_what_is_left(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, recipe="community") as memory:
        chat, alone = memory.channel("talk"), memory.channel("alone")
        for number in range(3):
            await chat.add("user", f"Word {number}.", person="alice", key=f"k{number}")
        await alone.add("user", "Only this.", person="alice", key="k")
        await chat.delete(["k1"])
        await chat.edit("k2", "Other word.")
        await alone.delete(["k"])
        assert [(each.channel, each.messages) for each in await memory.notes.buffers()] == [("talk", 2)]
        clock.advance(hours=3)
        await memory.settle()
        assert [note.channel for note in await memory.notes.list()] == ["talk"]


async def test_what_is_kept_of_a_blocked_person_can_change_and_what_is_deleted_early_never_comes(
    memory: erstwhile.Memory,
) -> None:
    chat = memory.channel("talk")
    for key in ("a", "b"):
        await chat.add("user", "I am here.", person="eve", key=key)
    await memory.people.block("eve")
    assert (await chat.edit("a", "I was here.")) is not None
    assert await chat.delete(["b", "c", "c"]) == 1
    await memory.people.unblock("eve")
    stored = await chat.add_many(
        [{"role": "user", "text": "Late.", "person": "eve", "key": key} for key in ("b", "c", "d")]
    )
    assert [each.seq for each in stored] == [0, 0, 3]


async def test_the_file_is_written_anew_once_for_all_that_went(memory: erstwhile.Memory, clock: FixedClock) -> None:
    for space in ("one", "two"):
        chat = memory.channel("talk", space)
        for number in range(3):
            await chat.add("user", f"My {OLD}.", person="alice", key=str(number))
            await chat.edit(str(number), f"My {number}.")
            clock.advance(minutes=2)

    async def cleanings() -> list[str]:
        every = [
            *await memory.jobs.list(space="one", state="timer"),
            *await memory.jobs.list(space="two", state="timer"),
        ]
        return [job.kind for job in every if job.kind == "erasure.clean"]

    assert len(await cleanings()) == (2 if runtime(memory).database.dialect == "sqlite" else 0)
    clock.advance(minutes=7)
    await memory.settle()  # the first is due, and does it for both
    assert await cleanings() == []
    assert await found(memory, OLD) == []


# One message for good, and all of a source


async def test_a_message_is_erased_with_what_was_made_of_it(memory: erstwhile.Memory) -> None:
    chat = memory.channel("talk")
    for number in range(12):
        said = f"I love {OLD} kites." if number == 3 else f"I live in house {number}."
        await chat.add("user", said, person="alice", key=f"k{number}")
        await chat.add("assistant", f"A {OLD} kite!" if number == 3 else "I see.")
    await memory.settle()
    (wanted,) = [each async for each in chat.messages() if each.key == "k3"]
    receipt = await memory.erase(message=wanted.id, by="bob")
    assert receipt.checked
    assert receipt.what == {"space": "default", "message": wanted.id}
    assert receipt.counts["messages"] == 2  # and the reply
    assert await found(memory, OLD) == []
    await memory.settle()
    assert await found(memory, OLD) == []
    assert all(each.text for each in await memory.channels.summaries(chat))
    assert (await chat.add("user", f"I love {OLD} kites.", person="alice", key="k3")).seq == 0
    assert (await memory.erase(message=wanted.id)).counts == {}
    with pytest.raises(erstwhile.NotFound, match="msg_nothing"):
        await memory.erase(message="msg_nothing")
    with pytest.raises(erstwhile.InvalidInput, match="one of them"):
        await memory.erase(message=wanted.id, origin="x")


async def test_all_of_a_source_is_erased_over_every_channel(memory: erstwhile.Memory, clock: FixedClock) -> None:
    square, old = memory.channel("square"), memory.channel("old")
    brought = {"meta": {"source": "import:chat.txt"}}
    for number in range(12):
        await square.add("user", f"I live in house {number}.", person="bob", name="Bob")
        await square.add("user", f"The {OLD} is {number}.", person="bob", name="Bob", key=f"i{number}", **brought)
        await old.add("user", f"My {OLD} is {number}.", person="eve", name="Eve", **brought)
        clock.advance(minutes=1)
    await square.add("user", "Hello.", person="carol", meta={"source": "discord"})
    await square.add("user", "Hello.", person="carol", meta={"source": 7, "other": "x"})
    await memory.settle()
    assert [(each.source, each.messages, each.channels) for each in await memory.archive.origins()] == [
        ("discord", 1, 1),
        ("import:chat.txt", 24, 2),
    ]
    receipt = await memory.erase(origin="import:chat.txt")
    assert (receipt.checked, receipt.counts["messages"]) == (True, 24)
    await memory.settle()
    assert await found(memory, OLD, "chat.txt") == []
    assert [each.channel for each in await memory.channels.list()] == ["square"]
    assert sorted(each.person for each in await memory.people.list()) == ["bob", "carol"]
    assert [each.source for each in await memory.archive.origins()] == ["discord"]
    assert (await square.add("user", "Again.", person="bob", key="i3", **brought)).seq == 0
    with pytest.raises(erstwhile.NotFound, match="origins"):
        await memory.erase(origin="import:other.txt")
