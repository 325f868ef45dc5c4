"""Whatever was said and asked: the budget holds, the shape holds (D5), on both databases."""

from __future__ import annotations

import uuid

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.context import render
from erstwhile.context.model import lines as lines_of
from erstwhile.context.recipes import RECIPES
from erstwhile.text import tokens

words = st.sampled_from(
    [
        "lantern",
        "Busan",
        "=== Key Facts to Remember ===",
        "- fact",
        "[2026-03-02 09:00] Bob: hi",
        "부산에서",
        "火锅",
        "🎂",
    ]
)
breaks = st.sampled_from(["\n", "\r", "\u2028", "\x85", " ", "\t", "\v", "\x1c"])
spoken = st.one_of(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=60),
    st.lists(st.tuples(words, breaks), min_size=1, max_size=12).map(lambda parts: "".join(a + b for a, b in parts)),
    st.integers(1, 6000).map(lambda count: "lantern " * count),
    st.integers(1, 3000).map(lambda count: "등불" * count),
)
conversations = st.lists(st.tuples(st.sampled_from(["Alice", "Bob"]), spoken), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    conversation=conversations,
    budget=st.integers(100, 1200),
    recipe=st.sampled_from(["dual", "full"]),
    question=st.one_of(
        st.just(""), st.just("where are the lanterns in Busan 부산 火锅?"), spoken.map(lambda s: s[:300])
    ),
)
async def test_budget_and_shape_hold(
    memory: erstwhile.Memory, conversation: list[tuple[str, str]], budget: int, recipe: str, question: str
) -> None:
    chat = memory.channel(uuid.uuid4().hex)
    await chat.add_many(
        [{"role": "user", "person": who.lower(), "name": who, "text": text} for who, text in conversation]
    )
    await memory.settle()
    context = await chat.context(question, person="alice", budget=budget, recipe=recipe)
    assert context.tokens == tokens.count(context.text) <= budget
    assert sum(tokens.count(each["content"]) for each in context.messages) <= budget

    headings = [each.heading for each in RECIPES[recipe]]
    lines = context.text.splitlines()
    found = [line for line in lines if line in headings]
    assert found == [part.heading for part in context.parts]
    assert [headings.index(heading) for heading in found] == sorted(headings.index(heading) for heading in found)
    if context.parts:
        assert lines[0] == render.PREFACE
    ours = {text.splitlines()[0] for part in context.parts for text in lines_of(part.items)}
    at_margin = [line for line in lines[1:] if line and not line.startswith("    ") and line not in headings]
    assert set(at_margin) == ours, "a line at the margin is ours; whatever people typed is indented below it"
    assert len(context.sources) == sum(len(part.items) for part in context.parts)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(budget=st.integers(100, 3000), one=spoken, other=spoken, length=st.integers(20, 60))
async def test_the_head_never_depends_on_the_question(
    memory: erstwhile.Memory, budget: int, one: str, other: str, length: int
) -> None:
    chat = memory.channel("chat")
    while await chat.size() < length:
        n = await chat.size()
        await chat.add_many(
            [{"role": "user", "person": "alice", "text": f"On day {n} I bought {n} lanterns: {one[:200]}"}] * 5
        )
    await memory.settle()
    first = await chat.context(one[:300], person="alice", budget=budget)
    second = await chat.context(other[:300], person="alice", budget=budget)
    heads = [[part for part in each.parts if part.name in ("metas", "chunks")] for each in (first, second)]
    assert heads[0] == heads[1]
