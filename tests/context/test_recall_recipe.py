"""The recipe `recall`: a few whole turns of what was found, none of them too long, within the budget."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.text import tokens


def turn(n: int, said: str) -> list[dict[str, str]]:
    return [
        {"role": "user", "person": "mina", "name": "Mina", "text": f"Question {n}: {said}"},
        {"role": "assistant", "text": f"Reply number {n}, as good as any."},
    ]


@pytest.fixture
async def chat(memory: erstwhile.Memory) -> erstwhile.Channel:
    """Twenty turns about lanterns, then thirty about nothing much, so that none of the first is recent."""
    talk = memory.channel("chat")
    await talk.add_many([each for n in range(20) for each in turn(n, f"where does lantern {n} hang?")])
    await talk.add_many([each for n in range(20, 50) for each in turn(n, "nothing much")])
    await memory.settle()
    return talk


def related(context: erstwhile.Context) -> list[str]:
    return [item.text for part in context.parts if part.name == "related" for item in part.items]


async def test_at_most_six_turns_each_with_its_reply(chat: erstwhile.Channel) -> None:
    context = await chat.context("lantern", person="mina", recipe="recall", budget=4000)
    lines = related(context)
    asked = [line for line in lines if "Question" in line]
    assert len(asked) == 6
    assert all("lantern" in line for line in asked)
    numbers = {line.split("Question ")[1].split(":")[0] for line in asked}
    assert numbers == {line.split("number ")[1].split(",")[0] for line in lines if "Reply" in line}


async def test_the_best_turn_is_among_them(chat: erstwhile.Channel) -> None:
    for n in (0, 7, 13, 19):
        context = await chat.context(f"where does lantern {n} hang?", person="mina", recipe="recall", budget=4000)
        assert any(f"lantern {n} hang" in line for line in related(context))


async def test_each_message_is_kept_within_a_twelfth_of_the_budget(memory: erstwhile.Memory) -> None:
    talk = memory.channel("long")
    await talk.add_many([each for n in range(8) for each in turn(n, f"lantern word{n}. " * 2000)])
    await talk.add_many([each for n in range(8, 40) for each in turn(n, "nothing much")])
    context = await talk.context("lantern", person="mina", recipe="recall", budget=3000)
    lines = related(context)
    assert sum("lantern word" in line for line in lines) == 6
    assert max(tokens.count(line) for line in lines) <= 3000 // 12
    assert sum("lantern word" in line and tokens.count(line) > 150 for line in lines) == 6, "cut, but not to nothing"


@pytest.mark.parametrize("budget", [100, 150, 300, 1000, 3000])
async def test_the_budget_is_kept(chat: erstwhile.Channel, budget: int) -> None:
    for query in ("lantern", "where does lantern 3 hang?", "nothing much", "", "zeppelin"):
        context = await chat.context(query, person="mina", recipe="recall", budget=budget)
        assert context.tokens == tokens.count(context.text) <= budget


async def test_a_small_budget_shows_fewer_messages_rather_than_stumps(memory: erstwhile.Memory) -> None:
    talk = memory.channel("small")
    said = "the lantern with the green paper hangs in the hall behind the coats, next to the fuse box and the broken umbrella"
    await talk.add_many(
        [{"role": "user", "person": "mina", "text": said if n == 4 else f"so it goes {n}"} for n in range(60)]
    )
    context = await talk.context("Where does the lantern hang?", person="mina", recipe="recall", budget=300)
    assert any(said in line for line in related(context))


async def test_what_is_shown_as_recent_is_not_shown_twice(chat: erstwhile.Channel) -> None:
    context = await chat.context("nothing much", person="mina", recipe="recall", budget=3000)
    ids = [item.id for part in context.parts for item in part.items]
    assert len(ids) == len(set(ids))


async def test_what_a_tool_said_is_found_without_a_turn(memory: erstwhile.Memory) -> None:
    talk = memory.channel("tools")
    await talk.add("tool", "zeppelin timetable: 9:40")
    await talk.add_many([each for n in range(40) for each in turn(n, "nothing much")])
    context = await talk.context("zeppelin timetable", recipe="recall", budget=3000)
    assert any("9:40" in line for line in related(context))
