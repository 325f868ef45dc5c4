"""Workers sharing one table: lanes, pace, failures, deaths and stops."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from datetime import timedelta

import pytest
from workshop import Workshop, moves, moves_its_key, until

from erstwhile.base.errors import BadAnswer, ModelRefused, ModelUnavailable
from erstwhile.jobs import leases, store
from erstwhile.jobs.model import Job, Outcome
from erstwhile.storage import EVERYWHERE

SECRET = "alice's pin is 4711"


async def test_two_workers_share_the_jobs_and_do_each_once(workshop: Workshop) -> None:
    for n in range(40):
        await workshop.ask(f"job {n}")
    both = [workshop.worker({"work": moves_its_key}) for _ in range(2)]
    settled = await asyncio.gather(*(each.settle() for each in both))
    assert sum(each.done for each in settled) == 40
    assert await workshop.moved() == {f"job {n}": 1 for n in range(40)}


async def test_jobs_of_one_lane_never_overlap_under_two_workers(workshop: Workshop) -> None:
    inside: dict[str, int] = {}
    most: dict[str, int] = {}

    async def step(job: Job) -> Outcome:
        lane = job.payload["lane"]
        inside[lane] = inside.get(lane, 0) + 1
        most[lane] = max(most.get(lane, 0), inside[lane])
        await asyncio.sleep(0.01)
        inside[lane] -= 1
        return moves(job.key)

    for n in range(18):
        lane = f"lane {n % 3}"
        await workshop.ask(f"job {n}", lane=lane, payload={"lane": lane})
    both = [workshop.worker({"work": step}) for _ in range(2)]
    for _ in range(100):
        settled = await asyncio.gather(*(each.settle() for each in both))
        if not any(each.waiting for each in settled):
            break
    assert most == {f"lane {n}": 1 for n in range(3)}
    assert await workshop.moved() == {f"job {n}": 1 for n in range(18)}


async def test_what_a_job_makes_due_is_settled_too(workshop: Workshop) -> None:
    async def first(job: Job) -> Outcome:
        await workshop.ask("second", kind="second")
        return moves("first")

    await workshop.ask("first", kind="first")
    settled = await workshop.worker({"first": first, "second": moves_its_key}).settle()
    assert (settled.done, settled.waiting, settled.parked) == (2, 0, 0)
    assert await workshop.moved() == {"first": 1, "second": 1}


async def test_settle_leaves_what_is_due_later(workshop: Workshop) -> None:
    await workshop.ask("now")
    await workshop.ask("later", due=workshop.clock() + timedelta(hours=1))
    worker = workshop.worker({"work": moves_its_key})
    settled = await worker.settle()
    assert (settled.done, settled.waiting, settled.parked) == (1, 1, 0)
    workshop.clock.advance(hours=1)
    settled = await worker.settle()
    assert (settled.done, settled.waiting, settled.parked) == (1, 0, 0)


async def test_a_failed_job_waits_with_growing_backoff_and_is_parked_in_the_end(workshop: Workshop) -> None:
    tries = []

    async def step(job: Job) -> Outcome:
        tries.append(job.attempts)
        raise BadAnswer("The model refused to do this.")

    await workshop.ask("a")
    worker = workshop.worker({"work": step}, retry_base_seconds=10.0)
    pauses = []
    for _ in range(8):
        await worker.settle()
        (job,) = await workshop.jobs()
        if job.state == "parked":
            break
        pauses.append((job.due_at - workshop.clock()).total_seconds())
        assert job.reason == "The model refused to do this."
        workshop.clock.now = job.due_at
    assert tries == [1, 2, 3, 4, 5, 6, 7, 8]
    assert all(5 * 2**n <= pause <= 10 * 2**n for n, pause in enumerate(pauses))
    assert job.state == "parked"
    assert job.reason == "The model refused to do this. (after 8 attempts)"


async def test_what_trying_again_can_not_mend_is_parked_at_once(workshop: Workshop) -> None:
    async def step(job: Job) -> Outcome:
        raise ModelRefused("The key is wrong. Check OPENAI_API_KEY.")

    await workshop.ask("a")
    settled = await workshop.worker({"work": step}).settle()
    assert (settled.done, settled.waiting, settled.parked) == (0, 0, 1)
    assert (await workshop.jobs())[0].reason == "The key is wrong. Check OPENAI_API_KEY. (after 1 attempt)"


async def test_a_job_is_not_tried_before_the_provider_said(workshop: Workshop) -> None:
    async def step(job: Job) -> Outcome:
        raise ModelUnavailable("busy", retry_after=600)

    await workshop.ask("a")
    await workshop.worker({"work": step}).settle()
    assert await workshop.due("a") == workshop.clock() + timedelta(seconds=600)


async def test_a_step_that_raises_something_unexpected_is_retried_then_parked_without_quoting_it(
    workshop: Workshop,
) -> None:
    async def step(job: Job) -> Outcome:
        raise ValueError(f"could not parse {SECRET}")

    await workshop.ask("a")
    worker = workshop.worker({"work": step})
    for _ in range(5):
        await worker.settle()
        assert SECRET not in str(await workshop.row("a"))
        workshop.clock.advance(hours=1)
    (job,) = await workshop.jobs()
    assert (job.state, job.attempts) == ("parked", 5)
    assert job.reason is not None
    assert job.reason.startswith("ValueError in the step")


async def test_a_job_that_no_worker_knows_is_parked_and_not_lost(workshop: Workshop) -> None:
    await workshop.ask("a", kind="from.the.future")
    worker = workshop.worker({"work": moves_its_key})
    for _ in range(5):
        await worker.settle()
        workshop.clock.advance(hours=1)
    assert await workshop.states() == {"a": "parked"}


async def test_a_draft_is_stored_although_its_job_is_tried_again(workshop: Workshop) -> None:
    async def step(job: Job) -> Outcome:
        return moves("draft", failure=ModelUnavailable("down")) if job.attempts == 1 else moves("final")

    await workshop.ask("a")
    worker = workshop.worker({"work": step})
    settled = await worker.settle()
    assert (settled.done, settled.waiting) == (0, 1)
    assert await workshop.moved() == {"draft": 1}
    workshop.clock.advance(minutes=1)
    assert (await worker.settle()).done == 1
    assert await workshop.moved() == {"draft": 1, "final": 1}


# Pace


async def test_paced_jobs_of_two_workers_start_no_faster_than_the_limit(workshop: Workshop) -> None:
    """calls_per_minute over all workers, by real time, whatever the injected clock says."""
    started: list[float] = []

    async def step(job: Job) -> Outcome:
        started.append(time.monotonic())
        return moves(job.key)

    for n in range(6):
        await workshop.ask(f"job {n}", pace="model")
    await workshop.ask("free")
    gap = 0.2
    both = [workshop.worker({"work": step}, gaps={"model": timedelta(seconds=gap)}) for _ in range(2)]
    await asyncio.gather(*(each.settle() for each in both))
    assert len(await workshop.moved()) == 7
    paced = sorted(started)
    assert len(paced) == 7
    # Seven starts, one of them free: at least five gaps lie between the first and the last paced one.
    assert paced[-1] - paced[0] >= 5 * gap * 0.9
    assert paced[-1] - paced[0] < 5 * gap + 60


async def test_settling_under_a_rate_limit_does_not_wait_for_a_retry(workshop: Workshop) -> None:
    """What waits for a later time stays waiting, also when the limit's gap is longer than the wait."""

    async def step(job: Job) -> Outcome:
        raise ModelUnavailable("down")

    await workshop.ask("a", pace="model")
    worker = workshop.worker({"work": step}, gaps={"model": timedelta(seconds=600)})
    async with asyncio.timeout(120):
        settled = await worker.settle()
    assert (settled.done, settled.waiting) == (0, 1)


