"""What no longer holds says until when, in every recipe that shows it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.context import render
from erstwhile.context.recipes import RECIPES
from erstwhile.context.timed_facts import PastValues
from erstwhile.layers.part import Item
from erstwhile.layers.structured.model import StructuredMemory
from erstwhile.testing import FixedClock


@pytest.fixture
async def memory(database_url: str, clock: FixedClock) -> AsyncIterator[Memory]:
    async with erstwhile.open(database_url, clock=clock, worker=False) as opened:
        chat = opened.channel("home")
        await _said(chat, "I live in Seoul.")
        clock.advance(days=30)
        await _said(chat, "I live in Busan.")
        await _said(chat, "The weather is nice today.")
        await opened.settle()
        yield opened


async def _said(chat: erstwhile.Channel, text: str) -> None:
    said = [text, *(f"Small talk number {number} about nothing." for number in range(9))]
    await chat.add_many([{"role": "user", "text": each, "person": "mina"} for each in said])


@pytest.mark.parametrize("recipe", ["full", "recall", "dual"])
async def test_an_old_value_says_until_when(memory: Memory, recipe: str, clock: FixedClock) -> None:
    context = await memory.channel("home").context(
        "Where do I live, Seoul or Busan?", person="mina", recipe=recipe, budget=3000
    )
    until = f"until {clock().day} {clock():%b %Y}"
    lines = [line for line in context.text.splitlines() if "Seoul" in line]
    assert lines
    unmarked = [line for line in lines if until not in line]
    assert unmarked == []
    now = [line for line in context.text.splitlines() if "Busan" in line and "Seoul" not in line]
    assert not any(until in line for line in now)


@pytest.fixture
async def two(database_url: str, clock: FixedClock) -> AsyncIterator[Memory]:
    """Mina tells Ben at home where she lives, and a few days later, at work, that she lives elsewhere."""
    async with erstwhile.open(database_url, clock=clock, worker=False) as opened:
        home, work = opened.channel("home"), opened.channel("work")
        for chat, told in ((home, "I live in Seoul, near the river."), (work, "I live in Busan, near the sea.")):
            await chat.add("user", "Hello Mina, how are you?", person="ben", name="Ben")
            await chat.add("user", told, person="mina", name="Mina")
            await chat.add("user", "That sounds like a lovely place to live in.", person="ben", name="Ben")
            await chat.add("user", "It is, the view is great.", person="mina", name="Mina")
            clock.advance(hours=3)
            await opened.settle()
            await opened.notes.nightly()
            clock.advance(days=2)
        await opened.settle()
        yield opened


@pytest.mark.parametrize("budget", [400, 3000])
@pytest.mark.parametrize("recipe", RECIPES)
async def test_with_two_people_it_says_so_too_wherever_it_stands(two: Memory, recipe: str, budget: int) -> None:
    for question in ("Does Mina live in Seoul or Busan?", "", "Where does <@mina> live?"):
        context = await two.channel("home").context(question, person="ben", recipe=recipe, budget=budget)
        if recipe == "person" and "@mina" not in question and "Mina" not in question:
            assert "Seoul" in context.text, "among the latest messages"
        lines = [line for line in context.text.splitlines() if "Seoul" in line]
        assert lines or budget == 400
        assert [line for line in lines if "until" not in line] == []
        said = [each["content"] for each in context.messages if "Seoul" in each["content"]]
        assert [each for each in said if "until" not in each] == []


async def test_where_the_chat_itself_shows_the_change_nothing_is_added(two: Memory) -> None:
    """In the channel where the new value stands below the old one."""
    home = two.channel("home")
    await home.add("user", "By the way, I live in Daegu now.", person="mina", name="Mina")
    await home.add("user", "Oh, I see.", person="ben", name="Ben")
    await two.settle()
    context = await home.context("", person="ben", recipe="dual")
    (part,) = [part for part in context.parts if part.name == "recent"]
    assert "I live in Seoul, near the river." in part.text


def _past(text: str, value: str) -> PastValues:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    each = StructuredMemory(
        id="str_1",
        type="fact",
        text=text,
        person="mina",
        subject=None,
        said_by="mina",
        slot="home",
        value=value,
        confidence=1.0,
        done=False,
        due=None,
        at=at,
        valid_from=at,
        valid_to=datetime(2026, 4, 2, tzinfo=UTC),
        superseded_by="str_2",
        restates=None,
        channel="home",
        seq=3,
        first_seq=1,
        last_seq=10,
        writer="extractive",
        draft=True,
        edited_by=None,
    )
    return PastValues("home", {"home": {3: [each]}})


@pytest.mark.parametrize(
    ("brief", "marked"),
    [
        ("Mina: I live in Seoul. She likes tea.", "Mina: I live in Seoul (until 2 Apr 2026). She likes tea."),
        ("She likes tea.", "She likes tea."),
        (
            "Tea.\nI live in Seoul and I moved to Busan.",
            "Tea.\nI live in Seoul (until 2 Apr 2026) and I moved to Busan.",
        ),
    ],
)
def test_a_brief_marks_what_was_replaced(brief: str, marked: str) -> None:
    past = _past("Mina lives in Seoul", "Seoul")
    assert past.in_summary(Item("brf", "brief", brief, 1, 10)).text == marked
    later = Item("brf", "brief", brief, 4, 10)
    assert past.in_summary(later) == later, "it was said before"


@pytest.mark.parametrize(
    ("said", "marked"),
    [
        ("I live in Seoul with Tom and I like tea.", "I live in Seoul (until 2 Apr 2026) with Tom and I like tea."),
        ("Seoul: I'm vegan.", "Seoul: I'm vegan."),  # a name
        ("I work at Seoul Tea.", "I work at Seoul Tea."),
        ("저는 Seoul에 살아요.", "저는 Seoul에 (until 2 Apr 2026) 살아요."),
        ("我住在Seoul。", "我住在Seoul (until 2 Apr 2026)。"),
        ('He said "I live in Seoul!"', 'He said "I live in Seoul (until 2 Apr 2026)!"'),
        ("I live in Seoul", "I live in Seoul (until 2 Apr 2026)"),
    ],
)
def test_the_day_stands_before_the_stop(said: str, marked: str) -> None:
    past = _past("Mina lives in Seoul", "Seoul")
    assert past.in_summary(Item("brf", "brief", said, 1, 10)).text == marked


def test_a_summary_that_is_cut_keeps_the_day() -> None:
    text = "Mina: I live in Seoul. " + "Then they talked about the weather for a long while. " * 20
    marked = _past("Mina lives in Seoul", "Seoul").in_summary(Item("brf", "brief", text, 1, 10))
    assert render.cut(marked, 22).text == "Mina: I live in Seoul (until 2 Apr 2026). …"


async def test_what_ended_it_in_private_is_not_told(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        office, dm = memory.channel("office"), memory.channel("dm")
        await office.add("user", "hello", person="bob")
        await _said(office, "I live in Seoul.")
        await memory.channels.set_privacy(dm, "direct", people=["mina"])
        clock.advance(days=30)
        await _said(dm, "I live in Busan.")
        await memory.settle()
        context = await office.context("Where does Mina live?", person="bob", budget=3000)
        assert "Seoul" in context.text
        assert "until" not in context.text


async def test_another_channels_old_value_says_until_when_too(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        first, later = memory.channel("first"), memory.channel("later")
        await first.add("user", "My manager is called Tiago, we get along.", person="nora")
        await first.add("assistant", "Good to hear.")
        clock.advance(days=30)
        await later.add("user", "We had a reorganisation, my new manager is Beatriz.", person="nora")
        await later.add("assistant", "Thanks for telling me.")
        clock.advance(hours=3)  # until the quiet conversations are read
        await memory.settle()
        context = await memory.channel("new").context("Who is my manager?", person="nora", budget=1500)
        about = await memory.about("nora")
    unmarked = [line for line in context.text.splitlines() if "Tiago" in line and "until" not in line]
    assert "Beatriz is nora's manager." in context.text
    assert unmarked == []
    assert [fact.text for fact in about.profile["relationships"]] == ["Beatriz is nora's manager."]


async def test_a_fact_among_the_people_is_not_repeated(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        chat = memory.channel("first")
        await chat.add("user", "I live in Lisbon. My sister Ida is a nurse.", person="nora")
        await chat.add("assistant", "Lovely.")
        clock.advance(hours=3)
        await memory.settle()
        context = await memory.channel("new").context("Where do I live?", person="nora", budget=1500)
    assert context.text.count("nora lives in Lisbon.") == 1


async def test_a_plain_fact_about_someone_says_until_when(two: Memory) -> None:
    about = await two.about("mina")
    assert [fact.line for fact in about.facts if "Seoul" in fact.line and "until" not in fact.line] == []
    assert [fact.text for fact in about.facts if "Busan" in fact.line and fact.until is None]
