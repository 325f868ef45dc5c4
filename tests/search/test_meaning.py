"""Found by meaning: what gets a vector, from whom, what happens when the embedder changes or fails."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

import erstwhile
from erstwhile.search import embed
from erstwhile.storage.queries import make
from erstwhile.testing import Fault, FixedClock, ModelServer
from inside import SEARCHED, runtime

pytestmark = pytest.mark.usefixtures("quiet_never_comes")

SAID = [
    "We paddled the kayak along the coast.",
    "The landlord wants the rent on Fridays.",
    "My sister is allergic to buckwheat.",
    "The meeting about the budget was boring.",
    "Our cat sleeps on the radiator.",
    "I fixed the printer in the office.",
    "They planted tomatoes behind the garage.",
    "The train to the airport takes an hour.",
]
BOAT = "a boat"  # a word that nobody said


def open_with(url: str, clock: FixedClock, embedder: str, **more: Any) -> erstwhile.Memory:
    return erstwhile.open(url, clock=clock, worker=False, embedder=embedder, **more)


def remote(url: str, clock: FixedClock, server: ModelServer, model: str = "one", **more: Any) -> erstwhile.Memory:
    return open_with(url, clock, f"openai-compatible:{model}", embedder_url=server.base_url, **more)


@pytest.fixture
async def english(database_url: str, clock: FixedClock) -> AsyncIterator[erstwhile.Memory]:
    async with open_with(database_url, clock, "vectors") as memory:
        yield memory


async def talk(memory: erstwhile.Memory, texts: list[str] = SAID, space: str | None = None) -> erstwhile.Channel:
    chat = memory.channel("chat", space=space)
    await chat.add_many([{"role": "user", "person": "mina", "text": text} for text in texts])
    await memory.settle()
    return chat


async def vectors(memory: erstwhile.Memory) -> dict[str, list[str]]:
    """The ids that have a vector, by kind."""
    sql = f"SELECT kind, id FROM vectors v JOIN {SEARCHED} d ON d.space = v.space AND d.doc = v.doc WHERE v.space = :space ORDER BY d.doc"
    found: dict[str, list[str]] = {}
    for row in await runtime(memory).database.read("default", lambda tx: tx.all(make("vectors", sql, sql))):
        found.setdefault(row["kind"], []).append(row["id"])
    return found


async def whose(memory: erstwhile.Memory) -> list[str]:
    sql = "SELECT embedder FROM embedded WHERE space = :space"
    return [
        row["embedder"]
        for row in await runtime(memory).database.read("default", lambda tx: tx.all(make("e", sql, sql)))
    ]


def embedding_calls(server: ModelServer) -> list[list[str]]:
    return [call.body["input"] for call in server.calls if call.path == "/embeddings"]


async def test_a_question_that_shares_no_word_finds_the_message(english: erstwhile.Memory) -> None:
    await talk(english)
    hits = await english.search(BOAT, kinds=["message"])
    assert hits[0].text == SAID[0]
    assert "meaning" in (await english.requests.list())[0].hits
    assert (await english.requests.list())[0].path == "meaning"
    assert (await english.search("laser printing machine", kinds=["message"]))[0].text == SAID[5]
    assert (await english.search("a sibling's food allergy", kinds=["message"]))[0].text == SAID[2]


async def test_without_an_embedder_it_does_not(memory: erstwhile.Memory) -> None:
    await talk(memory)
    assert await memory.search(BOAT) == []
    assert await vectors(memory) == {}


async def test_meaning_finds_memories_too(english: erstwhile.Memory) -> None:
    chat = await talk(english)
    fact = await english.facts.add(chat, "Jun is allergic to peanuts.", by="mina")
    await english.settle()
    assert fact.id in [hit.id for hit in await english.search("food intolerance and allergies", kinds=["fact"])]


async def test_an_embedder_leaves_scripts_it_does_not_read_alone_and_words_find_them(english: erstwhile.Memory) -> None:
    foreign = ["Встретимся в субботу в кафе у моря", "Έχω αλλεργία στα φιστίκια", "אני נוסע לקיוטו באפריל"]
    chat = await talk(english, [*SAID, *foreign])
    said = {message.text: message.id async for message in chat.messages()}
    embedded = (await vectors(english))["message"]
    assert set(embedded) == {said[text] for text in SAID}
    for asked, text in zip(["кафе у моря", "αλλεργία", "קיוטו באפריל"], foreign, strict=True):
        assert (await english.search(asked, kinds=["message"]))[0].text == text
    assert (await english.search(BOAT, kinds=["message"]))[0].text == SAID[0]


async def test_derived_means_no_plain_message_but_valuable_ones(database_url: str, clock: FixedClock) -> None:
    async with open_with(database_url, clock, "vectors", embed="derived") as memory:
        chat = await talk(memory)
        kept = await chat.add("user", "Remember this: the spare key is under the fern.", meta={"valuable": True})
        await chat.add("user", "and this is chatter", meta={"valuable": False})
        await chat.add_many(
            [
                {"role": "user", "text": f"I moved to Busan in March 20{n + 10} for a job at the aquarium."}
                for n in range(10)
            ]
        )
        await memory.settle()
        found = await vectors(memory)
        assert found.pop("message") == [kept.id]
        assert {"chunk", "fact"} <= found.keys()
    async with open_with(database_url, clock, "vectors", embed="all") as memory:
        await memory.settle()
        assert len((await vectors(memory))["message"]) == 20, "asked for more, it makes the rest"


async def test_another_embedder_embeds_everything_anew(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with open_with(database_url, clock, "vectors") as memory:
        await talk(memory)
        before = await vectors(memory)
    async with remote(database_url, clock, model_server, embed="all") as memory:
        await memory.settle()
        assert await vectors(memory) == before
        assert await whose(memory) == ["openai-compatible:one"]
        sent = [text for call in embedding_calls(model_server) for text in call]
        assert set(SAID) <= set(sent)
        await memory.settle()
        assert [text for call in embedding_calls(model_server) for text in call] == sent, "and only once"


async def test_embedding_goes_on_where_it_stopped(
    database_url: str, clock: FixedClock, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed in the middle, as by a crash after some pages: what is done is not done again."""
    monkeypatch.setattr(embed, "_PAGE", 3)
    async with open_with(database_url, clock, "none") as memory:
        await talk(memory)
    async with remote(database_url, clock, model_server, embed="all") as memory:
        for _ in range(2):
            model_server.then("", at="embeddings")
        model_server.then(Fault.server_error(), at="embeddings")
        await memory.settle()
        done = await vectors(memory)
        assert sum(map(len, done.values())) == 6
    clock.advance(hours=2)
    sent = len(embedding_calls(model_server))
    async with remote(database_url, clock, model_server, embed="all") as memory:
        await memory.settle()
        after = await vectors(memory)
        again = [text for call in embedding_calls(model_server)[sent:] for text in call]
        first = [text for call in embedding_calls(model_server)[:2] for text in call]
        assert not set(again) & set(first)
        assert len(after["message"]) == len(SAID)
        assert (await memory.jobs.list(state="waiting")) == []


