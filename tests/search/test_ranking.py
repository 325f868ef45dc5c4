"""What comes first: misspelt words, copies of one text, who said it, and when."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest

import erstwhile
from erstwhile.testing import FixedClock


def says(who: str, text: str, at: str | None = None) -> dict[str, str]:
    said = {"role": "user", "person": who.lower(), "name": who, "text": text}
    return said if at is None else {**said, "at": f"{at}T10:00:00Z"}


def found(hits: list[erstwhile.Hit]) -> list[str]:
    return [hit.text for hit in hits]


FILLER = [
    "We had soup for dinner.",
    "The bus was late again.",
    "My phone needs a new battery.",
    "It rained all afternoon.",
    "The neighbours are painting their door.",
    "I watched a film about whales.",
    "He cut the grass behind the house.",
    "They closed the library early.",
]


# Misspelt words


async def test_a_misspelt_word_finds_what_was_meant(memory: erstwhile.Memory) -> None:
    await memory.channel("chat").add_many(
        [says("Mina", text) for text in [*FILLER, "The restaurant serves buckwheat."]]
    )
    for typed in ("restarant", "buckweat", "where is the restarant?"):
        assert found(await memory.search(typed))[0] == "The restaurant serves buckwheat."
        (request, *_) = await memory.requests.list()
        assert (request.hits["trigram"], request.hits["words"]) == (1, 0)
        assert (request.path, request.fallback) == ("trigram", True)


async def test_short_misspelt_words_are_not_guessed_at(memory: erstwhile.Memory) -> None:
    await memory.channel("chat").add_many([says("Mina", text) for text in [*FILLER, "The bus stop"]])
    assert await memory.search("bsu") == []
    assert await memory.search("zzzzzz") == []


async def test_a_word_that_is_known_is_not_guessed_at(memory: erstwhile.Memory) -> None:
    await memory.channel("chat").add_many([says("Mina", text) for text in [*FILLER, "the lantern", "the lanternfish"]])
    assert found(await memory.search("lanternfish")) == ["the lanternfish"]
    assert found(await memory.search("lantern")) == ["the lantern"]
    assert (await memory.requests.list())[0].hits["trigram"] == 0


async def test_what_is_spelt_right_comes_before_a_guess(memory: erstwhile.Memory) -> None:
    await memory.channel("chat").add_many(
        [says("Mina", text) for text in [*FILLER, "The landlord called.", "The landlord and the restaurant."]]
    )
    assert found(await memory.search("landlord restarant"))[0] == "The landlord and the restaurant."


# Copies


async def test_copies_of_one_text_leave_room_for_others_and_are_all_there(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add_many([says("Mina", "Buy lanterns now, cheap lanterns, best lanterns!")] * 50)
    await chat.add_many([says("Jun", f"A lantern hangs in room {n} of the house.") for n in range(20)])
    first = Counter(found(await memory.search("lanterns", limit=10, kinds=["message"])))
    assert first["Buy lanterns now, cheap lanterns, best lanterns!"] <= 2
    assert len(first) >= 9
    every = await memory.search("lanterns", limit=100, kinds=["message"])
    assert len(every) == len({hit.id for hit in every}) == 70


# Who


async def test_whoever_is_named_is_preferred_as_the_speaker(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    for n in range(12):
        await chat.add_many(
            [says("Jun", f"Some talk of a piano {n}."), says("Wei", f"Some talk of a piano again {n}.")]
        )
    await chat.add_many([says("Jun", "I bought the piano in Seoul."), *[says("Wei", text) for text in FILLER]])
    await chat.add_many([says("Wei", "I bought the piano in Lyon."), *[says("Jun", text) for text in FILLER]])
    assert (
        found(await memory.search("Where did Jun buy the piano?", kinds=["message"]))[0]
        == "I bought the piano in Seoul."
    )
    assert (
        found(await memory.search("Where did Wei buy the piano?", kinds=["message"]))[0]
        == "I bought the piano in Lyon."
    )
    await memory.search("Where did Jun buy the piano?", kinds=["message"])
    best, *_ = (await memory.requests.explain((await memory.requests.list())[0].id)).seen
    assert best.candidate.parts["speaker"] > 0


async def test_i_means_whoever_asks(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add_many([says(who, text) for text in FILLER for who in ("Mina", "Jun")])
    await chat.add_many([says("Jun", "I live in Daegu."), says("Mina", "I live in Busan.")])
    for person, town in (("mina", "Busan"), ("jun", "Daegu")):
        context = await chat.context("Where do I live?", person=person)
        best = (await memory.requests.explain(context.request)).seen[0]
        assert best.text is not None
        assert town in best.text
    named = await chat.context("Where does Jun live? I forgot.", person="mina")
    best = (await memory.requests.explain(named.request)).seen[0]
    assert best.text is not None
    assert "Daegu" in best.text, "who is named goes before who asks"


# When


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("What about the dentist last March?", "2025-03-12"),
        ("지난달에 dentist 어땠어?", "2026-01-20"),
        ("上周 dentist 怎么样？", "2026-02-10"),
        ("What did the dentist say in June 2025?", "2025-06-14"),
    ],
)
async def test_what_was_said_at_the_time_meant_comes_first(
    memory: erstwhile.Memory, clock: FixedClock, asked: str, meant: str
) -> None:
    clock.now = datetime(2026, 2, 18, 9, 0, tzinfo=UTC)  # a Wednesday
    days = ["2024-11-05", "2025-03-12", "2025-06-14", "2025-10-02", "2025-11-20", "2026-01-20", "2026-02-10"]
    await memory.channel("chat").add_many(
        [says("Mina", f"I was at the dentist, visit {n}.", day) for n, day in enumerate(days)]
    )
    hits = await memory.search(asked, kinds=["message"])
    assert f"{hits[0].at:%Y-%m-%d}" == meant
    assert len(hits) == len(days), "the others are still found"
    (request,) = await memory.requests.list()
    assert request.when


async def test_a_neighbour_of_the_words_is_found_when_something_is_asked(memory: erstwhile.Memory) -> None:
    """The answer stands beside its question; a plain word only finds itself."""
    chat = memory.channel("chat")
    await chat.add_many([says("Jun", text) for text in FILLER])
    await chat.add_many([says("Jun", "What did you name the parrot?"), says("Mina", "Captain Biscuit")])
    asked = found(await memory.search("What is the name of the parrot?", kinds=["message"]))
    assert set(asked[:2]) == {"What did you name the parrot?", "Captain Biscuit"}
    assert found(await memory.search("parrot", kinds=["message"])) == ["What did you name the parrot?"]


async def test_another_session_is_no_neighbour(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat = memory.channel("chat")
    await chat.add("user", "What did you name the parrot?")
    clock.advance(minutes=26)
    await chat.add("user", "Captain Biscuit")
    assert found(await memory.search("What is the name of the parrot?", kinds=["message"])) == [
        "What did you name the parrot?"
    ]


async def test_a_fact_leads_to_its_message(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    told = ["I was born in Daegu.", "I own a small bakery.", "I'm allergic to cats.", "I quit smoking in March."]
    await chat.add_many([says("Jun", text) for text in [*FILLER, *told]])
    await memory.settle()
    fact = next(fact for fact in await memory.facts.list(chat) if fact.seq is not None)
    seq = fact.seq
    await memory.memories.edit(fact.id, "A zeppelin was seen.", by="jun")
    assert [hit.kind for hit in await memory.search("zeppelin")] == ["fact"], "a word finds what holds it"
    hits = await memory.search("Who has seen a zeppelin?")
    assert {(hit.kind, hit.seq) for hit in hits[:2]} == {("fact", seq), ("message", seq)}
