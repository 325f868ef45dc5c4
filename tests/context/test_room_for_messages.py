"""What a context leaves out so that more of the messages that were found fit."""

from __future__ import annotations

from datetime import UTC, datetime

import erstwhile
from erstwhile.context import render, timed_facts
from erstwhile.context.model import ContextPart, lines
from erstwhile.layers.part import Item
from erstwhile.log.model import Message
from erstwhile.testing import FixedClock
from erstwhile.text import tokens


def said(day: int, hour: int, text: str, *, channel: str = "chat") -> Item:
    at = datetime(2026, 3, day, hour, tzinfo=UTC)
    message = Message(f"msg_{day}_{hour}", hour, "user", "mina", "Mina", text, at, None, None, {})
    return render.message(message, channel, "chat")


def fact(text: str, *, draft: bool, seq: int = 1) -> Item:
    return render.fact(
        {
            "id": f"fct_{text}",
            "text": text,
            "seq": seq,
            "first_seq": 1,
            "last_seq": 1,
            "channel": "chat",
            "draft": draft,
        }
    )


def test_a_day_is_named_once_and_again_after_another() -> None:
    items = [said(2, 9, "a"), said(2, 10, "b", channel="garden"), said(3, 9, "c"), said(2, 11, "d")]
    assert list(lines(items)) == [
        "[2026-03-02 09:00] Mina: a",
        "(in garden) [10:00] Mina: b",
        "[2026-03-03 09:00] Mina: c",
        "[2026-03-02 11:00] Mina: d",
    ]


def test_only_the_date_in_front_of_a_line_is_left_out() -> None:
    quoted = said(2, 10, "I wrote [2026-03-02 10:00] then")
    bare = Item("msg_1", "message", "Mina: at [2026-03-02 09:00] it rained", 1, 1, said(2, 9, "").said)
    assert list(lines([said(2, 9, "a"), quoted]))[1] == "[10:00] Mina: I wrote [2026-03-02 10:00] then"
    assert list(lines([said(2, 9, "a"), bare]))[1] == bare.text
    assert fact("x", draft=True).day == ""


def test_a_line_costs_less_by_what_is_saved() -> None:
    items = (said(2, 9, "a lantern"), said(2, 10, "a kite"))
    whole = sum(tokens.count(item.text) + 1 for item in items)
    shown = ContextPart("recent", "", items, 0).text
    assert tokens.count(shown) <= whole - render.DAY_COST
    assert render.DAY_COST >= 4


def test_where_messages_do_not_all_fit_drafts_no_one_asked_for_give_way() -> None:
    draft, asked, written = fact("tea", draft=True), fact("jam", draft=True), fact("salt", draft=False)
    facts, asked_for = [draft, asked, written], {asked.id}
    assert timed_facts.beside({}, facts, asked_for, tight=True) == [asked, written]
    assert timed_facts.beside({}, facts, asked_for, tight=False) == facts


def test_where_messages_do_not_all_fit_nothing_is_said_twice() -> None:
    message = said(2, 1, "I love jam on toast")
    same, other = fact("Mina (2 Mar 2026): I love jam", draft=True), fact("Mina: I love salt", draft=True)
    asked_for, shown = {same.id, other.id}, {"related": [message]}
    assert timed_facts.beside(shown, [same, other], asked_for, tight=True) == [other]
    assert timed_facts.beside(shown, [same, other], asked_for, tight=False) == [same, other]


async def test_a_tight_context_holds_more_messages(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat = memory.channel("chat")
    talk = [f"The lantern number {n} that I hung by the gate is my favourite of all" for n in range(60)]
    await chat.add_many([{"role": "user", "person": "mina", "name": "Mina", "text": text} for text in talk])
    await memory.settle()
    context = await chat.context("Which lantern is by the gate?", person="mina", budget=800)
    (related,) = [part for part in context.parts if part.name == "related"]
    day = f"[{clock():%Y-%m-%d}"
    assert related.text.count(day) == 1
    assert all(item.text.startswith(day) for item in related.items), "an item by itself says its day"
    assert context.tokens == tokens.count(context.text) <= 800


async def test_a_brief_changes_no_date_that_somebody_wrote(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat, today = memory.channel("hall"), f"{clock():%Y-%m-%d}"
    await chat.add("user", "Good morning", person="mina")
    await chat.add("assistant", "Good morning, Mina")
    await chat.add("user", f"The log says [{today} 10:00] twice", person="mina")
    context = await chat.context("", recipe="brief")
    assert f"The log says [{today} 10:00] twice" in context.text
