"""A floor: what hardly bears on the question is left out, and the context says so."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.context.recipes import FLOOR
from erstwhile.http.app import create_app
from erstwhile.testing import FixedClock

SAID = (
    "We moved the piano into the hall on Tuesday.",
    "My sister Nora works at a bakery in Leeds now.",
    "The cat is called Biscuit and hates the rain.",
    "I booked the train to Bristol for the 14th.",
    "The landlord wants 920 a month from June.",
)
NEVER = "Which number did the dentist in Zurich write on the prescription?"


@pytest.fixture
async def memory(database_url: str, clock: FixedClock) -> AsyncIterator[Memory]:
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as opened:
        chat = opened.channel("chat")
        await chat.add_many([{"role": "user", "text": text, "person": "ann"} for text in SAID])
        for number in range(60):  # so that what was said is not among the latest messages
            await chat.add_many([{"role": "user", "text": f"Good morning number {number}", "person": "ann"}])
        await opened.settle()
        yield opened


async def test_nothing_relevant_is_said_so(memory: Memory) -> None:
    context = await memory.channel("chat").context(NEVER, person="ann")
    assert not context.relevant
    assert context.relevance is not None
    assert context.relevance < FLOOR
    assert context.withheld > 0
    assert not {"related", "facts"} & {part.name for part in context.parts}


async def test_facts_about_whom_the_question_names_are_shown_anyway(memory: Memory) -> None:
    chat = memory.channel("chat")
    await chat.add("user", "Good morning", person="rob", name="Rob")
    await memory.facts.add(chat, "Rob eats no meat", by="ann", person="rob")
    await memory.facts.add(chat, "Ann plays the harp", by="ann", person="ann")
    context = await chat.context("Which number did the dentist in Zurich write on Rob's prescription?", person="ann")
    assert not context.relevant
    assert "Rob eats no meat" in context.text
    assert "harp" not in context.text


async def test_an_answer_is_relevant(memory: Memory) -> None:
    question = "Where did we move the piano?"
    context = await memory.channel("chat").context(question, person="ann", floor=0.03)
    assert context.relevant
    assert "piano" in context.text
    assert "bakery" not in "".join(part.text for part in context.parts if part.name == "related")
    never = await memory.channel("chat").context(NEVER, person="ann")
    assert (context.relevance or 0) > (never.relevance or 0)


async def test_what_was_withheld_is_explained(memory: Memory) -> None:
    chat = memory.channel("chat")
    every = await chat.context("Where did we move the piano and Nora?", person="ann", floor=0)
    assert every.withheld == 0
    usual = await chat.context("Where did we move the piano and Nora?", person="ann")
    assert usual.withheld == 0, "a weak line beside a strong one stays"
    context = await chat.context("Where did we move the piano and Nora?", person="ann", floor=0.9)
    assert context.withheld > 0
    why = await memory.requests.explain(context.request)
    fates = {each.candidate.fate for each in why.seen}
    assert "below the floor" in fates
    assert all("relevance" in each.candidate.parts for each in why.seen)


async def test_without_a_question_there_is_no_estimate(memory: Memory) -> None:
    context = await memory.channel("chat").context(person="ann")
    assert (context.relevant, context.relevance, context.withheld) == (True, None, 0)


async def test_without_vectors_nothing_is_left_out(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="none") as memory:
        chat = memory.channel("chat")
        await chat.add_many([{"role": "user", "text": f"{text} Tea.", "person": "ann"} for text in SAID])
        context = await chat.context("Which university serves tea to dentists?", person="ann")
        assert context.relevant
        assert context.withheld == 0


async def test_over_http(memory: Memory) -> None:
    transport = httpx2.ASGITransport(app=create_app(memory))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        where = "/v1/spaces/default/channels/chat/context"
        answer = await http.get(where, params={"query": NEVER, "person": "ann"})
        assert answer.json()["relevant"] is False
        assert answer.json()["relevance"] < FLOOR
        wrong = await http.get(where, params={"query": NEVER, "floor": 2})
        assert wrong.status_code == 422


async def test_a_floor_is_a_share(memory: Memory) -> None:
    with pytest.raises(erstwhile.InvalidInput, match="floor"):
        await memory.channel("chat").context(NEVER, floor=1.5)
