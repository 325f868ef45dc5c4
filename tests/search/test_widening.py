"""R8: what is found is what was said here; beyond it only where whoever asks has spoken, when it must, and it is recorded."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.requests.model import Request


def says(who: str, text: str) -> dict[str, str]:
    return {"role": "user", "person": who.lower(), "name": who, "text": text}


@pytest.fixture
async def town(memory: erstwhile.Memory) -> erstwhile.Memory:
    """Mina speaks here and at work; Jun's diary is his alone."""
    await memory.channel("here").add_many(
        [*(says("Mina", f"The ferry leaves at {n} o'clock.") for n in range(5)), says("Jun", "Good morning.")]
    )
    await memory.channel("work").add_many(
        [says("Mina", "The harbour key is under the green fern."), says("Wei", "The ferry captain prefers Tuesdays.")]
    )
    await memory.channel("diary").add_many(
        [says("Jun", "The harbour key is lost, don't tell anyone."), says("Jun", "The ferry frightens me.")]
    )
    await memory.settle()
    return memory


async def asked(memory: erstwhile.Memory, query: str, **more: str) -> tuple[str, Request]:
    context = await memory.channel("here").context(query, **more)  # type: ignore[arg-type]
    return context.text, (await memory.requests.explain(context.request)).request


async def test_enough_here_stays_here(town: erstwhile.Memory) -> None:
    text, request = await asked(town, "When does the ferry leave?", person="mina")
    assert (request.scope, request.widened) == ("channel", "")
    assert "captain" not in text


async def test_too_few_hits_widen_to_the_askers_other_channels(town: erstwhile.Memory) -> None:
    text, request = await asked(town, "Under what is the harbour key?", person="mina")
    assert (request.scope, request.widened) == ("person", "few hits")
    assert "(in work) " in text
    assert "green fern" in text
    assert "don't tell" not in text


async def test_a_question_about_oneself_widens_too(town: erstwhile.Memory) -> None:
    """Mina's name is on all she said here, which is no hit for the harbour key."""
    text, request = await asked(town, "Where did I put my harbour key?", person="mina")
    assert (request.scope, request.widened) == ("person", "few hits")
    assert "green fern" in text
    text, request = await asked(town, "Where did Mina put the harbour key?", person="mina")
    assert request.widened == "few hits"
    assert "green fern" in text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What did we say about the ferry last time?", "last time"),
        ("Remember when we spoke about the ferry?", "Remember when"),
        ("之前说过 ferry 吗？", "之前"),
        ("지난번에 ferry 얘기했지?", "지난번"),
    ],
)
async def test_words_that_point_at_the_past_widen(town: erstwhile.Memory, query: str, words: str) -> None:
    text, request = await asked(town, query, person="mina")
    assert request.scope == "person"
    assert words.casefold() in request.widened.casefold()
    assert "captain prefers Tuesdays" in text
    assert "frightens" not in text


async def test_scope_channel_never_widens(town: erstwhile.Memory) -> None:
    for query in ("Under what is the harbour key?", "What about the harbour key last time?"):
        text, request = await asked(town, query, person="mina", scope="channel")
        assert (request.scope, request.widened) == ("channel", "")
        assert "green fern" not in text


async def test_scope_person_always_widens(town: erstwhile.Memory) -> None:
    text, request = await asked(town, "When does the ferry leave?", person="mina", scope="person")
    assert (request.scope, request.widened) == ("person", "asked for")
    assert "captain prefers Tuesdays" in text
    assert "frightens" not in text


@pytest.mark.parametrize("person", [None, "nobody", "wei"])
@pytest.mark.parametrize("scope", [None, "person"])
async def test_where_the_asker_never_spoke_is_never_looked_into(
    town: erstwhile.Memory, person: str | None, scope: str | None
) -> None:
    for query in ("Where is the harbour key?", "What did Jun say about the ferry last time?", "diary secrets of Jun"):
        context = await town.channel("here").context(query, person=person, scope=scope)
        assert "don't tell" not in context.text
        assert "frightens" not in context.text
        if person != "wei":
            assert "green fern" not in context.text
            assert (await town.requests.explain(context.request)).request.widened == ""


async def test_facts_of_other_channels_come_along_only_when_widened(town: erstwhile.Memory) -> None:
    await town.facts.add(town.channel("work"), "The lighthouse code is 4711.", by="mina", person="mina")
    await town.facts.add(town.channel("diary"), "The lighthouse code is wrong.", by="jun", person="jun")
    text, _ = await asked(town, "What is the lighthouse code?", person="mina")
    assert "4711" in text
    assert "wrong" not in text
    text, _ = await asked(town, "What is the lighthouse code?", person="mina", scope="channel")
    assert "4711" not in text


async def test_an_unknown_scope_is_refused(town: erstwhile.Memory) -> None:
    with pytest.raises(erstwhile.InvalidInput, match="Use one of channel, person"):
        await town.channel("here").context("ferry", scope="space")


async def test_search_never_widens(town: erstwhile.Memory) -> None:
    assert await town.search("harbour key last time", channel="here", kinds=["message"]) == []
