"""The memory as MCP tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base import logs
from erstwhile.base.errors import SettingsError
from erstwhile.cli.options import Database, Space, with_memory
from erstwhile.log import check

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory


def mcp(
    person: Annotated[
        str | None, typer.Option(help="Who speaks; memories added without a person are about them.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer no tool that writes.")] = False,
    worker: Annotated[bool, typer.Option(help="Also run due jobs in this process.")] = True,
    database: Database = None,
    space: Space = None,
) -> None:
    """Serve the memory as MCP tools on stdin and stdout, for the program that starts it."""

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
