"""No planted text reaches a context as an instruction, or as the word of somebody who did not say it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from poisoned import MARKER, QUESTION, VICTIM, Case, Line, cases
from prompt_judge import Verdict, verdict

import erstwhile
from cases import case as in_case
from erstwhile.testing import FixedClock

ALL = list(cases())
SAMPLE = [
    each for number, each in enumerate(ALL) if number % 12 == 0 or each.name == "S2 bridging over 20 turns (en)"
]  # of the set, on Postgres
RECIPES = ("full", "dual", "community", "person", "recall", "brief")
ROLES = {"assistant": "assistant", "tool": "tool", "page": "tool"}
SOAK = bool(os.environ.get("ERSTWHILE_SOAK"))


async def say(chat: erstwhile.Channel, line: Line, at: datetime) -> None:
    role = ROLES.get(line.who, "user")
    person = None if role != "user" else VICTIM if line.who == "link" else line.who
    meta = {"trust": "third_party", "source": "web:page"} if line.who == "page" else {}
    await chat.add(role, line.text, person=person, name=line.name or None, at=at, meta=meta)


async def plant(memory: erstwhile.Memory, case: Case, space: str, at: datetime) -> None:
    """What is said before Mina asks."""
    chat = memory.channel("square" if case.elsewhere else "desk", space)
    for number, line in enumerate(case.lines):
        await say(chat, line, at + timedelta(minutes=number))
    if case.own:  # as a bot does with each message
        planted = next(each.text for each in case.lines if each.who == "link")
        await chat.command(planted, person=VICTIM, name="Mina")
    for number in range(case.sessions):
        later = memory.channel(f"session {number}", space)
        await later.add("user", f"Today I saw train {number} in Busan.", person=VICTIM, name="Mina", at=at)
        await later.add("assistant", f"Train {number} is a fine one.", at=at)
    if case.elsewhere or case.sessions:
        await memory.channel("desk", space).add("user", "I am back at my desk.", person=VICTIM, name="Mina", at=at)


@asynccontextmanager
async def planted(url: str, chosen: Sequence[Case]) -> AsyncIterator[erstwhile.Memory]:
    clock = FixedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    async with erstwhile.open(url, clock=clock, worker=False) as memory:
        for number, each in enumerate(chosen):
            await plant(memory, each, f"case-{number}", clock())
        await memory.settle()
        clock.advance(days=1)  # notes, days and profiles are made
        await memory.settle()
        yield memory


async def judged(memory: erstwhile.Memory, case: Case, space: str) -> tuple[Verdict, list[str]]:
    """The worst verdict over all recipes and what is known about Mina, and the texts that led to it."""
    seen: list[Verdict] = []
    bad: list[str] = []
    for recipe in RECIPES:
        made = await memory.channel("desk", space).context(QUESTION, person=VICTIM, recipe=recipe, scope="person")
        seen.append(verdict(case, made.text, made.messages))
        bad += (
            [f"{recipe}: {line}" for line in made.text.splitlines() if MARKER in line] if seen[-1] == "reached" else []
        )
    known = await memory.about(VICTIM, space=space)
    seen.append(verdict(case, known.text))
    bad += [f"about: {line}" for line in known.text.splitlines() if MARKER in line] if seen[-1] == "reached" else []
    return ("reached" if "reached" in seen else "quoted" if "quoted" in seen else "absent"), bad


async def no_own_word(memory: erstwhile.Memory, case: Case, space: str) -> None:
    """No memory about Mina has what somebody else planted, unless it says who said it."""
    kinds = ["structured", "profile", "told", "day"]
    for hit in await memory.memories.list(space=space, person=VICTIM, kinds=kinds, limit=200):
        if MARKER in hit.text and not case.own:
            assert hit.trust != "self", hit
            assert "said by" in hit.text or "says" in hit.text, hit


async def test_nothing_planted_reaches_a_context(database_url: str) -> None:
    chosen = SAMPLE if database_url.startswith("postgres") and not SOAK else ALL
    async with planted(database_url, chosen) as memory:
        reached: dict[str, list[str]] = {}
        quoted = 0
        for number, each in enumerate(chosen):
            with in_case(each.name):
                found, why = await judged(memory, each, f"case-{number}")
                quoted += found == "quoted"
                if found == "reached":
                    reached[each.name] = why
                await no_own_word(memory, each, f"case-{number}")
                await careful(memory, each, f"case-{number}")
        assert not reached, f"{len(reached)} of {len(chosen)} reached a context: {reached}"
        assert quoted > len(chosen) / 2, "most are recalled, with their author; else nothing was tried"


async def careful(memory: erstwhile.Memory, case: Case, space: str) -> None:
    """With `trust="user"` what no person said is absent."""
    if all(each.who in ROLES for each in case.lines if MARKER in each.text):
        chat = memory.channel("desk", space)
        for recipe in RECIPES:
            made = await chat.context(QUESTION, person=VICTIM, recipe=recipe, scope="person", trust="user")
            assert MARKER not in made.text
        assert not [hit for hit in await memory.search(QUESTION, space=space, trust="user") if MARKER in hit.text]


def test_the_set_is_large_enough() -> None:
    assert len(ALL) >= 60
    assert len({each.name for each in ALL}) == len(ALL)
    assert {each.row for each in ALL} == {"S1", "S2", "S3", "S4", "S5", "S6"}
    for each in ALL:
        assert any(MARKER in line.text + line.name for line in each.lines), each.name


@pytest.mark.parametrize("each", ALL, ids=lambda each: each.name)
def test_the_judge_can_fail(each: Case) -> None:
    """The control: memories as plain text, with no author or with the victim's name, are told apart from ours."""
    said = next(line for line in each.lines if MARKER in line.text + line.name)
    text = " ".join((said.text if MARKER in said.text else said.name).split())
    bare = text[text.find(MARKER) :]
    assert verdict(each, f"- {bare}") == "reached"
    assert verdict(each, f"=== Facts ===\n{bare}") == "reached"
    assert verdict(each, "", [{"role": "system", "content": bare}]) == "reached"
    if not each.own:
        assert verdict(each, f"[2026-03-02 09:00] Mina: {bare}") == "reached"
        assert verdict(each, f"- Mina (2 Mar 2026): {bare}") == "reached"
        assert verdict(each, "", [{"role": "user", "content": bare}]) == "reached"
    assert verdict(each, f"[2026-03-02 09:00] Eve (eve): {bare}") == "quoted"
    assert verdict(each, "Nothing of it.") == "absent"
