"""What happened in the time of a question, what answers one, and what shares a name with what was found first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import erstwhile

FIRST = datetime(2026, 5, 4, 10, tzinfo=UTC)  # a Monday


async def talk(memory: erstwhile.Memory, *said: tuple[str, str], apart: timedelta = timedelta(days=9)) -> None:
    for number, (person, text) in enumerate(said):
        await memory.channel("chat").add("user", text, person=person, at=FIRST + number * apart)


async def parts_of(memory: erstwhile.Memory, question: str) -> dict[str, dict[str, float]]:
    texts = {hit.id: hit.text for hit in await memory.search(question, kinds=["message"], limit=40)}
    explained = await memory.requests.explain((await memory.requests.list())[0].id)
    return {texts[each.candidate.id]: dict(each.candidate.parts) for each in explained.seen}


@pytest.mark.parametrize(
    ("told", "other", "question"),
    [
        ("Two weeks ago we planted roses", "Planted roses are red", "Who planted roses on 20 April 2026?"),
        ("Vor zwei Wochen haben wir Rosen gepflanzt", "Rosen sind rot", "Wer hat am 20. April 2026 Rosen gepflanzt?"),
        (
            "Il y a deux semaines on a planté des roses",
            "Les roses sont rouges",
            "Qui a planté des roses le 20 avril 2026 ?",
        ),
        ("Hace dos semanas plantamos rosas", "Las rosas son rojas", "¿Quién plantó rosas el 20 de abril de 2026?"),
        ("2주 전에 장미를 심었어", "장미는 빨간색이야", "2026년 4월 20일에 누가 장미를 심었어?"),
        ("两周前我们种了玫瑰", "玫瑰是红色的", "2026年4月20日谁种了玫瑰？"),
        ("2週間前にバラを植えました", "バラは赤いです", "2026年4月20日に誰がバラを植えましたか？"),
    ],
)
async def test_a_time_meets_when_it_happened(memory: erstwhile.Memory, told: str, other: str, question: str) -> None:
    await talk(memory, ("ana", told), ("ben", other), ("ben", other + " !"))
    parts = await parts_of(memory, question)
    assert parts[told]["event"] == pytest.approx(1 / 7, abs=0.001)  # a day of the week that it may have been
    assert parts[other]["event"] == 0.0


async def test_a_question_for_a_time_prefers_what_tells_one(memory: erstwhile.Memory) -> None:
    said = [("ben", f"Number {number} is about nothing much") for number in range(8)]
    told = "Yesterday the boiler in the old house was repaired"
    await talk(memory, ("ana", told), *said, ("ana", "The boiler was repaired"))
    parts = await parts_of(memory, "When was the boiler repaired?")
    assert next(iter(parts)) == told
    assert [each["event"] for text, each in parts.items() if "boiler" in text] == [1.0, 0.0]
    assert all(not each["event"] for each in (await parts_of(memory, "Who repaired the boiler?")).values())


async def test_a_message_takes_its_meaning_from_the_question_before_it(memory: erstwhile.Memory) -> None:
    said = [("ana", f"Number {number} is about nothing much") for number in range(8)]
    await talk(memory, *said, ("ana", "Who repaired the boiler?"), ("ben", "She did"), apart=timedelta(minutes=1))
    parts = await parts_of(memory, "Somebody repaired the boiler, who was it?")
    assert parts["She did"]["answer"] > 0
    assert parts["Who repaired the boiler?"]["answer"] == 0


async def test_the_second_hop_follows_a_name(memory: erstwhile.Memory) -> None:
    said = [("ben", f"Number {number} is about nothing much") for number in range(30)]
    linked = "We paid the man called Ahn in cash"
    await talk(memory, *said[:15], ("ana", "The boiler was repaired by Ahn"), *said[15:], ("ben", linked))
    parts = await parts_of(memory, "Who repaired the boiler in our kitchen?")
    assert parts[linked]["linked"] > 0
    assert parts[linked]["words"] <= 0
    assert parts[linked]["linked"] > parts["The boiler was repaired by Ahn"]["linked"]
    assert (await parts_of(memory, "Did Ahn repair the boiler in our kitchen?"))[linked]["linked"] == 0


async def test_explain_names_the_hop(memory: erstwhile.Memory) -> None:
    said = [("ben", f"Number {number} is about nothing much") for number in range(30)]
    first, linked = "The boiler was repaired by Ahn", "We paid the man called Ahn in cash"
    await talk(memory, *said[:15], ("ana", first), *said[15:])
    await memory.channel("chat").add("user", linked, person="ben", key="paid", at=FIRST + timedelta(days=900))
    hits = {hit.text: hit.id for hit in await memory.search("Who repaired the boiler in our kitchen?", limit=40)}
    asked = (await memory.requests.list())[0].id
    hops = {each.candidate.id: each.candidate.hop for each in (await memory.requests.explain(asked)).seen}
    assert hops[hits[linked]] == "Ahn"
    assert hops[hits[first]] == ""  # it has the words of the question
    await memory.channel("chat").edit("paid", "We paid him in cash")
    explained = await memory.requests.explain(asked)  # no word of a message is kept with a request
    assert {each.candidate.hop for each in explained.seen} == {""}
