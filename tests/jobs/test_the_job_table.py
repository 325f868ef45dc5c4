"""Asking for work, taking it, finishing it: what the table itself promises, on both databases (trust 1.2)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from workshop import LATER, SPACE, Workshop, moves

import erstwhile
from erstwhile.base.errors import LeaseLost, NotFound
from erstwhile.jobs import store
from erstwhile.jobs.model import NewJob
from erstwhile.jobs.retry import RetryDecision
from erstwhile.log import store as log
from erstwhile.storage import EVERYWHERE, Transaction
from inside import runtime

pytestmark = pytest.mark.usefixtures("quiet_never_comes")


class Halt(Exception):
    pass


async def test_a_job_asked_for_in_a_transaction_that_fails_is_not_there(workshop: Workshop) -> None:
    async def unit(tx: Transaction) -> None:
        await store.enqueue(tx, NewJob(kind="work", key="a", payload={}), workshop.clock())
        raise Halt

    with pytest.raises(Halt):
        await workshop.database.write(SPACE, unit)
    assert await workshop.states() == {}


async def test_messages_and_the_jobs_they_call_for_are_rolled_back_together(memory: erstwhile.Memory) -> None:
    """D1, outbox: ten messages whose transaction fails leave neither messages nor jobs."""
    from erstwhile.log import append, check

    house = runtime(memory)
    new = [check.message({"role": "user", "text": f"message {n}"}, largest=1000) for n in range(10)]
    prepared = append.prepare(new, memory._clock())

    async def unit(tx: Transaction) -> None:
        await append.append(tx, [append.Addition("chat", prepared, memory._clock())], house.layers.chunks)
        assert len(await store.listed(tx, LATER, state="waiting", limit=10)) == 3
        raise Halt

    with pytest.raises(Halt):
        await house.database.write("default", unit)
    assert await memory.jobs.list() == []
    assert await memory.channel("chat").size() == 0


async def test_effects_and_completion_are_one_transaction(workshop: Workshop) -> None:
    """An effect that fails takes the completion back with it, and the other effects."""

    async def half_done(job):
        outcome = moves("half")

        async def effects(tx: Transaction) -> None:
            await outcome.effects(tx)
            raise Halt

        return type(outcome)(effects)

    await workshop.ask("a")
    worker = workshop.worker({"work": half_done})
    settled = await worker.settle()
    assert (settled.done, settled.waiting) == (0, 1)
    assert await workshop.moved() == {}
    assert (await workshop.row("a"))["attempts"] == 1


async def test_a_stale_completion_is_refused_and_leaves_nothing_behind(workshop: Workshop) -> None:
    """R14, the fencing token: the first holder stalled, the second has the job now."""
    await workshop.ask("a")
    (stalled,) = await workshop.claim("somewhere:1:aa")
    await workshop.database.write(EVERYWHERE, lambda tx: tx.run(store.queries.release, worker="somewhere:1:aa"))
    (second,) = await workshop.claim("somewhere:2:bb")
    assert second.token > stalled.token

    async def late(tx: Transaction) -> None:
        await moves("late").effects(tx)
        await store.finish(tx, stalled, workshop.clock())

    with pytest.raises(LeaseLost):
        await workshop.database.write(SPACE, late)
    assert await workshop.moved() == {}
    decision = RetryDecision(parked=True, wait=timedelta(0), reason="late", fault=True)
    with pytest.raises(LeaseLost):
        await workshop.database.write(SPACE, lambda tx: store.put_off(tx, stalled, decision, workshop.clock()))
    assert await workshop.states() == {"a": "running"}
    await workshop.finish(second)
    assert await workshop.states() == {"a": "done"}


async def test_a_job_deleted_and_asked_for_anew_is_fenced_from_its_old_holder(workshop: Workshop) -> None:
    """A rebuild drops jobs that may be running and asks for the same keys again: the old holder must not complete the new one."""
    await workshop.ask("a")
    (old,) = await workshop.claim("somewhere:1:aa")
    await workshop.database.write(SPACE, lambda tx: tx.run(store.queries.drop_kinds, prefix="work"))
    await workshop.ask("a")
    await workshop.claim("somewhere:2:bb")
    with pytest.raises(LeaseLost):
        await workshop.finish(old)


async def test_a_key_asked_for_again_while_it_waits_is_one_job_with_the_latest_payload(workshop: Workshop) -> None:
    await workshop.ask("a", payload={"n": 1})
    await workshop.ask("a", payload={"n": 2})
    (job,) = await workshop.claim(limit=5)
    assert job.payload == {"n": 2}
    assert await workshop.claim(limit=5) == []


async def test_a_key_asked_for_again_while_it_runs_runs_once_more(workshop: Workshop) -> None:
    await workshop.ask("a", payload={"n": 1})
    (job,) = await workshop.claim()
    await workshop.ask("a", payload={"n": 2})
    await workshop.ask("a", payload={"n": 3})
    assert await workshop.states() == {"a": "running"}
    await workshop.finish(job)
    assert await workshop.states() == {"a": "waiting"}
    (again,) = await workshop.claim()
    assert again.payload == {"n": 3}
    assert again.attempts == 1
    await workshop.finish(again)
    assert await workshop.states() == {"a": "done"}


async def test_a_key_asked_for_again_when_done_starts_anew(workshop: Workshop) -> None:
    await workshop.ask("a")
    await workshop.finish((await workshop.claim())[0])
    await workshop.ask("a")
    (again,) = await workshop.claim()
    assert again.attempts == 1


async def test_a_key_asked_for_again_when_parked_starts_anew_without_its_old_reason(workshop: Workshop) -> None:
    await workshop.ask("a")
    id = (await workshop.jobs())[0].id
    await workshop.database.write(EVERYWHERE, lambda tx: store.park(tx, id, "not now", workshop.clock()))
    assert [(job.state, job.reason) for job in await workshop.jobs()] == [("parked", "not now")]
    await workshop.ask("a")
    assert [(job.state, job.reason, job.attempts) for job in await workshop.jobs()] == [("waiting", None, 0)]


async def test_asking_again_does_not_shorten_the_wait_for_a_retry(workshop: Workshop) -> None:
    await workshop.ask("a")
    (job,) = await workshop.claim()
    later = workshop.clock() + timedelta(minutes=5)
    decision = RetryDecision(parked=False, wait=timedelta(minutes=5), reason="down", fault=True)
    await workshop.database.write(SPACE, lambda tx: store.put_off(tx, job, decision, workshop.clock()))
    await workshop.ask("a")
    assert await workshop.due("a") == later


async def test_the_quiet_timer_is_pushed_out_by_each_ask_and_never_past_its_limit(workshop: Workshop) -> None:
    """P3's timer: 25 minutes of quiet, at most two hours after the first ask."""
    clock = workshop.clock
    start = clock()

    async def spoken() -> None:
        await workshop.ask("buffer", due=clock() + timedelta(minutes=25), limit=clock() + timedelta(hours=2))

    await spoken()
    for _ in range(4):
        clock.advance(minutes=20)
        assert await workshop.claim() == []
        await spoken()
        assert await workshop.due("buffer") == clock() + timedelta(minutes=25)
    for _ in range(2):
        clock.advance(minutes=19)
        await spoken()
    assert await workshop.due("buffer") == start + timedelta(hours=2)
    clock.now = start + timedelta(hours=2)
    assert len(await workshop.claim()) == 1


