"""Runs the face over stdin and stdout, for the program that started us, until it closes them."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from erstwhile.api.memory import Memory
from erstwhile.mcp.server import create_server
from erstwhile.mcp.tools import Visitor


async def run(memory: Memory, visitor: Visitor) -> None:
    server = create_server(memory, lambda _request: visitor, person=visitor.person)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