@pytest.mark.parametrize("years", [-2, 2])
async def test_an_idle_worker_sleeps_until_the_pace_is_free_whatever_the_clock_says(
    workshop: Workshop, years: int
) -> None:
    workshop.clock.advance(days=365 * years)
    for key in ("a", "b"):
        await workshop.ask(key, pace="model")
    await workshop.claim(gap=60)
    due = await workshop.database.read(EVERYWHERE, lambda tx: store.next_due(tx, workshop.clock()))
    assert due is not None
    assert 50 < (due - workshop.clock()).total_seconds() <= 60


async def test_each_space_has_its_own_pace(workshop: Workshop) -> None:
    for space in ("one", "two"):
        for n in range(2):
            await workshop.ask(f"{space} {n}", space=space, pace="model")
    taken = await workshop.claim(limit=10, gap=60)
    assert sorted(job.space for job in taken) == ["one", "two"]


# Deaths


def _dead_worker() -> str:
    """The id of a worker on this machine whose process has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return f"{leases._machine()}:{ended.pid}:00000000"


async def test_a_job_of_a_dead_process_is_taken_back_at_once(workshop: Workshop) -> None:
    await workshop.ask("a")
    (lost,) = await workshop.claim(_dead_worker())
    settled = await workshop.worker({"work": moves_its_key}, lease_seconds=3600).settle()
    assert settled.done == 1
    assert await workshop.moved() == {"a": 1}
    with pytest.raises(Exception, match="taken over"):
        await workshop.finish(lost)


async def test_a_job_of_a_worker_of_this_process_that_ended_is_taken_back_at_once(workshop: Workshop) -> None:
    await workshop.ask("a")
    gone = workshop.worker({})
    await workshop.claim(gone._leases.worker)
    leases._own_workers.discard(gone._leases.worker)
    assert (await workshop.worker({"work": moves_its_key}, lease_seconds=3600).settle()).done == 1


@pytest.mark.parametrize("days", [-1, 0, 1])
async def test_a_silent_worker_keeps_its_job_for_the_lease_by_a_clock_that_can_not_jump(
    workshop: Workshop, days: int
) -> None:
    """R15: the wall clock jumps a day either way; only monotonic silence counts."""
    await workshop.ask("a")
    await workshop.claim("another-machine/1:77:00000000")
    worker = workshop.worker({"work": moves_its_key}, lease_seconds=2)
    assert (await worker.settle()).waiting == 1
    workshop.clock.advance(days=days)
    assert (await worker.settle()).waiting == 1, "seen for the first time just now"
    await asyncio.sleep(2.2)
    assert (await worker.settle()).done == 1
    assert await workshop.moved() == {"a": 1}


async def test_a_live_worker_that_gives_signs_of_life_keeps_its_long_job(workshop: Workshop) -> None:
    async def slow(job: Job) -> Outcome:
        await asyncio.sleep(4)
        return moves(job.key)

    await workshop.ask("a")
    holder = workshop.worker({"work": slow}, lease_seconds=1.5)
    other = workshop.worker({"work": moves_its_key}, lease_seconds=1.5)
    working = asyncio.create_task(holder.settle())
    await workshop.until_running("a")
    while not working.done():
        assert (await other.settle()).done == 0
        await asyncio.sleep(0.05)
    assert (await working).done == 1
    assert await workshop.moved() == {"a": 1}


async def test_a_job_whose_workers_keep_dying_is_parked_with_that_reason(workshop: Workshop) -> None:
    await workshop.ask("killer")
    dead = _dead_worker()
    watcher = workshop.worker({})
    for _ in range(10):
        assert len(await workshop.claim(dead)) == 1
        await watcher._leases.reclaim_abandoned()
    (job,) = await workshop.jobs()
    assert job.state == "parked"
    assert job.reason is not None
    assert "worker died 10 times" in job.reason


async def test_one_death_after_an_outage_does_not_park_the_job(workshop: Workshop) -> None:
    async def unreachable(job: Job) -> Outcome:
        raise ModelUnavailable("down")

    await workshop.ask("a")
    worker = workshop.worker({"work": unreachable})
    for _ in range(12):
        await worker.settle()
        workshop.clock.advance(hours=1)
    await workshop.claim(_dead_worker())
    await worker._leases.reclaim_abandoned()
    assert await workshop.states() == {"a": "waiting"}


async def test_a_stalled_worker_that_wakes_up_late_changes_nothing(workshop: Workshop) -> None:
    """R14: a zombie finishes after its job was taken over and done."""
    wake = asyncio.Event()

    async def stalled(job: Job) -> Outcome:
        await wake.wait()
        return moves("zombie")

    await workshop.ask("a")
    zombie = workshop.worker({"work": stalled}, lease_seconds=3600)
    asleep = asyncio.create_task(zombie.settle())
    await workshop.until_running("a")
    leases._own_workers.discard(zombie._leases.worker)
    assert (await workshop.worker({"work": moves_its_key}).settle()).done == 1
    wake.set()
    assert (await asleep).done == 0
    assert await workshop.moved() == {"a": 1}


# Stops


async def test_stopping_gives_running_jobs_back_as_if_never_claimed(workshop: Workshop) -> None:
    async def endless(job: Job) -> Outcome:
        await asyncio.sleep(3600)
        return moves("never")

    await workshop.ask("a")
    worker = workshop.worker({"work": endless}, poll_seconds=0.05)
    worker.start()
    await workshop.until_running("a")
    await worker.stop()
    row = await workshop.row("a")
    assert (row["state"], row["attempts"], row["worker"]) == ("waiting", 0, None)
    assert (await workshop.worker({"work": moves_its_key}).settle()).done == 1


async def test_a_worker_in_the_background_sees_what_is_asked_of_other_processes(workshop: Workshop) -> None:
    worker = workshop.worker({"work": moves_its_key}, poll_seconds=0.05)
    worker.start()
    await asyncio.sleep(0.1)
    await workshop.ask("a")  # nobody wakes the worker

    async def done() -> bool:
        return await workshop.states() == {"a": "done"}

    await until(done)


async def test_done_jobs_are_forgotten_after_their_days_and_others_are_kept(workshop: Workshop) -> None:
    """Done jobs are listed for seven days."""
    await workshop.ask("old")
    await workshop.worker({"work": moves_its_key}, keep_done=timedelta(days=7)).settle()
    workshop.clock.advance(days=6)
    await workshop.ask("young")
    await workshop.worker({"work": moves_its_key}, keep_done=timedelta(days=7)).settle()
    await workshop.ask("parked")
    id = next(job.id for job in await workshop.jobs() if job.key == "parked")
    await workshop.database.write(EVERYWHERE, lambda tx: store.park(tx, id, "hold", workshop.clock()))
    await workshop.ask("waiting", due=workshop.clock() + timedelta(days=400))
    workshop.clock.advance(days=2)
    worker = workshop.worker({"work": moves_its_key}, keep_done=timedelta(days=7), poll_seconds=0.05)
    worker.start()

    async def forgotten() -> bool:
        return "old" not in await workshop.states()

    await until(forgotten)
    assert await workshop.states() == {"young": "done", "parked": "parked", "waiting": "waiting"}


async def test_settling_forgets_old_done_jobs_too(workshop: Workshop) -> None:
    await workshop.ask("old")
    await workshop.worker({"work": moves_its_key}).settle()
    assert await workshop.states() == {"old": "done"}
    workshop.clock.advance(hours=25)
    await workshop.worker({"work": moves_its_key}).settle()
    assert await workshop.states() == {}