async def test_the_quiet_timer_keeps_a_limit_when_it_is_asked_for_during_its_run(workshop: Workshop) -> None:
    """The first ask during the run sets the next run's limit; without one, a busy channel would push it out for ever."""
    clock = workshop.clock

    async def spoken() -> None:
        await workshop.ask("buffer", due=clock() + timedelta(minutes=25), limit=clock() + timedelta(hours=2))

    await spoken()
    clock.advance(minutes=25)
    (job,) = await workshop.claim()
    second_start = clock()
    await spoken()
    await workshop.finish(job)
    for _ in range(10):
        clock.advance(minutes=20)
        await spoken()
    assert await workshop.due("buffer") == second_start + timedelta(hours=2)


async def test_jobs_come_oldest_due_first(workshop: Workshop) -> None:
    for minutes, key in ((3, "c"), (1, "a"), (2, "b")):
        await workshop.ask(key, due=workshop.clock() + timedelta(minutes=minutes))
    workshop.clock.advance(minutes=5)
    assert [job.key for job in await workshop.claim(limit=2)] == ["a", "b"]


async def test_a_lane_gives_one_job_at_a_time(workshop: Workshop) -> None:
    for key in ("a", "b"):
        await workshop.ask(key, lane="channel-1")
    await workshop.ask("other", lane="channel-2")
    await workshop.ask("free")
    taken = {job.key: job for job in await workshop.claim("w:1:a", limit=10)}
    (first,) = taken.keys() & {"a", "b"}
    assert taken.keys() - {first} == {"other", "free"}
    assert await workshop.claim("w:2:b", limit=10) == []
    await workshop.finish(taken[first])
    assert {first} | {job.key for job in await workshop.claim("w:2:b", limit=10)} == {"a", "b"}


