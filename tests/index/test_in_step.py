"""SpaceIndex in memory are in step with the database, whoever writes to it, in whatever order transactions commit."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator, Sequence
from datetime import datetime

import pytest

import erstwhile
from erstwhile.index import documents, space_index
from erstwhile.log import append, check
from erstwhile.storage import Transaction
from erstwhile.testing import FixedClock, ModelServer
from inside import runtime

Two = tuple[erstwhile.Memory, erstwhile.Memory]
SPACE = "default"
NOUNS = ["lantern", "ferry", "kayak", "landlord", "buckwheat", "piano", "harbour", "등불"]
QUERIES = [
    *NOUNS,
    "where did Mina put the lantern?",
    "canoe",
    "rent for the flat",
    "who said something about boats yesterday",
]


class NoListener:
    """For appends that nobody needs to hear of."""

    async def before_append(self, tx: Transaction, channels: Sequence[str]) -> None: ...

    async def appended(
        self, tx: Transaction, added: Sequence[append.ChannelMessages], held: None, now: datetime
    ) -> None: ...


@pytest.fixture
async def two(database_url: str, clock: FixedClock) -> AsyncIterator[Two]:
    """As two processes would have it: two memories on one database, each with index of its own."""
    async with (
        erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as one,
        erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as other,
    ):
        yield one, other


async def texts(memory: erstwhile.Memory, query: str, **more: object) -> list[str]:
    return [hit.text for hit in await memory.search(query, limit=500, **more)]  # type: ignore[arg-type]


async def test_what_one_says_the_other_finds_at_once(two: Two) -> None:
    one, other = two
    assert await texts(other, "lantern") == []
    await one.channel("chat").add("user", "the lantern is in the attic")
    assert await texts(other, "lantern") == ["the lantern is in the attic"]
    await other.channel("chat").add("user", "no, the lantern is in the cellar")
    assert len(await texts(one, "lantern")) == 2


async def test_edits_deletions_and_rebuilds_are_seen_by_the_other(two: Two) -> None:
    one, other = two
    chat = one.channel("chat")
    await chat.add_many([{"role": "user", "person": "mina", "text": f"I keep {n} parrots."} for n in range(10)])
    fact = await one.facts.add(chat, "Mina plays the piano.", by="jun")
    await one.settle()
    assert "Mina plays the piano." in await texts(other, "piano", kinds=["fact"])

    await one.memories.edit(fact.id, "Mina plays the cello.", by="jun")
    assert await texts(other, "piano") == []
    assert await texts(other, "cello") == ["Mina plays the cello."]

    await one.memories.delete(fact.id, by="jun")
    assert await texts(other, "cello") == []

    before = sorted(await texts(other, "parrots"))
    assert len(before) > 10
    await one.spaces.rebuild()
    await one.settle()
    assert sorted(await texts(other, "parrots")) == before


async def test_between_a_rebuild_and_its_work_the_other_sees_what_there_is(two: Two) -> None:
    one, other = two
    await one.channel("chat").add_many([{"role": "user", "text": f"parrot number {n}"} for n in range(30)])
    await one.settle()
    assert len(await texts(other, "parrot", kinds=["message"])) == 30
    await one.spaces.rebuild()
    assert len(await texts(other, "parrot", kinds=["message"])) == 30
    assert len(await texts(other, "parrot")) == 30, "no memory"
    await one.channel("chat").add("user", "one more parrot")
    assert len(await texts(other, "parrot", kinds=["message"])) == 31
    await one.settle()
    assert len(await texts(other, "parrot", kinds=["message"])) == 31


async def scores(memory: erstwhile.Memory, query: str) -> dict[tuple[str, str], float]:
    return {(hit.id, hit.text): hit.score for hit in await memory.search(query, limit=1000)}


async def play(memory: erstwhile.Memory, dice: random.Random, clock: FixedClock) -> None:
    """Something that changes what can be found."""
    chat = memory.channel(dice.choice(["hall", "yard"]))
    clock.advance(minutes=dice.choice([1, 10, 40]))
    match dice.choice(
        ["add", "add", "add_many", "add_many", "settle", "fact", "edit", "delete", "regenerate", "rebuild"]
    ):
        case "add":
            await chat.add("user", said(dice), person="mina", name="Mina")
        case "add_many":
            await chat.add_many(
                [{"role": "user", "person": dice.choice(["jun", "mina"]), "text": said(dice)} for _ in range(7)]
            )
        case "settle":
            await memory.settle()
        case "fact":
            if await chat.size():
                await memory.facts.add(chat, said(dice), by="jun", person=dice.choice([None, "mina"]))
        case "edit":
            if facts := await memory.facts.list(chat):
                await memory.memories.edit(dice.choice(facts).id, said(dice), by="jun")
        case "delete":
            if facts := await memory.facts.list(chat):
                await memory.memories.delete(dice.choice(facts).id, by="jun")
        case "regenerate":
            await memory.settle()
            if await chat.size() >= 10:
                what = dice.choice(["chunk", "facts", "embeddings"])
                await memory.memories.regenerate(chat, 1, 10, what, overwrite=dice.random() < 0.5)
        case "rebuild":
            await memory.spaces.rebuild()
            if dice.random() < 0.7:
                await memory.settle()


def said(dice: random.Random) -> str:
    return f"I saw the {dice.choice(NOUNS)} and the {dice.choice(NOUNS)} number {dice.randrange(1000)}."


@pytest.mark.parametrize("seed", range(6 if os.environ.get("ERSTWHILE_SOAK") else 1))
async def test_a_shelf_kept_in_step_gives_the_hits_and_scores_of_a_fresh_one(
    two: Two, database_url: str, clock: FixedClock, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 2:  # half the scripts also go through index that are filled anew, page by page
        monkeypatch.setattr(space_index, "_DEAD", 5)
        monkeypatch.setattr(documents, "_PAGE", 7)
    dice = random.Random(seed)
    for _ in range(4):
        for _ in range(6):
            await play(dice.choice(two), dice, clock)
            await dice.choice(two).search(dice.choice(QUERIES))
        await two[0].settle()
        async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as fresh:
            for query in QUERIES:
                expected = await scores(fresh, query)
                for memory in two:
                    found = await scores(memory, query)
                    assert found.keys() == expected.keys()
                    assert found == pytest.approx(expected, abs=1e-5)


# Transactions that end in another order than they began


async def test_a_transaction_that_commits_late_is_not_overlooked(bare_postgres: str, clock: FixedClock) -> None:
    """Postgres: its documents have lower numbers than those that were read before it ended."""
    async with erstwhile.open(bare_postgres, clock=clock, worker=False) as memory:
        for round in range(3):  # who opens a channel waits for whoever opens another
            for name in (f"slow {round}", f"quick {round}"):
                await memory.channel(name).add("user", "so that the channel is there")
        await memory.search("lantern")
        for round in range(3):
            begun, may_end = asyncio.Event(), asyncio.Event()

            async def slow(tx: Transaction) -> None:
                await append.append(
                    tx,
                    [addition(f"slow {round}", f"slow lantern {round}", clock)],  # noqa: B023
                    NoListener(),
                )
                await documents.number(tx, "any")  # an answer: everything before it has been written
                begun.set()  # noqa: B023
                await may_end.wait()  # noqa: B023

            late = asyncio.create_task(runtime(memory).database.write(SPACE, slow))
            await begun.wait()
            await memory.channel(f"quick {round}").add("user", f"quick lantern {round}")
            found = await texts(memory, "lantern")
            assert f"quick lantern {round}" in found
            assert f"slow lantern {round}" not in found
            await memory.channel(f"quick {round}").add("user", f"another lantern {round}")
            assert len(await texts(memory, "lantern")) == 3 * round + 2
            may_end.set()
            await late
            assert len(await texts(memory, "lantern")) == 3 * round + 3
        await memory.channel("last").add("user", "the last lantern")
        assert len(await texts(memory, "lantern")) == 10


async def test_of_a_transaction_that_is_undone_nothing_stays(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await memory.channel("first").add("user", "a lantern")

    async def fails(tx: Transaction) -> None:
        await append.append(tx, [addition("second", "undone lantern", clock)], NoListener())
        raise RuntimeError("as if the power went out")

    with pytest.raises(RuntimeError, match="power"):
        await runtime(memory).database.write(SPACE, fails)
    assert await texts(memory, "lantern") == ["a lantern"]
    await memory.channel("second").add("user", "a real lantern")
    assert sorted(await texts(memory, "lantern")) == ["a lantern", "a real lantern"]


def addition(channel: str, text: str, clock: FixedClock) -> append.Addition:
    checked = check.message({"role": "user", "text": text}, largest=10_000)
    return append.Addition(channel, append.prepare([checked], clock()), clock())


async def test_writers_and_readers_all_at_once_lose_nothing(two: Two) -> None:
    one, other = two

    async def write(memory: erstwhile.Memory, channel: str) -> None:
        for n in range(15):
            await memory.channel(channel).add("user", f"lantern {n} of {channel}")

    async def read(memory: erstwhile.Memory) -> None:
        seen: set[str] = set()
        for _ in range(15):
            found = set(await texts(memory, "lantern"))
            assert found >= seen, "what was there once stays"
            seen = found

    await asyncio.gather(
        *(write(one, f"a{n}") for n in range(3)),
        *(write(other, f"b{n}") for n in range(3)),
        *(read(each) for each in two * 2),
    )
    for memory in two:
        assert len(await texts(memory, "lantern")) == 90


async def test_many_searches_while_the_embedder_changes_lose_nothing(
    database_url: str, clock: FixedClock, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index are filled anew then; searches that come meanwhile must not take half-filled ones for whole."""
    monkeypatch.setattr(documents, "_PAGE", 5)
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as memory:
        await memory.channel("chat").add_many([{"role": "user", "text": f"lantern {n}"} for n in range(40)])
        await memory.settle()
        for round in range(4):
            embedder = ["openai-compatible:one", "vectors"][round % 2]
            async with erstwhile.open(
                database_url,
                clock=clock,
                worker=False,
                embedder=embedder,
                embed="all",
                embedder_url=model_server.base_url,
            ) as changing:
                work = asyncio.create_task(changing.settle())
                while not work.done():
                    for found in await asyncio.gather(*(texts(memory, "lantern", kinds=["message"]) for _ in range(8))):
                        assert len(found) == 40
                await work
            for found in await asyncio.gather(*(texts(memory, "lantern", kinds=["message"]) for _ in range(8))):
                assert len(found) == 40
