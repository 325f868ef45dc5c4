"""At small budgets a text is cut after a sentence or left out, in every recipe: nothing ends in the middle of a sentence."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.context import render
from erstwhile.context.recipes import RECIPES
from erstwhile.layers.part import Item
from erstwhile.testing import FixedClock
from erstwhile.text import tokens
from erstwhile.text.excerpt import beginning

# A sentence that ends too early doesn't match.
SENTENCE = re.compile(
    r"(?:Ann|Ben|I) (?:looked|talked|asked) \w+ at (?:the|that) bicycle number \d+ in the wooden shed\."
)


def _sentences(verb: str, first: int, count: int) -> str:
    said = (f"I {verb} closely at the bicycle number {n} in the wooden shed." for n in range(first, first + count))
    return " ".join(said)


@pytest.fixture
async def memory(database_url: str, clock: FixedClock) -> AsyncIterator[Memory]:
    async with erstwhile.open(database_url, clock=clock, worker=False) as opened:
        chat = opened.channel("chat")
        for number in range(24):
            who = "ann" if number % 4 else "ben"
            await chat.add("user", _sentences("looked", 10 * number, 1 + number % 3), person=who, name=who.title())
            await chat.add("assistant", _sentences("talked", 10 * number, 3 + number % 5))
            clock.advance(hours=1)
        await opened.remember("ann", _sentences("asked", 800, 6))
        clock.advance(hours=3)
        await opened.settle()
        await opened.notes.nightly()
        await opened.settle()
        yield opened


@pytest.mark.parametrize("recipe", RECIPES)
async def test_no_sentence_ends_early(memory: Memory, recipe: str) -> None:
    shown = 0
    for budget in (*range(100, 400, 20), 600, 900, 1500):
        context = await memory.channel("chat").context(
            "Which bicycle in the shed did Ann look at?", person="ann", recipe=recipe, budget=budget
        )
        assert context.tokens <= budget
        texts = [context.text, *(each["content"] for each in context.messages)]
        for text in texts:
            assert not re.search(r"\b(?:looked|talked|asked|closely)\b", SENTENCE.sub("", text))
        shown += len(SENTENCE.findall(context.text))
    assert shown > 20, "and yet much is shown"


@pytest.mark.parametrize("recipe", RECIPES)
async def test_a_sentence_without_an_end_is_there_whole_or_not_at_all(memory: Memory, recipe: str) -> None:
    endless = "bicycle and then the next one " * 60
    await memory.channel("chat").add("user", endless, person="ann")
    for budget in (150, 300, 600, 4000):
        context = await memory.channel("chat").context("bicycle", person="ann", recipe=recipe, budget=budget)
        assert context.text.count("then the next one") in (0, 60)


def test_a_beginning_has_whole_sentences_and_a_mark() -> None:
    text = "The nut is loose. Turn the spoke by a quarter.\nThen look again, and again"
    assert beginning(text, 100) == text
    assert beginning(text, tokens.count(text) - 1) == "The nut is loose. Turn the spoke by a quarter. …"
    assert beginning(text, 8) == "The nut is loose. …"
    assert beginning(text, 4) == ""
    assert beginning(text, 0) == ""
    assert beginning("one … two. Three " + "four " * 50, 9) == "one … two. …"
    assert beginning("… Then the chain was mended by the man from the shop.", 6) == ""
    assert beginning("今天天气很好。适合散步。大家都很高兴。", 12).endswith("。 …")


def test_a_message_that_is_cut_keeps_what_was_noted_behind_it() -> None:
    said = _sentences("looked", 1, 9)
    line = Item(
        "msg_1", "message", f"[2026-01-01 10:00] Ann: {said} (Ann has a bicycle until 2 Apr 2026)", 1, 1, _message(said)
    )
    cut = render.cut(line, 60)
    assert cut.text.startswith("[2026-01-01 10:00] Ann: I looked")
    assert cut.text.endswith("shed. … (Ann has a bicycle until 2 Apr 2026)")
    assert tokens.count(cut.text) <= 60


def _message(text: str) -> erstwhile.Message:
    return erstwhile.Message("msg_1", 1, "user", "ann", "Ann", text, datetime(2026, 1, 1, tzinfo=UTC), None, None, {})
