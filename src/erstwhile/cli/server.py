"""The server, over HTTP and as MCP tools, its keys, and its jobs: run what is due, list, retry and park."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput
from erstwhile.base.logs import to_stderr
from erstwhile.base.page import DEFAULT, every
from erstwhile.base.settings import load
from erstwhile.cli import output
from erstwhile.cli.options import (
    Cursor,
    Database,
    Json,
    Limit,
    LogLevel,
    Memory,
    Space,
    group,
    needs,
    only_id,
    set_log_level,
    with_memory,
)
from erstwhile.cli.output import Result, TableRows
from erstwhile.jobs.model import SHOWN
from erstwhile.keys.model import Key
from erstwhile.log import check

if TYPE_CHECKING:
    from erstwhile.http.serve import Stop
    from erstwhile.jobs.model import Settled


def serve(
    host: Annotated[
        str | None, "The address to listen on (default: ERSTWHILE_HOST, else 127.0.0.1)."
    ] = None,
    port: Annotated[
        int | None, "The port (default: ERSTWHILE_PORT, else 8765). 0: any free one."
    ] = None,
    processes: Annotated[
        int, typer.Option(min=1, max=64, help="Server processes on that port.")
    ] = 1,
    worker: Annotated[bool, typer.Option(help="Also run due jobs.")] = True,
    log_level: LogLevel = "info",
    database: Database = None,
) -> None:
    """Serve the memory over HTTP, until interrupted."""
    with needs("The server", "server"):
        from erstwhile.http.serve import Stop, run
    set_log_level(log_level)
    given = {"database": database, "host": host, "port": port, "worker": worker}
    stop = Stop()
    with stop.listening():
        if processes == 1:
            run(_alone(given, stop))
        else:
            _several(given, processes, log_level, stop)


async def _alone(given: dict[str, Any], stop: Stop) -> None:
    from erstwhile.api.memory import open as open_memory
    from erstwhile.dashboard import app
    from erstwhile.dashboard.app import create_app
    from erstwhile.http.serve import address, listening, serve, welcome

    with listening(load(**given)) as sockets:
        async with open_memory(**given) as memory:
            for line in await welcome(memory, sockets):
                output.note(line)
            where = address(memory.settings, sockets)
            output.note(await app.welcome_line(memory, where, terminal=sys.stderr.isatty()))
            await serve(memory, sockets, stop, create_app)


def _several(given: dict[str, Any], processes: int, log_level: str, stop: Stop) -> None:
    from erstwhile.http.serve import Processes, listening, welcome

    with listening(load(**given), count=processes) as sockets:
        for line in with_memory(
            lambda memory: welcome(memory, sockets, processes), **{**given, "worker": False}
        ):
            output.note(line)
        Processes(sockets, log_level, given).run(processes, stop)


def mcp(
    person: Annotated[
        str | None, "Who speaks; memories added without a person are about them."
    ] = None,
    read_only: Annotated[bool, "Offer no tool that writes."] = False,
    worker: Annotated[bool, typer.Option(help="Also run due jobs in this process.")] = True,
    database: Database = None,
    space: Space = None,
) -> None:
    """Serve the memory as MCP tools on stdin and stdout, for the program that starts it."""

    async def run(memory: Memory) -> None:
        with needs("MCP", "mcp"):
            from erstwhile.mcp import server
        from erstwhile.mcp.tools import ToolCaller

        who = None if person is None else check.identifier("person", person)
        await server.run(memory, ToolCaller(memory.settings.space, who, read_only=read_only))

    to_stderr("warning")
    with_memory(run, database, space, worker=worker)


keys = group()


@keys.command("create")
async def create(
    memory: Memory,
    admin: Annotated[bool, "For all spaces, and for the server itself."] = False,
    name: Annotated[str, "Whose key it is; shown with what it writes."] = "",
    read_only: Annotated[bool, "It may read and ask, but change nothing."] = False,
    expires: Annotated[
        str | None, "30d, 12h, or a time like 2027-01-01T00:00:00+00:00 (default: never)."
    ] = None,
    space: Space = None,
) -> Result:
    """Create a key for a space. It is shown only once."""
    _one_of(admin, space)
    made = await memory.keys.create(admin=admin, name=name, read_only=read_only, expires=expires)

    def show() -> None:
        typer.echo(made.key)
        revoke = f"Revoke it with `erstwhile keys revoke {made.id}`."
        output.note(f"A key for {_for(made)}. Keep it: it is not shown again. {revoke}")

    return made, show


@keys.command("list")
async def list_keys(
    memory: Memory, admin: Annotated[bool, "The keys of all spaces."] = False, space: Space = None
) -> Result:
    """List the keys of a space, without their secrets."""
    _one_of(admin, space)
    found = await memory.keys.list(admin=admin)
    rows = (
        (key.id, key.name, _for(key), _time(key.created_at), _time(key.used_at), _state(key))
        for key in found
    )
    columns = "id, name, for, created (UTC), last used, state"
    return found, TableRows(columns, rows, "No keys. Make one with `erstwhile keys create`.")


@keys.command("revoke")
def revoke(
    id: Annotated[str, "The key's id: the part between er_ and the secret."],
    database: Database = None,
    json: Json = False,
) -> None:
    """Revoke a key of any space. Every server refuses it within about a second."""
    with_memory(lambda memory: memory.keys.revoke(id, admin=True), database)
    output.print_result({"revoked": id}, f"Revoked {id}.", json=json)


def _one_of(admin: bool, space: str | None) -> None:
    if admin and space is not None:
        raise InvalidInput("An admin key is for every space. Give --space or --admin, not both.")


def _for(key: Key) -> str:
    whose = "every space (admin)" if key.space is None else f"the space {key.space}"
    return whose + ", to read" * key.read_only


def _time(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _state(key: Key) -> str:
    if key.revoked_at is not None:
        return f"revoked {_time(key.revoked_at)}"
    return "" if key.expires_at is None else f"until {_time(key.expires_at)}"


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
    limit: Limit = DEFAULT,
    cursor: Cursor = None,
    space: Space = None,
) -> Result:
    """List jobs, the parked ones first."""
    found = await memory.jobs.list(space=space, state=state, limit=limit, cursor=cursor)
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
