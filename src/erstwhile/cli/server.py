"""The server, over HTTP and as MCP tools, and its keys."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from erstwhile.base.errors import InvalidInput
from erstwhile.base.logs import to_stderr
from erstwhile.base.settings import load
from erstwhile.cli import output
from erstwhile.cli.options import (
    Database,
    Json,
    LogLevel,
    Memory,
    Space,
    group,
    needs,
    set_log_level,
    with_memory,
)
from erstwhile.cli.output import Result, TableRows
from erstwhile.keys.model import Key
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
