"""Jobs: run what is due, list, retry and park."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.api.page import every
from erstwhile.base import ids
from erstwhile.cli import output
from erstwhile.cli.options import (
    Database,
    Json,
    Limit,
    LogLevel,
    Memory,
    Space,
    group,
    only_id,
    set_log_level,
    with_memory,
)
from erstwhile.cli.output import Result, TableRows
from erstwhile.jobs.model import SHOWN

if TYPE_CHECKING:
    from erstwhile.jobs.model import Settled

jobs = group()


async def settle_with_progress(memory: Memory) -> Settled:
    """Settle, with a bar that shows how many jobs are done of those known so far, and which are
    waited for."""
    with output.progress() as progress:
        bar = progress.add_task("Remembering", total=None)
        work = asyncio.create_task(memory.settle())
        while not work.done():
            await asyncio.wait([work], timeout=0.1)
            queue = await memory.jobs.queue()
            left = sum(each.jobs for each in queue if each.state in ("waiting", "running"))
            running = ", ".join(sorted({each.kind for each in queue if each.state == "running"}))
            done = memory.jobs.worker.done
            told = f"Remembering: {running}" if running else "Remembering"
            progress.update(bar, completed=done, total=done + left, description=told)
        return await work


def settle(database: Database = None, json: Json = False) -> None:
    """Run everything that is due now."""

    async def run(memory: Memory) -> tuple[Settled, list[str]]:
        settled = await settle_with_progress(memory)
        reasons = (each.reason for each in await memory.jobs.queue() if each.reason)
        return settled, list(dict.fromkeys(reasons))

    settled, reasons = with_memory(run, database)
    output.print_result(settled, "\n".join([f"{settled_counts(settled)}.", *reasons]), json=json)


def settled_counts(settled: Settled) -> str:
    return f"{output.counted(settled.done, 'job')} done, {settled.waiting} waiting, {settled.parked} parked"


def worker(database: Database = None, log_level: LogLevel = "info") -> None:
    """Run jobs as they become due, until stopped. Any number of workers share one database."""
    set_log_level(log_level)

    async def run(memory: Memory) -> None:
        stop = asyncio.Event()
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(each, stop.set)
        output.note(f"Working on {memory.describe()}. Stop with Ctrl-C.")
        work = asyncio.create_task(memory.work())
        ended = asyncio.create_task(stop.wait())
        await asyncio.wait([work, ended], return_when=asyncio.FIRST_COMPLETED)
        for task in (work, ended):
            task.cancel()
        with suppress(asyncio.CancelledError):
            await work

    with_memory(run, database)


@jobs.command("list", reads=True)
async def list_jobs(
    memory: Memory,
    state: Annotated[str | None, f"Only these: {', '.join(SHOWN)}."] = None,
    limit: Limit = 50,
    space: Space = None,
) -> Result:
    """List jobs, the parked ones first."""
    found = await memory.jobs.list(space=space, state=state, limit=limit)
    return found, TableRows.of(
        found,
        "id, space, kind, state, tries=attempts, due (UTC)=due_at, key and reason=why",
        "No jobs.",
        why=lambda job: f"{job.key}: {job.reason}" if job.reason else job.key,
    )


@jobs.command("retry", reads=True)
async def retry(
    memory: Memory,
    job: Annotated[
        str | None,
        typer.Argument(help="A job's id, or its first characters (default: all parked)."),
    ] = None,
    space: Space = None,
) -> Result:
    """Make a parked job due again, or all of them."""
    count = await memory.jobs.retry(job and await _find(memory, job, space), space=space)
    return {"retried": count}, f"{count} due again. `erstwhile settle` or a worker runs them."


@jobs.command("park", reads=True)
async def park(
    memory: Memory,
    job: Annotated[str, typer.Argument(metavar="JOB", help="A job's id, or its first characters.")],
    reason: Annotated[str, "Why."] = "Parked by hand.",
    space: Space = None,
) -> Result:
    """Park a job until it is retried."""
    named = await _find(memory, job, space)
    await memory.jobs.park(named, reason, space=space)
    return {"parked": 1}, f"Parked {named}."


async def _find(memory: Memory, job: str, space: str | None) -> str:
    """Return the whole id of a job that is not done, of one space or of all."""
    if ids.is_whole(job):
        return job
    states = ("waiting", "parked", "running", "timer")
    known = [
        each.id
        for state in states
        for each in await every(memory.jobs.list, state=state, space=space)
    ]
    return only_id(job, known)
