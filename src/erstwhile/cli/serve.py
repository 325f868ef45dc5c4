"""The server."""

from __future__ import annotations

from typing import Annotated

import typer

from erstwhile.base.errors import SettingsError
from erstwhile.cli.options import Database, with_memory
from erstwhile.memory import Memory


def serve(
    host: Annotated[str | None, typer.Option(help="Where to listen (default: ERSTWHILE_HOST, else 127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(help="The port (default: ERSTWHILE_PORT, else 8765).")] = None,
    worker: Annotated[bool, typer.Option(help="Also run due jobs in this process.")] = True,
    database: Database = None,
) -> None:
    """Serve the memory over HTTP, until interrupted."""
    with_memory(_serve, database, host=host, port=port, worker=worker)


async def _serve(memory: Memory) -> None:
    try:
        from erstwhile.api.serve import serve as run
    except ImportError as missing:
        raise SettingsError(f"The server needs {missing.name}: pip install 'erstwhile[server]'.") from None
    await run(memory)
