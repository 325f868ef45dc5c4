"""R7, R14: the report says what the rows say, and the advisor names what to turn on when a figure passes its threshold."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import typer.main

import erstwhile
from erstwhile.base.settings import described, load, variable
from erstwhile.cli.app import app
from erstwhile.requests.model import Latency, Report, Request, TokenUsage
from erstwhile.requests.recommendations import recommend
from erstwhile.testing import FixedClock, ModelServer


async def answer(chat: erstwhile.Channel, question: str) -> None:
    async for _ in chat.ask(question, person="mina"):
        pass


async def a_week(memory: erstwhile.Memory, clock: FixedClock) -> None:
    """Questions of every outcome, over several days: found, found thinly, not found, cut by the budget."""
    chat = memory.channel("chat")
    await memory.channel("empty", space="other").context("lanterns")
    for day in range(9):
        await chat.add_many(
            [{"role": "user", "person": "mina", "text": f"Lantern {day}.{n} is red"} for n in range(12)]
        )
        await memory.settle()
        await chat.context("Which lantern is red?", budget=200 if day % 2 else 5000)
        await chat.context()
        await memory.search("zeppelins")
        await memory.search(f"lantern {day}.3", limit=2)
        if day in (3, 8):
            await answer(chat, "Which lantern is red?")
        clock.advance(days=1 if day < 8 else 0, minutes=7)


def shares(rows: Sequence[Request]) -> dict[str, float]:
    queries = [row for row in rows if row.searched]
    contexts = [row for row in rows if row.op != "search"]
    return {
        "thin": sum(row.hits["words"] < 3 for row in queries) / len(queries),
        "fallback": sum(row.fallback for row in queries) / len(queries),
        "widened": sum(bool(row.widened) for row in queries) / len(queries),
        "meaning": sum(row.hits["meaning"] > 0 for row in queries) / len(queries),
        "summaries_only": sum(row.path == "summaries" for row in queries) / len(queries),
        "truncated": sum(row.truncated for row in contexts) / len(contexts),
        "empty": sum(row.items == 0 for row in rows) / len(rows),
        "tokens_per_request": sum(row.tokens for row in contexts) / len(contexts),
    }


def nearest_rank(values: Sequence[float], percent: int) -> float:
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


@pytest.mark.usefixtures("unchecked")
async def test_the_report_says_what_the_rows_say(prompted: erstwhile.Memory, clock: FixedClock) -> None:
    await a_week(prompted, clock)
    report = await prompted.requests.report(days=7)
    midnight = clock().replace(hour=0, minute=0, second=0, microsecond=0)
    assert (report.since, report.until) == (midnight - timedelta(days=6), clock())
    everything = await prompted.requests.list(limit=1000)
    rows = [row for row in everything if row.at >= report.since]
    assert 20 < len(rows) < len(everything), "the first days are outside"
    assert report.requests == len(rows)
    assert report.by_op == Counter(row.op for row in rows)
    assert report.queries == sum(row.searched for row in rows)
    for name, share in shares(rows).items():
        assert getattr(report, name) == pytest.approx(share), name
    assert 0 < (report.truncated or 0) < 1
    assert 0 < (report.thin or 0) < 1
    assert report.hit_rates["words"] == pytest.approx(
        1 - sum(not row.hits["words"] for row in rows if row.searched) / report.queries
    )
    for percent, found in ((50, report.retrieval.p50), (95, report.retrieval.p95)):
        assert found == nearest_rank([row.retrieval_ms for row in rows], percent)
    models = [row.model_ms for row in rows if row.model_ms is not None]
    assert len(models) == 2
    assert (report.model.p50, report.model.p95) == (min(models), max(models))
    whole = [row.retrieval_ms + (row.model_ms or 0) for row in rows]
    assert report.whole.p95 == pytest.approx(nearest_rank(whole, 95))


async def test_each_day_has_its_own_figures(prompted: erstwhile.Memory, clock: FixedClock) -> None:
    await a_week(prompted, clock)
    report = await prompted.requests.report(days=10)
    rows = await prompted.requests.list(limit=1000)
    assert [day.day for day in report.daily] == [(clock() - timedelta(days=n)).date() for n in reversed(range(10))]
    for day in report.daily:
        of_day = [row for row in rows if row.at.date() == day.day]
        assert day.counts.requests == len(of_day)
        assert day.counts.thin == sum(row.searched and row.hits["words"] < 3 for row in of_day)
        assert day.counts.truncated == sum(row.truncated for row in of_day)
        assert day.retrieval.p95 == (nearest_rank([row.retrieval_ms for row in of_day], 95) if of_day else None)
    assert sum(day.counts.requests for day in report.daily) == report.requests
    one = await prompted.requests.report(days=1)
    assert (one.requests, len(one.daily)) == (report.daily[-1].counts.requests, 1)


async def test_tokens_are_counted_by_who_used_them(
    prompted: erstwhile.Memory, clock: FixedClock, model_server: ModelServer
) -> None:
    chat = prompted.channel("chat")
    await chat.add_many([{"role": "user", "person": "mina", "text": f"Lantern {n} is red"} for n in range(20)])
    await prompted.settle()
    await answer(chat, "Which lantern is red?")
    report = await prompted.requests.report()
    spent = {each.task: each for each in report.spent}
    assert spent.keys() == {"chat", "summarise", "structure"}
    assert sum(each.calls for each in report.spent) == len(model_server.calls)
    assert {each.model for each in report.spent} == {"openai-compatible:scripted"}
    (row, *_) = await prompted.requests.list()
    assert (spent["chat"].input_tokens, spent["chat"].output_tokens) == (row.input_tokens, row.output_tokens)
    making = spent["summarise"].tokens + spent["structure"].tokens
    assert making > 0
    assert report.memory_share == pytest.approx(making / (making + spent["chat"].tokens))
    assert report.daily[-1].spent == report.spent
    assert [day.spent for day in report.daily[:-1]] == [()] * 6
    assert report.daily[-1].structure_rate == report.structure_rate
    assert report.daily[0].structure_rate is None
    clock.advance(days=7)
    assert (await prompted.requests.report()).spent == ()
    assert len((await prompted.requests.report(days=8)).spent) == 3


async def test_drafts_cost_nothing(memory: erstwhile.Memory) -> None:
    await memory.channel("chat").add_many([{"role": "user", "text": f"Lantern {n} is red"} for n in range(20)])
    await memory.settle()
    report = await memory.requests.report()
    assert (report.spent, report.memory_share) == ((), None)


async def test_feedback_are_counted_once_each_and_where_words_found_nothing(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    chat = memory.channel("chat")
    await chat.add_many([{"role": "user", "text": f"Lantern {n} is red"} for n in range(20)])
    found, missed = await chat.context("lantern"), await chat.context("zeppelin")
    await memory.requests.feedback(found.request, "not the red one")
    await memory.requests.feedback(missed.request)
    await memory.requests.feedback(found.request, "the blue one")
    assert (await memory.requests.explain(found.request)).request.feedback == "the blue one"
    assert [each.feedback for each in await memory.requests.list()] == ["", "the blue one"]
    report = await memory.requests.report()
    assert (report.feedback, report.missed) == (2, 0.5)
    assert sum(day.feedback for day in report.daily) == 2
    assert [day.missed for day in report.daily] == [0] * 6 + [1]
    clock.advance(days=7)
    assert (await memory.requests.report()).feedback == 0


async def test_a_period_that_makes_no_sense_is_refused(memory: erstwhile.Memory) -> None:
    for days in (0, -1, 100_000):
        with pytest.raises(erstwhile.InvalidInput, match="days"):
            await memory.requests.report(days=days)
    with pytest.raises(erstwhile.InvalidInput, match="limit"):
        await memory.requests.list(limit=0)


async def test_with_too_little_to_go_by_nothing_is_advised(memory: erstwhile.Memory) -> None:
    for _ in range(19):
        await memory.search("zeppelins")
    advice = await memory.requests.recommendations()
    assert len(advice) == 8
    assert {each.passed for each in advice} == {None}
    assert all("19 requests, 20 are needed" in each.action for each in advice)
    await memory.search("zeppelins")
    judged = {each.metric: each for each in await memory.requests.recommendations()}
    thin = judged["fewer than 3 hits by words"]
    assert (thin.value, thin.threshold, thin.passed) == (1.0, 0.3, True)
    assert thin.action
    assert judged["truncated by the budget"].passed is None, "there was no context to truncate"
    assert judged["feedback: it forgot"].passed is False


# The advisor by itself

EMPTY = Report(
    space="default",
    since=datetime(2026, 3, 2, tzinfo=UTC),
    until=datetime(2026, 3, 8, 9, tzinfo=UTC),
    days=7,
    requests=100,
    queries=100,
    by_op={"context": 100, "ask": 0, "search": 0},
    hit_rates=dict.fromkeys(("summaries", "words", "trigram", "meaning", "recent"), 0.5),
    thin=0.3,
    fallback=0.5,
    widened=0.0,
    meaning=0.0,
    summaries_only=0.2,
    truncated=0.4,
    empty=0.0,
    retrieval=Latency(10, 20),
    model=Latency(1000, 2900),
    whole=Latency(1000, 3000),
    errors={"retrieval": 0.0, "model": 0.0, "log": 0.0},
    tokens_per_request=1500.0,
    spent=(TokenUsage("chat", "m", 10, 1000, 100, 0), TokenUsage("summarise", "m", 1, 300, 60, 0)),
    memory_share=0.25,
    feedback=3,
    missed=0.1,
    structure_rate=None,
    daily=(),
)
OVER = replace(
    EMPTY,
    thin=0.31,
    fallback=0.51,
    summaries_only=0.21,
    truncated=0.41,
    missed=0.11,
    feedback=4,
    whole=Latency(1000, 3001),
    memory_share=0.26,
)


def test_a_threshold_is_passed_above_it_not_at_it() -> None:
    assert [each.passed for each in recommend(EMPTY, load())] == [False] * 8
    assert [each.passed for each in recommend(OVER, load())] == [True] * 8
    thresholds = [(each.threshold, each.unit) for each in recommend(EMPTY, load())]
    share = "share"
    assert thresholds == [
        (0.30, share),
        (0.50, share),
        (0.20, share),
        (0.40, share),
        (0.10, share),
        (3, "per week"),
        (3, "seconds"),
        (0.25, share),
    ]


def test_feedback_are_judged_by_the_week() -> None:
    longer = replace(OVER, days=28, feedback=12)
    judged = {each.metric: each for each in recommend(longer, load())}["feedback: it forgot"]
    assert (judged.value, judged.passed) == (3, False)


@pytest.mark.parametrize("report", [OVER, replace(OVER, retrieval=Latency(10, 3001), model=Latency(), spent=())])
def test_advice_names_settings_and_commands_that_exist(report: Report) -> None:
    group = typer.main.get_command(app)
    assert hasattr(group, "commands")
    known = set(map(variable, described()))
    for settings in (load(), load(recipe="dual", prompt_cache={"retention": "off"})):
        for each in recommend(report, settings):
            named = re.findall(r"ERSTWHILE_([A-Z_]+)", each.action)
            commands = re.findall(r"`erstwhile (\w+)", each.action)
            assert named or commands, each.action
            assert [name for name in named if f"ERSTWHILE_{name}" not in known] == []
            assert [name for name in commands if name not in group.commands] == []
