"""A model that fails: a mix of faults, a total outage, poison (trust R5–R8)."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path

import pytest
from stored_rows import calm, even, gaps, ranges, rows, said

import erstwhile
from erstwhile.testing import Call, Fault, FaultMix, FixedClock, ModelServer
from erstwhile.testing.answers import sensible, step
from soak.size import NUMBER, SOAK, measured

pytestmark = pytest.mark.usefixtures("quiet_never_comes")

POISON = "poison"
SIZE = 2000 if SOAK else 100
STORM = 100 if SOAK else 1  # times fifty messages while the model is away


def opened(url: str, server: ModelServer, **more: object) -> erstwhile.Memory:
    settings: dict[str, object] = {
        "worker": False,
        "model": "openai-compatible:scripted",
        "base_url": server.base_url,
        "api_key": "k",
        "model_timeout_seconds": 10,
        "retry_base_seconds": 0.01,
        "jobs": {"concurrency": 16},
    }
    return erstwhile.open(url, **settings | more)


async def drained(memory: erstwhile.Memory, seconds: float) -> erstwhile.Settled:
    """Settles by the real clock until nothing waits."""
    settled = await memory.settle()
    for _ in range(int(seconds / 0.05)):
        if not settled.waiting:
            break
        await asyncio.sleep(0.05)
        settled = await memory.settle()
    return settled


async def everything_derived_once(memory: erstwhile.Memory, messages: int) -> None:
    assert await ranges(memory) == even(1, messages, 10)
    assert [(row["first_seq"], row["last_seq"]) for row in await rows(memory, "extracts")] == even(1, messages, 10)
    assert not any(row["draft"] or row["stale"] for row in await rows(memory, "chunks"))
    assert not any(row["draft"] for row in await rows(memory, "extracts"))
    noted = await rows(memory, "structurings")
    assert [(row["first_seq"], row["last_seq"]) for row in noted] == even(1, messages, 10)
    assert not any(row["draft"] for row in noted)
    # The scripted model writes one fact for each message.
    found = Counter(row["first_seq"] for row in await rows(memory, "facts"))
    assert found == {row["first_seq"]: row["found"] for row in await rows(memory, "extracts")}
    assert found == dict.fromkeys(range(1, messages + 1, 10), 10)


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_everything_is_derived_once_although_a_third_of_the_calls_fail(database_url: str) -> None:
    """R5: 30 % faults; 100 messages, in a soak five times 2,000."""
    with ModelServer(faults=FaultMix(rate=0.3, seed=4 + NUMBER, hang_seconds=2.0)) as server:
        async with opened(database_url, server, model_timeout_seconds=1) as memory:
            await memory.channel("chat").add_many(said(SIZE))
            settled = await drained(memory, SIZE / 5)
            assert (settled.waiting, settled.parked) == (0, 0)
            await everything_derived_once(memory, SIZE)
            assert await ranges(memory, 1) == even(1, SIZE, 100)
        # A chunk takes two calls: its summary; its facts and memories together. A summary of ten takes one.
        calls = len(server.calls) / (SIZE // 10 * 2 + SIZE // 100 + SIZE // 1000)
        measured(f"30 % failing: {calls:.2f} calls a unit")
        assert calls <= 1.6, "1.43 are needed"


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_everything_is_derived_once_although_most_calls_fail(database_url: str) -> None:
    """R6: 60 % faults, mixed as in R5; 100 messages, 2,000 in a soak."""
    with ModelServer(faults=FaultMix(rate=0.6, seed=6, hang_seconds=2.0)) as server:
        async with opened(database_url, server, model_timeout_seconds=1) as memory:
            await memory.channel("chat").add_many(said(SIZE))
            settled = await drained(memory, max(60, SIZE))
            assert (settled.waiting, settled.parked) == (0, 0)
            await everything_derived_once(memory, SIZE)
        calls = len(server.calls) / (SIZE // 10 * 2 + SIZE // 100 + SIZE // 1000)
        measured(f"60 % failing: {calls:.2f} calls a unit")
        assert calls <= 3.5, "2.5 are needed"


async def test_a_bad_answer_after_an_outage_does_not_park_the_job(
    prompted: erstwhile.Memory, model_server: ModelServer, clock: FixedClock
) -> None:
    """Patience is per kind of error: ten times unreachable must not use up the patience with bad answers."""
    await prompted.channel("chat").add_many(said(10))
    model_server.down()
    for _ in range(10):
        await prompted.settle()
        clock.advance(hours=2)
    model_server.up()
    model_server.then(Fault.empty(), Fault.empty())
    assert (await prompted.settle()).parked == 0


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_in_an_outage_messages_are_taken_as_fast_and_remembered_when_it_ends(
    database_url: str, clock: FixedClock, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """R7: for two hours adding and recall do without the model; the backlog is then drained."""
    sqlite = database_url.endswith(".db")
    another = str(tmp_path / "well.db") if sqlite else request.getfixturevalue("lasting_postgres")
    with ModelServer() as server, ModelServer() as other:
        async with (
            opened(database_url, server, clock=clock, retry_base_seconds=2.0) as memory,
            opened(another, other, clock=clock) as well,
        ):
            chat = memory.channel("chat")

            async def add(start: int, to: erstwhile.Channel = chat) -> list[float]:
                took = []
                for n in range(start, start + 50):
                    begun = time.perf_counter()
                    await to.add(**said(1, start=n)[0])
                    took.append(time.perf_counter() - begun)
                return took

            await add(1)
            await add(51)
            await memory.settle()
            server.down()
            before, during = [], []
            for number in range(STORM):
                # By turns with a memory whose model is there, so that a busy machine delays both.
                before += await add(1 + 50 * number, well.channel("chat"))
                await well.settle()
                during += await add(101 + 50 * number)
                clock.advance(minutes=120 / STORM)
                settled = await memory.settle()
            calm_p99, p99 = (sorted(each)[len(each) * 99 // 100] for each in (before, during))
            measured(f"p99 of adding: {calm_p99 * 1000:.1f} ms with the model, {p99 * 1000:.1f} ms without")
            if SOAK:
                assert p99 <= 1.1 * calm_p99 + 0.002
            else:  # of fifty, the median
                assert sorted(during)[25] <= 2 * sorted(before)[25] + 0.005
            waiting = 15 * STORM + (100 + 50 * STORM) // 200  # a note has 200 messages at most
            assert (settled.waiting, settled.parked) == (waiting, 0)
            assert f"own {100 + 50 * STORM} red" in (await chat.context("lanterns", budget=1000)).text
            assert await memory.search("own 120 red lanterns", kinds=["message"])
            clock.advance(minutes=30)
            assert (await memory.settle()).waiting == waiting
            server.up()
            settled = await calm(memory, clock)
            assert (settled.waiting, settled.parked) == (0, 0)
            await everything_derived_once(memory, 100 + 50 * STORM)


async def noted_ranges(memory: erstwhile.Memory) -> dict[tuple[int, int], bool]:
    """The messages of each note, which has none twice and leaves none out; and whether it is a draft."""
    notes = {(note.first_seq, note.last_seq): note.draft for note in await memory.notes.list(kind="note", limit=1000)}
    assert list(gaps(sorted(notes))) == []
    return dict(sorted(notes.items()))


def poisoned(fault: Fault):
    def script(call: Call) -> str | Fault:
        return fault if POISON in call.user and step(call.system) != "condense" else sensible(call)

    return ModelServer(script)


@pytest.mark.parametrize(
    ("fault", "reason", "tries"),
    [
        (Fault.refusal("en"), "refused", 8),
        (Fault.filtered(), "declined", 8),
        (Fault.bad_request(), "did not accept the request", 1),
    ],
    ids=["refusal", "filter", "bad request"],
)
async def test_poison_is_parked_with_its_reason_and_delays_nothing_else(
    database_url: str, clock: FixedClock, fault: Fault, reason: str, tries: int
) -> None:
    """R8: exactly the chunks and parts of conversations that hold it; `retry` after the cause is mended does them too."""
    messages = said(1000 if SOAK else 200)
    places = range(24, len(messages), 100)
    for place in places:
        messages[place]["text"] = f"the {POISON} is in here, I bought {place + 1} red lanterns"
    ranges = [f"{place // 10 * 10 + 1}-{place // 10 * 10 + 10}" for place in places]
    spoilt, whole = len(places), len(messages) // 10 - len(places)
    # A note has 200 messages at most, so each holds some of it. What a model refuses is asked again in halves. A bad
    # request may have another cause than its words.
    whole_notes = reason == "did not accept the request"
    noted = len(messages) // 200 if whole_notes else spoilt
    with poisoned(fault) as server:
        async with opened(database_url, server, clock=clock) as memory:
            await memory.channel("chat").add_many(messages)
            assert (await memory.settle()).done >= 3 * whole, "the other chunks, at once"
            sound = [number for number, call in enumerate(server.calls) if POISON not in call.user]
            assert sound[-1] < 2 * len(sound), "the last of the others waits for less than their own number of calls"
            settled = await calm(memory, clock)
            assert (settled.waiting, settled.parked) == (0, 3 * spoilt + noted)
            parked = await memory.jobs.list(state="parked", limit=1000)
            assert sorted((job.kind, job.key) for job in parked if job.kind != "notes.flush") == sorted(
                (kind, f"chat:0:{range}")
                for kind in ("chunks.summarise", "facts.extract", "structured.structure")
                for range in ranges
            )
            for job in parked:
                assert job.reason is not None
                assert reason in job.reason
                assert POISON not in job.reason
                assert job.attempts == tries
            # A server that does not accept a request may not know schemas: it is asked without, twice. Facts and
            # memories share one request; after a bad answer to it, each is asked for alone. Those that are under way
            # at the same time don't know of each other's failure.
            asked = sum(POISON in call.user and step(call.system) != "condense" for call in server.calls)
            if whole_notes:
                assert 4 * spoilt <= asked <= 7 * spoilt + 3 * noted
            else:
                assert spoilt * (4 * tries + 1) < asked <= spoilt * (4 * tries + 1 + 6), "the halves of a note"
                notes = await noted_ranges(memory)
                drafts = [each for each, draft in notes.items() if draft]
                assert {f"chat:{first}" for first, _ in drafts} == {
                    job.key for job in parked if job.kind == "notes.flush"
                }
                assert [sum(first <= place + 1 <= last for place in places) for first, last in drafts] == [1] * spoilt
                assert max(last - first for first, last in drafts) < 13
            drafts = [row["first_seq"] for row in await rows(memory, "chunks") if row["draft"] and not row["level"]]
            assert drafts == [place // 10 * 10 + 1 for place in places], "what could not be written is there as a draft"
    with ModelServer() as mended:
        async with opened(database_url, mended, clock=clock) as memory:
            before = await noted_ranges(memory)
            assert await memory.jobs.retry() == 3 * spoilt + noted
            settled = await memory.settle()
            assert await noted_ranges(memory) == dict.fromkeys(before, False)
            assert settled.done >= 3 * spoilt
            assert (settled.waiting, settled.parked) == (0, 0)
            await everything_derived_once(memory, len(messages))


async def test_a_fault_in_one_space_does_not_hold_up_another(database_url: str, clock: FixedClock) -> None:
    with poisoned(Fault.server_error(503)) as server:
        async with opened(database_url, server, clock=clock, jobs={"concurrency": 2}) as memory:
            await memory.channel("chat", space="ill").add_many([{"role": "user", "text": POISON}] * 100)
            await memory.channel("chat", space="well").add_many(said(20))
            await memory.settle()
            assert {job.space for job in await memory.jobs.list(state="waiting")} == {"ill"}
            assert not any(row["draft"] for row in await rows(memory, "chunks", "well"))


async def test_reasons_and_errors_quote_neither_the_key_nor_what_was_said(database_url: str, clock: FixedClock) -> None:
    with ModelServer(api_key="another-key") as server:
        async with opened(database_url, server, clock=clock, api_key="sk-secret-0123456789") as memory:
            await memory.channel("chat").add_many(said(10))
            assert (await memory.settle()).parked == 3
            for job in await memory.jobs.list(state="parked"):
                assert job.reason is not None
                assert "key" in job.reason
                assert "sk-" not in job.reason
                assert "lanterns" not in job.reason


async def test_the_rate_limit_holds_over_two_memories(database_url: str) -> None:
    """calls_per_minute, measured at the server."""
    with ModelServer() as server:
        settings = {"jobs": {"concurrency": 16, "calls_per_minute": 240}}
        async with opened(database_url, server, **settings) as one, opened(database_url, server, **settings) as two:
            await one.channel("chat").add_many(said(30))
            await asyncio.gather(one.settle(), two.settle())
            assert (await one.settle()).waiting == 0
        times = sorted(call.at for call in server.calls)
        assert 6 <= len(times) <= 9, "the two jobs of a chunk may be taken by two processes"
        assert times[-1] - times[1] >= (len(times) - 2) * 0.25 * 0.8, (
            "the first call also waits for its client to be built"
        )
