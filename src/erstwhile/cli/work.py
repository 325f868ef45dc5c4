"""Work that is due: settle, jobs, worker, rebuild."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import Annotated

import typer

from erstwhile.api.memory import Memory
from erstwhile.base import logs
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory
from erstwhile.jobs.model import SHOWN, Settled

jobs = typer.Typer(help="See and steer the jobs.", rich_markup_mode=None)


async def settle_with_progress(memory: Memory) -> Settled:
    """Settles, with a bar of what is done of what is known to be due so far."""
    with output.progress() as progress:
        bar = progress.add_task("Remembering", total=None)
        work = asyncio.create_task(memory.settle())
        while not work.done():
            await asyncio.wait([work], timeout=0.1)
            left = sum(each.jobs for each in await memory.jobs.queue() if each.state in ("waiting", "running"))
            done = memory.jobs.worker.done
            progress.update(bar, completed=done, total=done + left)
        return await work


def settle(database: Database = None, json: Json = False) -> None:
    """Run everything that is due now."""
    settled = with_memory(settle_with_progress, database)
    if json:
        output.print_json(settled)
    else:
        output.note(f"{settled.done} done, {settled.waiting} waiting, {settled.parked} parked.")


def worker(
    database: Database = None, log_level: Annotated[str, typer.Option(help="debug, info, warning.")] = "info"
) -> None:
    """Run jobs as they become due, until told to stop. Any number of workers share one database."""
    logs.to_stderr(log_level)

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


@jobs.callback(invoke_without_command=True)
def jobs_default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        list_jobs()


@jobs.command("list")
def list_jobs(
    state: Annotated[str | None, typer.Option(help=f"Only these: {', '.join(SHOWN)}.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most.")] = 50,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List jobs, the parked ones first."""
    found = with_memory(lambda memory: memory.jobs.list(space=space, state=state, limit=limit), database, space)
    if json:
        output.print_json(found)
    elif not found:
        output.note("No jobs.")
    else:
        rows = [
            (
                job.id,
                job.space,
                job.kind,
                job.key,
                job.state,
                job.attempts,
                f"{job.due_at:%Y-%m-%d %H:%M:%S}",
                job.reason or "",
            )
            for job in found
        ]
        output.table(("id", "space", "kind", "key", "state", "attempts", "due (UTC)", "reason"), rows)


@jobs.command("retry")
def retry(
    job: Annotated[str | None, typer.Argument(help="A job's id; without it, every parked job.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Make a parked job due again, or all of them."""
    count = with_memory(lambda memory: memory.jobs.retry(job, space=space), database, space)
    if json:
        output.print_json({"retried": count})
    else:
        output.note(f"{count} due again. `erstwhile settle` or a worker runs them.")


@jobs.command("park")
def park(
    job: Annotated[str, typer.Argument(help="A job's id.")],
    reason: Annotated[str, typer.Option(help="Why.")] = "Parked by hand.",
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Set a job aside until it is retried."""
    with_memory(lambda memory: memory.jobs.park(job, reason, space=space), database, space)
    if json:
        output.print_json({"parked": 1})
    else:
        output.note(f"Parked {job}.")


def rebuild(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Drop everything derived in a space and make it again from the log."""

    async def work(memory: Memory) -> Settled:
        await memory.spaces.rebuild()
        return await settle_with_progress(memory)

    settled = with_memory(work, database, space)
    if json:
        output.print_json(settled)
    else:
        output.note(f"Rebuilt: {settled.done} jobs done, {settled.waiting} waiting, {settled.parked} parked.")
