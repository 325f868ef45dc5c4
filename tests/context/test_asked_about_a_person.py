"""Whoever asks what is known about somebody gets what is on file about them, from every channel they may see."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import erstwhile
from erstwhile.testing import FixedClock

TALK = (
    ("My name is Nora and I run a bakery in Leith with my husband Tom.", "Nice to meet you."),
    ("I'm allergic to hazelnuts.", "Noted."),
    ("I hired Callum from the college for Saturdays.", "Good."),
)
ABOUT_THE_ASKER = (
    "What do you know about me?",
    "who am I?",
    "what's my name?",
    "Tell me about myself.",
    "Do you remember me?",
    "Was weißt du über mich?",
    "Weißt du noch, wer ich bin?",
    "¿Qué sabes de mí?",
    "¿Cómo me llamo?",
    "Que sais-tu de moi ?",
    "Comment je m'appelle ?",
    "私について何を知っていますか？",
    "私の名前は何ですか？",
    "나에 대해 뭘 알고 있어?",
    "내 이름이 뭐야?",
    "你知道我的什么？",
    "我叫什么名字？",
)


@pytest.fixture
async def memory(database_url: str, clock: FixedClock) -> AsyncIterator[erstwhile.Memory]:
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as memory:
        for asked, answered in TALK:
            await memory.channel("first").add("user", asked, person="nora", name="Nora")
            await memory.channel("first").add("assistant", answered)
        for number in range(60):  # small talk, so that what matters is not found by chance
            await memory.channel("first").add("user", f"Good morning number {number}", person="nora", name="Nora")
        await memory.channel("other").add("user", "I drive a tram in Glasgow.", person="ian", name="Ian")
        clock.advance(days=1)
        await memory.settle()
        clock.advance(days=30)
        yield memory


def facts(context: erstwhile.Context) -> str:
    return "\n".join(part.text for part in context.parts if part.name in ("people", "facts"))


@pytest.mark.parametrize("question", ABOUT_THE_ASKER)
async def test_the_asker_is_told_what_is_on_file_about_them(memory: erstwhile.Memory, question: str) -> None:
    told = await memory.channel("new").context(question, person="nora", budget=600)
    assert "hazelnuts" in facts(told)
    assert "Callum" in facts(told)
    assert "Nora" in facts(told)
    assert "Glasgow" not in facts(told)
    assert told.relevant


async def test_what_the_asker_said_stands_in_where_nothing_is_on_file(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as memory:
        chat = memory.channel("kitchen")
        for text in ("how big is a big kitchen. ours is like 11 by 13", "LVP it is then", "going w Hank"):
            await chat.add("user", text, person="darlene", name="Darlene")
            await chat.add("assistant", "That sounds like a plan.")
        told = await memory.channel("new").context("What do you know about me?", person="darlene")
        assert told.relevant
        assert "11 by 13" in told.text
        assert "going w Hank" in told.text
        stranger = await memory.channel("newer").context("What do you know about me?", person="stranger")
        assert not stranger.relevant
        assert stranger.text == ""


async def test_somebody_else_is_told_what_they_may_see(memory: erstwhile.Memory) -> None:
    """One person's talk with an assistant is private, so that Ian is told nothing of it."""
    own = await memory.channel("new").context("What do you know about Ian?", person="ian")
    assert "Glasgow" in facts(own)
    others = await memory.channel("new").context("What do you know about Nora?", person="ian")
    assert "hazelnuts" not in others.text


async def test_what_held_before_says_until_when(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await memory.channel("first").add("user", "I live in Leith.", person="nora", name="Nora")
    clock.advance(days=20)
    await memory.channel("second").add("user", "I moved, I live in Perth now.", person="nora", name="Nora")
    clock.advance(days=1)
    await memory.settle()
    told = await memory.channel("new").context("What do you know about me?", person="nora")
    lines = facts(told).splitlines()
    now = next(number for number, line in enumerate(lines) if "Perth" in line)
    before = next(number for number, line in enumerate(lines) if "live in Leith" in line or "lives in Leith" in line)
    assert now < before
    assert "until" in lines[before]


async def test_the_lines_name_their_messages(memory: erstwhile.Memory) -> None:
    told = await memory.channel("new").context("What do you know about me?", person="nora")
    source = next(each for part in told.parts if part.name == "facts" for each in part.items if "Callum" in each.text)
    messages = {id for each in told.sources if each.id == source.id for id in each.messages}
    said = {message.id async for message in memory.channel("first").messages() if "Callum" in message.text}
    assert messages == said
