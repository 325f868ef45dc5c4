"""R7: every request leaves a row that says what was found and what became of it, and leaving it never costs an answer."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

import erstwhile
from erstwhile.base.settings import load
from erstwhile.requests.model import Request
from erstwhile.requests.recorder import Recorder
from erstwhile.search import read
from erstwhile.storage import sqlite
from erstwhile.storage.queries import make
from erstwhile.testing import Fault, FixedClock, ModelServer
from erstwhile.wiring import open_database
from inside import runtime
from owner import as_owner
from support import forks

BOUGHT = "I bought lantern {n} at the market in Busan"


async def talk(
    memory: erstwhile.Memory, channel: str = "chat", count: int = 30, text: str = BOUGHT
) -> erstwhile.Channel:
    chat = memory.channel(channel)
    said = {"role": "user", "person": "mina", "name": "Mina"}
    await chat.add_many([{**said, "text": text.format(n=n)} for n in range(count)])
    await memory.settle()
    return chat


async def answer(chat: erstwhile.Channel, question: str) -> str:
    return "".join([piece async for piece in chat.ask(question, person="mina")])


async def test_each_way_of_asking_leaves_one_row(prompted: erstwhile.Memory, model_server: ModelServer) -> None:
    chat = await talk(prompted)
    context = await chat.context("Where is lantern 7?", person="mina")
    await prompted.search("lantern", person="mina", limit=5)
    await answer(chat, "Which lantern did I buy first?")
    asked, searched, shown = await prompted.requests.list()
    assert [asked.op, searched.op, shown.op] == ["ask", "search", "context"]
    assert shown.id == context.request
    assert (shown.channel, shown.person, shown.query) == ("chat", "mina", "Where is lantern 7?")
    assert (shown.tokens, shown.budget, shown.items) == (context.tokens, 2000, len(context.sources))
    assert (shown.path, shown.searched, shown.error_stage) == ("words", True, None)
    assert shown.hits["words"] > 0
    assert shown.model_ms is None
    assert (searched.items, searched.budget, searched.scope) == (5, None, "person")
    assert asked.model == "openai-compatible:scripted"
    assert asked.model_ms is not None
    assert asked.model_ms > 0
    (reply,) = [message async for message in chat.messages(31)]
    debug = reply.meta["debug"]
    assert debug["request"] == asked.id
    assert (asked.input_tokens, asked.output_tokens) == (debug["tokens"]["input"], debug["tokens"]["output"])
    assert asked.input_tokens > 0


def _summed(parts: Mapping[str, float]) -> float:
    """What the score is made of; the relevance adds nothing to it."""
    assert 0 <= parts["relevance"] <= 1
    return sum(value for name, value in parts.items() if name != "relevance")


async def test_why_shows_every_candidate_with_its_fate_and_what_it_says_now(memory: erstwhile.Memory) -> None:
    chat = await talk(memory)
    context = await chat.context("Where is lantern 7?", budget=150)
    why = await memory.requests.explain(context.request)
    shown = {source.id for source in context.sources}
    assert len(why.seen) > 20
    assert [each.rank for each in why.seen] == list(range(1, len(why.seen) + 1))
    scores = [each.candidate.score for each in why.seen]
    assert scores == sorted(scores, reverse=True)
    for each in why.seen:
        assert (each.candidate.id in shown) == (each.candidate.fate in ("kept", "shown already"))
        assert each.candidate.score == pytest.approx(_summed(each.candidate.parts), abs=1e-3)
    assert "Mina: I bought lantern 7 at the market in Busan" in [each.text for each in why.seen[:3]]
    assert why.request.truncated
    assert {"kept", "budget"} <= {each.candidate.fate for each in why.seen}
    assert why.request.parts == {part.name: part.tokens for part in context.parts}
    roomy = await memory.requests.explain((await chat.context("Where is lantern 7?", budget=20_000)).request)
    assert not roomy.request.truncated


async def test_what_has_gone_since_is_said_to_be_gone(memory: erstwhile.Memory) -> None:
    chat = await talk(memory, text="I own a stall with lantern {n} in Busan")
    context = await chat.context("lantern")
    fact = next(source.id for source in context.sources if source.kind == "fact")
    await memory.memories.delete(fact, by="jun")
    texts = {each.candidate.id: each.text for each in (await memory.requests.explain(context.request)).seen}
    assert texts.pop(fact) is None
    assert all(texts.values())


async def test_a_search_shows_what_fell_below_its_limit(memory: erstwhile.Memory) -> None:
    await talk(memory)
    await memory.search("lantern", limit=4)
    (request,) = await memory.requests.list()
    fates = [each.candidate.fate for each in (await memory.requests.explain(request.id)).seen]
    assert fates[:4] == ["kept"] * 4
    assert set(fates[4:]) == {"below the limit"}


async def test_without_a_question_or_a_search_nothing_counts_as_searched(memory: erstwhile.Memory) -> None:
    chat = await talk(memory)
    await chat.context()
    await chat.context("lantern", recipe="brief")
    assert [each.searched for each in await memory.requests.list()] == [False, False]
    report = await memory.requests.report()
    assert (report.requests, report.queries, report.thin) == (2, 0, None)


async def test_a_failing_model_and_a_failing_log_are_told_apart(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    settings: dict[str, Any] = {
        "model": "openai-compatible:scripted",
        "base_url": model_server.base_url,
        "api_key": "k",
    }
    async with erstwhile.open(
        database_url, clock=clock, worker=False, limits={"message_bytes": 1024}, **settings
    ) as memory:
        chat = memory.channel("chat")
        model_server.then(Fault.server_error())
        assert "model failed" in await answer(chat, "hello")
        with pytest.raises(erstwhile.InvalidInput):  # too long to be logged; it must not hang either
            await asyncio.wait_for(answer(chat, "long " * 1000), 30)
        long, failed = await memory.requests.list()
        assert (failed.error_stage, long.error_stage) == ("model", "log")
        assert long.output_tokens > 0
        report = await memory.requests.report()
        assert report.errors == {"retrieval": 0, "model": 0.5, "log": 0.5}


async def test_a_failing_retrieval_is_recorded_and_a_callers_mistake_is_not(
    memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = await talk(memory)
    with pytest.raises(erstwhile.InvalidInput):
        await chat.context("lantern", budget=10)
    with pytest.raises(erstwhile.InvalidInput):
        await memory.search("lantern", limit=0)
    assert await memory.requests.list() == []
    monkeypatch.setattr(read, "hits", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        await chat.context("lantern")
    (request,) = await memory.requests.list()
    assert (request.error_stage, request.searched, request.items) == ("retrieval", False, 0)
    assert (await memory.requests.report()).empty == 0


async def test_another_space_sees_nothing_of_it(memory: erstwhile.Memory) -> None:
    context = await (await talk(memory)).context("lantern")
    assert await memory.requests.list(space="other") == []
    assert (await memory.requests.report(space="other")).requests == 0
    for verb in (memory.requests.explain, memory.requests.feedback):
        with pytest.raises(erstwhile.NotFound, match="requests list"):
            await verb(context.request, space="other")


@pytest.mark.parametrize(
    "query", ["a\x00lantern", "\ud800 lantern", "lantern " * 2000, "'; DROP TABLE requests; --", "등불 灯笼"]
)
async def test_any_question_can_be_recorded(memory: erstwhile.Memory, query: str) -> None:
    chat = await talk(memory, count=3)
    context = await chat.context(query)
    request = (await memory.requests.explain(context.request)).request
    assert "\x00" not in request.query
    assert len(request.query) <= 2000
    assert request.query[-4:] in query


# What can go wrong with the record itself


async def run(memory: erstwhile.Memory, sql: str) -> None:
    await as_owner(runtime(memory).database, sql)


async def test_answers_come_though_the_record_cannot_be_written(
    prompted: erstwhile.Memory, model_server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    chat = await talk(prompted)
    await run(prompted, "DROP TABLE requests")
    context = await chat.context("Where is lantern 7?")
    assert "lantern 7" in context.text
    assert await prompted.search("lantern")
    assert await answer(chat, "Where is lantern 7?")
    await runtime(prompted).recorder.flush()
    assert "requests." in caplog.text
    assert [message.role async for message in chat.messages(30)] == ["user", "assistant"]


@asynccontextmanager
async def held(url: str) -> AsyncIterator[None]:
    """Another process that holds the place where requests are written."""
    if url.startswith("postgresql"):
        import psycopg

        async with await psycopg.AsyncConnection.connect(url) as connection:
            await connection.execute("LOCK TABLE requests IN EXCLUSIVE MODE")
            yield
        return
    import apsw

    connection = apsw.Connection(url)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("COMMIT")
        connection.close()


async def test_nobody_waits_for_the_record(database_url: str, memory: erstwhile.Memory) -> None:
    chat = await talk(memory)
    async with held(database_url):
        contexts = [await chat.context(f"lantern {n}") for n in range(5)]
        await asyncio.sleep(0.4)  # by now the record is being written, and waits
        contexts.append(await chat.context("lantern"))
        assert all("lantern" in context.text for context in contexts)
    recorded = [request.id for request in await memory.requests.list()]
    assert sorted(recorded) == sorted(context.request for context in contexts)


async def test_closing_does_not_hang_on_the_record(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.5)
    async with erstwhile.open(database_url, worker=False) as memory:
        await talk(memory)
    async with held(database_url), asyncio.timeout(120), erstwhile.open(database_url, worker=False) as memory:
        await memory.channel("chat").context("lantern")
    async with erstwhile.open(database_url, worker=False) as memory:
        assert await memory.channel("chat").size() == 30


async def test_a_process_killed_while_it_writes_the_record_has_answered_and_loses_nothing_else(
    database_url: str,
) -> None:
    async with erstwhile.open(database_url, worker=False) as memory:
        await talk(memory)
    script = """