async def test_auto_leaves_the_vectors_of_an_embedder_that_was_chosen(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with remote(database_url, clock, model_server, embed="all") as memory:
        await talk(memory)
        before = await vectors(memory)
    async with open_with(database_url, clock, "auto") as memory:
        await memory.channel("chat").add("user", "A kayak again.")
        await memory.settle()
        assert await vectors(memory) == before
        assert await whose(memory) == ["openai-compatible:one"]
        assert "A kayak again." in [hit.text for hit in await memory.search("kayak", kinds=["message"])]
        assert await memory.search(BOAT) == [], "its own vectors can't be compared with those"
    async with remote(database_url, clock, model_server, embed="all") as memory:
        await memory.settle()
        assert len((await vectors(memory))["message"]) == len(SAID) + 1
    async with open_with(database_url, clock, "vectors") as memory:  # named, it does not yield
        await memory.settle()
        assert await whose(memory) == ["vectors:1:256"]
        assert (await memory.search(BOAT, kinds=["message"]))[0].text == SAID[0]


@pytest.mark.parametrize("fault", [Fault.server_error(), Fault.rate_limited(), Fault.fewer_vectors(), Fault.not_json()])
async def test_a_failing_embedder_breaks_no_search_and_its_work_is_done_later(
    database_url: str, clock: FixedClock, model_server: ModelServer, fault: Fault
) -> None:
    async with remote(database_url, clock, model_server, embed="all", model_timeout_seconds=60) as memory:
        model_server.then(*[fault] * 3, at="embeddings")
        await talk(memory)
        assert await vectors(memory) == {}
        (job,) = await memory.jobs.list(state="waiting")
        assert (job.kind, job.attempts) == (embed.EMBED, 1)
        assert (await memory.search("kayak", kinds=["message"]))[0].text == SAID[0]
        for _ in range(20):
            clock.advance(hours=1)
            await memory.settle()
        assert len((await vectors(memory))["message"]) == len(SAID)
        model_server.then(*[fault] * 2, at="embeddings")
        assert (await memory.search("kayak", kinds=["message"]))[0].text == SAID[0], (
            "with the question's vector missing"
        )


async def test_a_server_that_stays_down_has_its_work_parked_or_waiting_and_words_still_find(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with remote(database_url, clock, model_server, embed="all", model_timeout_seconds=60) as memory:
        model_server.down()
        await talk(memory)
        for _ in range(12):
            clock.advance(hours=2)
            await memory.settle()
            assert (await memory.search("kayak", kinds=["message"]))[0].text == SAID[0]
        (job,) = [job for state in ("waiting", "parked") for job in await memory.jobs.list(state=state)]
        assert job.kind == embed.EMBED
        model_server.up()
        await memory.jobs.retry(job.id)
        await memory.settle()
        assert len((await vectors(memory))["message"]) == len(SAID)


async def test_a_server_is_asked_only_where_words_are_thin(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with remote(database_url, clock, model_server, embed="all") as memory:
        await talk(memory, [*SAID, *(f"The ferry number {n} was late." for n in range(5))])
        calls = len(embedding_calls(model_server))
        assert await memory.search("ferry")
        assert await memory.search("late ferry number")
        assert len(embedding_calls(model_server)) == calls, "five hits by words are enough"
        await memory.search("kayak")
        assert embedding_calls(model_server)[calls:] == [["kayak"]]
        await memory.search("paddle along coastline")
        assert embedding_calls(model_server)[calls + 1 :] == [["paddle along coastline"]]
        await memory.search("?!")
        assert len(embedding_calls(model_server)) == calls + 2


async def test_a_space_without_vectors_costs_no_call(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with remote(database_url, clock, model_server, embed="all") as memory:
        await memory.channel("chat").add("user", "not embedded yet")
        assert await memory.search("canoe") == []
        assert await memory.search("canoe", space="nobody") == []
        assert embedding_calls(model_server) == []


async def test_names_are_not_part_of_what_is_compared_by_meaning(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with remote(database_url, clock, model_server, embed="all") as memory:
        chat = memory.channel("chat")
        await chat.add_many([{"role": "user", "person": "mina", "name": "Mina Kim", "text": text} for text in SAID])
        await memory.settle()
        calls = len(embedding_calls(model_server))
        await memory.search("What is Mina Kim's canoe called, and Mina's rowing boat?")
        (asked,) = embedding_calls(model_server)[calls:]
        assert asked == ["What is canoe called, and rowing boat?"]


async def test_a_message_that_goes_before_it_is_embedded_leaves_nothing_to_do(english: erstwhile.Memory) -> None:
    chat = english.channel("chat")
    await chat.add_many([{"role": "user", "text": text} for text in SAID])
    await english.spaces.rebuild()
    settled = await english.settle()
    assert settled is not None
    assert len((await vectors(english))["message"]) == len(SAID)
    sql = "SELECT count(*) AS n FROM unembedded WHERE space = :space"
    assert await runtime(english).database.read("default", lambda tx: tx.all(make("n", sql, sql))) == [{"n": 0}]


async def test_a_batch_is_embedded_page_by_page_and_nothing_waits_afterwards(
    english: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page is read while the one before is stored. The messages of a batch wait as one range."""
    monkeypatch.setattr(embed, "_PAGE", 3)
    await talk(english, [f"{text} {n}" for n in range(5) for text in SAID])
    await english.channel("yard").add("user", SAID[0])
    await english.settle()
    assert len((await vectors(english))["message"]) == 5 * len(SAID) + 1
    sql = "SELECT doc, until FROM unembedded WHERE space = :space"
    assert await runtime(english).database.read("default", lambda tx: tx.all(make("ranges", sql, sql))) == []


async def test_every_space_is_embedded_and_a_new_one_later_too(english: erstwhile.Memory, clock: FixedClock) -> None:
    for space in ("one", "two"):
        await talk(english, space=space)
    clock.advance(seconds=1)
    await talk(english, space="three")
    for space in ("one", "two", "three"):
        assert (await english.search(BOAT, space=space, kinds=["message"]))[0].text == SAID[0]
