"""Run the server over stdin and stdout until they are closed."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from erstwhile.api.memory import Memory
from erstwhile.mcp.server import create_server
from erstwhile.mcp.tools import ToolCaller


async def run(memory: Memory, caller: ToolCaller) -> None:
    server = create_server(memory, lambda _request: caller, person=caller.person)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