import asyncio, sys, erstwhile
async def main():
    async with erstwhile.open(sys.argv[1], worker=False) as memory:
        print((await memory.channel("chat").context("Where is lantern 7?")).text, flush=True)
asyncio.run(main())
"""
    environment = {**os.environ, "ERSTWHILE_CRASH_AT": "storage.before_commit"}
    command = [sys.executable, "-c", script, database_url]
    done = await asyncio.to_thread(forks.run, command, env=environment)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert "lantern 7" in done.stdout
    async with erstwhile.open(database_url, worker=False) as memory:
        assert await runtime(memory).database.check() == []
        assert await memory.requests.list() == []
        assert await memory.channel("chat").size() == 30
        context = await memory.channel("chat").context("lantern")
        assert [each.id for each in await memory.requests.list()] == [context.request]


async def test_a_database_that_stays_away_costs_a_bounded_number_of_rows(database_url: str, clock: FixedClock) -> None:
    database = open_database(load(database=database_url))
    await database.open()
    await database.close()
    recorder = Recorder(database, clock, timedelta(days=1))
    for n in range(3000):
        recorder.add("default", Request(f"req_{n}", clock(), "search"))
    await recorder.flush()
    kept = [request.id for _, request in recorder._rows]
    assert kept == [f"req_{n}" for n in range(1000, 3000)], "the newest are kept, in order"
    await recorder.close()


async def test_rows_that_could_not_be_written_are_written_later(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, worker=False, clock=clock) as memory:
        recorder = Recorder(database := open_database(load(database=database_url)), clock, timedelta(days=1))
        recorder.add("default", Request("req_1", clock(), "search"))
        recorder.add("other", Request("req_2", clock(), "search"))
        await database.open()
        await database.close()
        await recorder.flush()
        assert await memory.requests.list() == []
        recorder._database = runtime(memory).database  # it is back
        await recorder.close()
        assert [each.id for each in await memory.requests.list()] == ["req_1"]
        assert [each.id for each in await memory.requests.list(space="other")] == ["req_2"]


async def test_it_can_be_turned_off(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, keep_days={"requests": 0}) as memory:
        chat = await talk(memory)
        assert (await chat.context("lantern")).request == ""
        await memory.search("lantern")
        assert await memory.requests.list() == []
        assert (await memory.requests.report()).requests == 0


@pytest.mark.usefixtures("quiet_never_comes")  # or the second worker may write notes, which is use of today
async def test_old_rows_are_removed_with_their_feedback_and_usage(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    settings: dict[str, Any] = {
        "model": "openai-compatible:scripted",
        "base_url": model_server.base_url,
        "api_key": "k",
    }
    async with erstwhile.open(database_url, clock=clock, worker=False, **settings) as memory:
        chat = await talk(memory)
        await memory.requests.feedback((await chat.context("lantern 3")).request, "forgot")
        clock.advance(days=80)
        young = (await chat.context("lantern 4")).request
        clock.advance(days=11)
        assert (await memory.requests.report(days=100)).feedback == 1
    async with erstwhile.open(database_url, clock=clock, worker=True, **settings) as memory:
        async with asyncio.timeout(120):
            while len(await memory.requests.list()) > 1:  # noqa: ASYNC110 - what is waited for happens in the database
                await asyncio.sleep(0.02)
        assert [each.id for each in await memory.requests.list()] == [young]
        for table in ("feedback", "usage"):
            query = make("test", f"SELECT * FROM {table}", f"SELECT * FROM {table}")
            assert await runtime(memory).database.read("default", lambda tx: tx.all(query)) == []  # noqa: B023


def test_scripts_look_back_through_the_blocking_door(database_url: str, clock: FixedClock) -> None:
    with erstwhile.open_sync(database_url, worker=False, clock=clock) as memory:
        chat = memory.channel("chat")
        chat.add("user", "I bought a lantern in Busan", person="mina", name="Mina")
        context = chat.context("Where is the lantern?")
        memory.requests.feedback(context.request, "it is in Oslo by now")
        assert memory.requests.explain(context.request).seen[0].text == "Mina: I bought a lantern in Busan"
        assert [each.feedback for each in memory.requests.list()] == ["it is in Oslo by now"]
        assert (memory.requests.report(days=1).feedback, len(memory.requests.recommendations())) == (1, 8)
