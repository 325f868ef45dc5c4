"""Nothing ever crosses a space: spaces that talk of the same things, in channels of the same names, with people of the same names."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

import erstwhile
from databases import Filled
from erstwhile.index import documents
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock
from inserted import Rows
from inside import SEARCHED, runtime
from owner import as_owner

SPACES = ["alder", "birch", "cedar", "dogwood"]
CHANNELS = ["hall", "yard", "alder"]  # one is named like a space
PEOPLE = [("mina", "Mina"), ("jun", "Jun Park"), ("birch", "Birch")]
NOUNS = ["lantern", "ferry", "kayak", "landlord", "buckwheat", "piano", "harbour", "등불", "火锅店"]
VERBS = ["bought", "lost", "repaired", "painted", "sold", "forgot"]
QUERIES = 10_000 if os.environ.get("ERSTWHILE_SOAK") else 100  # of each space


@dataclass(frozen=True)
class Village:
    memory: erstwhile.Memory
    ids: dict[str, set[str]]  # of messages and memories, by space


def mark(space: str) -> str:
    """A word that every sentence of a space carries, and no other space's."""
    return f"Q{space}Z"


@pytest.fixture
async def village(database_url: str, clock: FixedClock, filled: Filled) -> AsyncIterator[Village]:
    settings: dict[str, Any] = {"worker": False, "embedder": "vectors", "keep_days": {"requests": 0}}

    async def fill() -> None:
        async with erstwhile.open(database_url, clock=clock, **settings) as memory:
            await settled(memory)

    await filled("village", fill)
    async with erstwhile.open(database_url, clock=clock, **settings) as memory:
        yield Village(memory, {space: await ids_of(memory, space) for space in SPACES})


async def settled(memory: erstwhile.Memory) -> None:
    """The same in every space, but for its mark."""
    dice = random.Random(1)
    for space in SPACES:
        for channel in CHANNELS:
            await memory.channel(channel, space=space).add_many([said(dice, space) for _ in range(14)])
        await memory.facts.add(
            memory.channel("hall", space=space), f"Mina of {mark(space)} plays the piano.", by="jun", person="mina"
        )
        await known(Rows(memory, space))
    await memory.settle()


async def known(rows: Rows) -> None:
    """Of every kind about people, in the same words everywhere but for the mark."""
    own = mark(rows.space)
    note = await rows.note(
        f"Piano of {own}", "Mina and Jun repaired the piano.", "hall", (1, 5), people=["mina", "jun"]
    )
    await rows.note(f"Week of {own}", "Pianos and ferries.", notes=[note])
    await rows.fact("mina", "skills", f"Plays the piano in {own}", note, channel="hall", seq=1)
    await rows.told("jun", f"Jun lost the ferry in {own}.", said=("yard", 2))
    await rows.day("mina", "2026-03-02", f"Mina painted the lantern in {own}.")


def said(dice: random.Random, space: str) -> dict[str, str]:
    person, name = dice.choice(PEOPLE)
    text = f"I {dice.choice(VERBS)} the {dice.choice(NOUNS)} and the {dice.choice(NOUNS)} in {mark(space)}."
    return {"role": "user", "person": person, "name": name, "text": text}


async def ids_of(memory: erstwhile.Memory, space: str) -> set[str]:
    found: set[str] = set()
    for channel in CHANNELS:
        chat = memory.channel(channel, space=space)
        found |= {message.id async for message in chat.messages()} | {fact.id for fact in await memory.facts.list(chat)}
    for table in ("chunks", "briefs", "memories"):
        query = make("ids", *[f"SELECT id FROM {table} WHERE space = :space"] * 2)
        found |= {row["id"] for row in await runtime(memory).database.read(space, lambda tx: tx.all(query))}  # noqa: B023
    return found