async def test_the_same_key_in_two_spaces_is_two_jobs(workshop: Workshop) -> None:
    await workshop.ask("a", space="one", lane="l")
    await workshop.ask("a", space="two", lane="l")
    assert {job.space for job in await workshop.claim(limit=5)} == {"one", "two"}


async def test_a_parked_job_is_never_claimed_and_a_retried_one_is(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add_many([{"role": "user", "text": f"I like number {n}."} for n in range(10)])
    jobs = await memory.jobs.list()
    assert {(job.kind, job.state) for job in jobs} == {
        ("chunks.summarise", "waiting"),
        ("facts.extract", "waiting"),
        ("structured.structure", "waiting"),
    }
    for job in jobs:
        await memory.jobs.park(job.id, "waiting for the lawyers")
    settled = await memory.settle()
    assert (settled.done, settled.waiting, settled.parked) == (0, 0, 3)
    assert {job.reason for job in await memory.jobs.list(state="parked")} == {"waiting for the lawyers"}
    assert await memory.jobs.retry(jobs[0].id) == 1
    assert (await memory.settle()).done == 1
    assert await memory.jobs.retry() == 2
    settled = await memory.settle()
    assert (settled.done, settled.waiting, settled.parked) == (2, 0, 0)


async def test_parking_a_running_job_drops_what_its_worker_makes(workshop: Workshop) -> None:
    async def parked_meanwhile(job):
        await workshop.database.write(EVERYWHERE, lambda tx: store.park(tx, job.id, "stop", workshop.clock()))
        return moves("made")

    await workshop.ask("a")
    settled = await workshop.worker({"work": parked_meanwhile}).settle()
    assert (settled.done, settled.parked) == (0, 1)
    assert await workshop.moved() == {}


async def test_the_verbs_say_so_when_there_is_no_such_job(memory: erstwhile.Memory) -> None:
    with pytest.raises(NotFound, match="jobs list"):
        await memory.jobs.retry("job_nothing")
    with pytest.raises(NotFound, match="jobs list"):
        await memory.jobs.park("job_nothing", "why")
    assert await memory.jobs.retry() == 0


async def test_jobs_are_listed_and_retried_by_space(memory: erstwhile.Memory) -> None:
    for space in ("one", "two"):
        await memory.channel("c", space=space).add_many([{"role": "user", "text": f"hello {n}"} for n in range(10)])
    assert {job.space for job in await memory.jobs.list(space="one")} == {"one"}
    assert {job.space for job in await memory.jobs.list()} == {"one", "two"}
    assert len(await memory.jobs.list(limit=3)) == 3
    for job in await memory.jobs.list():
        await memory.jobs.park(job.id, "hold")
    assert await memory.jobs.retry(space="one") == 3
    assert {job.space for job in await memory.jobs.list(state="parked")} == {"two"}
    with pytest.raises(NotFound):
        await memory.jobs.park((await memory.jobs.list(space="one"))[0].id, "not yours", space="two")


async def test_parked_jobs_are_listed_first(memory: erstwhile.Memory) -> None:
    await memory.channel("c").add_many([{"role": "user", "text": f"hello {n}"} for n in range(30)])
    await memory.jobs.park((await memory.jobs.list())[3].id, "hold")
    assert (await memory.jobs.list())[0].state == "parked"


async def test_the_log_is_untouched_by_work_on_jobs(memory: erstwhile.Memory) -> None:
    """R1: deriving never changes a message."""
    chat = memory.channel("chat")
    stored = await chat.add_many([{"role": "user", "text": f"line {n}", "key": str(n)} for n in range(10)])
    await memory.settle()
    kept = await runtime(memory).database.read("default", lambda tx: log.between(tx, "chat", 1, 10))
    assert kept == stored
