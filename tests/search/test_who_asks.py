"""Who asks: "I" in a question is the asker, whichever way the question comes in."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.embedders.minilm import MiniLMEmbedder
from erstwhile.embedders.vectors import OwnVectors
from erstwhile.search import find
from erstwhile.search.question import understand
from erstwhile.testing import FixedClock

QUESTIONS = (
    ("Where do I live?", "I live in Lisbon, near the river."),
    ("Which lake is my favourite?", "The lake at Annecy is still the favourite."),
    ("Welcher Zahnarzt ist meiner?", "Der Zahnarzt ist Doktor Weber."),
    ("Qui est mon fleuriste ?", "Le fleuriste est monsieur Blanc."),
    ("¿Quién es mi peluquero?", "El peluquero es el señor Ruiz."),
    ("我的牙医是谁？", "牙医是王医生。"),
    ("私の歯医者は誰ですか？", "歯医者は田中先生です。"),
    ("내 치과는 어디야?", "치과는 김 선생님 병원이다."),
)
TWINS = {
    "I live in Lisbon, near the river.": "People who live in Lisbon walk a lot.",
    "The lake at Annecy is still the favourite.": "Every lake is somebody's favourite place.",
    "Der Zahnarzt ist Doktor Weber.": "Der Zahnarzt ist ein Beruf.",
    "Le fleuriste est monsieur Blanc.": "Le fleuriste est un commerçant.",
    "El peluquero es el señor Ruiz.": "El peluquero es un oficio.",
    "牙医是王医生。": "牙医是一种职业。",
    "歯医者は田中先生です。": "歯医者は仕事の一つです。",
    "치과는 김 선생님 병원이다.": "치과는 의학의 한 분야다.",
}


async def fill(memory: erstwhile.Memory, person: str | None) -> None:
    said = [
        erstwhile.NewMessage(role, text, person=person if role == "user" else None)
        for text, twin in TWINS.items()
        for role, text in (("user", text), ("assistant", twin))
    ]
    await memory.channel("chat").add_many(said)


@pytest.mark.parametrize("person", ["ana", None])
async def test_i_is_the_only_one_who_speaks_here(memory: erstwhile.Memory, person: str | None) -> None:
    await fill(memory, person)
    for question, answer in QUESTIONS:
        assert (await memory.search(question, limit=1))[0].text == answer, question


async def test_i_is_whoever_asks_where_several_speak(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    for person, home in (("ana", "Lisbon"), ("ben", "Leeds"), ("cem", "Izmir")):
        await chat.add("user", f"Tea first, then we move: {home} is where the flat is.", person=person)
        await chat.add("user", "It rains a lot today, doesn't it", person=person)
    homes = {who: (await memory.search("Where is my flat?", asker=who))[0].text for who in ("ana", "ben", "cem")}
    assert [text.split()[5] for text in homes.values()] == ["Lisbon", "Leeds", "Izmir"]


async def test_who_asks_by_default_sees_no_more_and_no_less(memory: erstwhile.Memory) -> None:
    """The default only helps to understand the question: a search without an asker sees the whole space."""
    await fill(memory, "ana")
    (hit,) = await memory.search("Where do I live?", limit=1)
    assert hit.person == "ana"
    assert {each.person for each in await memory.search("Where do I live?", limit=20)} == {"ana", None}


async def test_an_english_mon_is_no_french_one(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add("user", "The delivery on Monday goes to the back door.", person="ana")
    await chat.add("assistant", "The delivery is on Mon, at the back door.")
    await memory.search("Is the delivery on Mon?")
    (request, *_) = await memory.requests.list()
    seen = (await memory.requests.explain(request.id)).seen
    assert seen
    assert all("speaker" not in each.candidate.parts for each in seen)


@pytest.mark.parametrize(
    ("asked", "plain", "spoken"),
    [
        ("Which tea does Mina like?", "Which tea does like?", "Which tea does I like?"),
        ("Where does Mina's sister live?", "Where does sister live?", "Where does my sister live?"),
        ("Where do I live?", "Where do I live?", "Where do I live?"),
        ("Wo wohnt die Schwester von Mina jetzt?", *["Wo wohnt die Schwester von jetzt?"] * 2),
    ],
)
async def test_whoever_is_named_tells_it_in_the_first_person(
    memory: erstwhile.Memory, clock: FixedClock, asked: str, plain: str, spoken: str
) -> None:
    await memory.channel("chat").add("user", "Green tea, always.", person="mina", name="Mina")
    found, _ = await memory._read("default", lambda tx: understand(tx, asked, clock(), "mina"))
    assert (found.plain, found.spoken) == (plain, spoken)
    for embedder in (OwnVectors(), MiniLMEmbedder()):
        assert find._meant(embedder, found) == (spoken if embedder.sentences else plain)
    assert (OwnVectors.weight, MiniLMEmbedder.weight) == (1.0, 2.0)