def question(dice: random.Random) -> str:
    """Words that every space uses, names, misspelt words, other spaces' own words, words that nobody used."""
    pool = [
        *NOUNS, *VERBS, *(name for _, name in PEOPLE), *map(mark, SPACES), *SPACES,
        "canoe", "lantrn", "buckweat", "rent", "yesterday", "March", "I", "where", "OR", "*", '"', "어제", "之前",
    ]  # fmt: skip
    asked = " ".join(dice.choices(pool, k=dice.randint(1, 5)))
    return asked + dice.choice(["", "?", "？"])


def assert_own(village: Village, space: str, text: str, ids: set[str]) -> None:
    assert not any(mark(other) in text for other in SPACES if other != space), (space, text)
    assert ids <= village.ids[space], (space, ids - village.ids[space])


async def ask(village: Village, space: str, dice: random.Random) -> int:
    hits = await village.memory.search(
        question(dice),
        space=space,
        channel=dice.choice([None, None, *CHANNELS]),
        person=dice.choice([None, None, None, "mina", "birch"]),
        kinds=dice.choice([None, None, ["message"], ["fact", "chunk"], ["note", "topic", "profile", "told", "day"]]),
        limit=dice.choice([3, 3, 3, 10, 50]),
    )
    for hit in hits:
        assert_own(village, space, hit.text, {hit.id, *hit.sources})
    return len(hits)


async def test_thousands_of_questions_never_cross_a_space(village: Village) -> None:
    dice, found = random.Random(2), 0
    for _ in range(QUERIES):
        found += sum(await asyncio.gather(*(ask(village, space, random.Random(dice.random())) for space in SPACES)))
    assert found > 2 * QUERIES * len(SPACES), "there was much to be mixed up"


async def test_contexts_never_cross_a_space(village: Village) -> None:
    dice = random.Random(3)
    for _ in range(200):
        space = dice.choice(SPACES)
        chat = village.memory.channel(dice.choice([*CHANNELS, "new"]), space=space)
        context = await chat.context(
            question(dice),
            person=dice.choice([None, "mina", "jun", "nobody"]),
            recipe=dice.choice(["full", "dual", "recall", "brief", "community"]),
            scope=dice.choice([None, "channel", "person"]),
            budget=dice.choice([200, 1000]),
        )
        shown = {source.id for source in context.sources} | {id for source in context.sources for id in source.messages}
        assert_own(village, space, context.text + str(context.messages), shown)


OTHERS = {
    "vectors": f"SELECT count(*) AS n FROM vectors v LEFT JOIN {SEARCHED} d ON d.space = v.space AND d.doc = v.doc WHERE d.doc IS NULL",
    "numbers": f"SELECT count(*) - count(DISTINCT doc) AS n FROM {SEARCHED} d",
}


async def test_a_vector_belongs_to_a_document_of_its_space_and_no_number_opens_anothers(village: Village) -> None:
    database = runtime(village.memory).database
    for sql in OTHERS.values():
        assert await as_owner(database, sql) == [{"n": 0}]
    mine = f"SELECT doc FROM {SEARCHED} d WHERE space = :space"
    docs = {
        space: [row["doc"] for row in await database.read(space, lambda tx: tx.all(make("docs", mine, mine)))]
        for space in SPACES
    }
    for space in SPACES:
        others = [doc for other in SPACES if other != space for doc in docs[other]]
        assert len(others) > 100
        assert await database.read(space, lambda tx: documents.by_docs(tx, others)) == {}  # noqa: B023
        assert len(await database.read(space, lambda tx: documents.by_docs(tx, docs[space]))) == len(docs[space])  # noqa: B023


async def test_what_one_space_loses_the_others_keep(village: Village) -> None:
    before = {space: await village.memory.search("lantern piano", space=space, limit=500) for space in SPACES}
    await village.memory.spaces.rebuild(space="alder")
    assert not [
        hit for hit in await village.memory.search("lantern", space="alder", limit=500) if hit.kind != "message"
    ]
    for space in SPACES[1:]:
        assert await village.memory.search("lantern piano", space=space, limit=500) == before[space]
