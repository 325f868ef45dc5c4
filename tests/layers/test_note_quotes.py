"""What a note states about people is in the words of a message: a quote that nobody said is no claim."""

from __future__ import annotations

import json
from typing import Any

import pytest
from profiled import texts

import erstwhile
from erstwhile.testing import Call, FixedClock, ModelServer
from erstwhile.testing.answers import complete
from erstwhile.writers import checks
from erstwhile.writers.port import TranscriptLine

SAID = (
    ("mina", "I moved to Busan in May, and I work as a nurse now"),
    ("juno", "My sister Kaya is a software engineer in Seoul"),
    ("mina", "그리고 우리 고양이 이름은 모찌야"),
)
TRUE = "Mina works as a nurse."


def claimed(fact: str, message: int, person: str = "mina", **more: Any) -> dict[str, Any]:
    return {"person": person, "section": "bio", "fact": fact, "slot": None, "value": None, "message": message, **more}


async def known(url: str, clock: FixedClock, *claims: dict[str, Any]) -> tuple[list[str], int]:
    """Return what is on the profiles of both, and how many claims were left out."""

    def script(call: Call) -> str:
        if '"people"' not in call.system:
            return complete(call)
        return json.dumps({"title": "A talk", "summary": "Mina and Juno talked.", "people": claims})

    with ModelServer(script) as server:
        where = {"model": "openai-compatible:x", "base_url": server.base_url, "api_key": "k", "recipe": "community"}
        async with erstwhile.open(url, clock=clock, worker=False, **where) as memory:
            lines = [{"role": "user", "person": who, "name": who.title(), "text": text} for who, text in SAID]
            await memory.channel("chat").add_many(lines)
            clock.advance(minutes=30)
            await memory.settle()
            (spent,) = [each for each in (await memory.requests.report()).spent if each.task == "note"]
            return [*await texts(memory, "mina"), *await texts(memory, "juno")], spent.unborne


@pytest.mark.parametrize(
    ("quote", "kept"),
    [
        ("I work as a nurse now", True),
        ("i work as a NURSE", True),
        ("I moved … work as a nurse", True),
        ("Mina has always been a nurse", False),
        ("", False),
        (" … ", False),
        ("a", False),
    ],
)
async def test_a_claim_needs_a_quote_that_somebody_said(
    database_url: str, clock: FixedClock, quote: str, kept: bool
) -> None:
    assert await known(database_url, clock, claimed(TRUE, 1, quote=quote)) == ([TRUE] * kept, int(not kept))


async def test_without_a_place_for_quotes_the_words_decide_alone(database_url: str, clock: FixedClock) -> None:
    invented = claimed("Juno is a software engineer in Toronto.", 2, "juno")
    assert await known(database_url, clock, claimed(TRUE, 1), invented) == ([TRUE], 1)


async def test_the_quote_finds_the_message_when_the_number_is_wrong(database_url: str, clock: FixedClock) -> None:
    found, lost = await known(database_url, clock, claimed(TRUE, 3, quote="work as a nurse"))
    assert (found, lost) == ([TRUE], 0)


async def test_a_true_quote_makes_no_invention_true(database_url: str, clock: FixedClock) -> None:
    robin = claimed("Mina is a software engineer.", 1, quote="I moved to Busan in May")
    other = claimed("Juno is a software engineer in Seoul.", 2, "juno", quote="is a software engineer in Seoul")
    assert (await known(database_url, clock, robin, other))[0] == []


def test_a_quote_of_two_chinese_letters_is_long_enough() -> None:
    lines = [TranscriptLine("小美", "我对花生过敏"), TranscriptLine("Mina", "yes")]
    assert checks.quoted("花生", lines, 1) == 1
    assert checks.quoted("花", lines, 1) == 0
    assert checks.quoted("yes", lines, 2) == 2, "the whole message"
    assert checks.quoted(None, lines, 2) == 2
