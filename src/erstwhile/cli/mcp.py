"""The memory as tools for another program."""

from __future__ import annotations

from typing import Annotated

import typer

from erstwhile.api.memory import Memory
from erstwhile.base import logs
from erstwhile.base.errors import SettingsError
from erstwhile.cli.options import Database, Space, with_memory
from erstwhile.log import check


def mcp(
    person: Annotated[
        str | None, typer.Option(help="Who speaks: what is added without a person is about them.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer no tool that writes.")] = False,
    worker: Annotated[bool, typer.Option(help="Also run due jobs in this process.")] = True,
    database: Database = None,
    space: Space = None,
) -> None:
    """Serve the memory over MCP on stdin and stdout, for the program that starts this."""

    async def run(memory: Memory) -> None:
        try:
            from erstwhile.mcp import stdio
        except ImportError as missing:
            raise SettingsError(f"MCP needs {missing.name}: pip install 'erstwhile[mcp]'.") from None
        from erstwhile.mcp.tools import ToolCaller

        who = None if person is None else check.identifier("person", person)
        await stdio.run(memory, ToolCaller(memory.settings.space, who, read_only=read_only))

    logs.to_stderr("warning")
    with_memory(run, database, space, worker=worker)
