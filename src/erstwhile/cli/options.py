"""What every command takes, and how it opens the memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

import typer

from erstwhile.api.memory import Memory
from erstwhile.api.memory import open as open_memory

T = TypeVar("T")

Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        "-d",
        help="A path, sqlite:///… or postgresql://… (default: ERSTWHILE_DATABASE, else ./erstwhile.db).",
    ),
]
Space = Annotated[
    str | None, typer.Option("--space", "-s", help="The space (default: ERSTWHILE_SPACE, else 'default').")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def with_memory(
    work: Callable[[Memory], Awaitable[T]], database: str | None, space: str | None = None, **settings: Any
) -> T:
    """A command works on what is due only when it is told to, so the background worker stays off."""

    async def run() -> T:
        async with open_memory(database, space=space, **{"worker": False, **settings}) as memory:
            return await work(memory)

    return asyncio.run(run())
