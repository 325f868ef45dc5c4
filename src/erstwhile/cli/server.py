"""The server, over HTTP and as MCP tools."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from erstwhile.base.logs import to_stderr
from erstwhile.base.settings import load
from erstwhile.cli import output
from erstwhile.cli.options import (
    Database,
    LogLevel,
    Memory,
    Space,
    needs,
    set_log_level,
    with_memory,
)
from erstwhile.log import check

if TYPE_CHECKING:
    from erstwhile.http.serve import Stop


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
