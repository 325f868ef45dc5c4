"""A copy of the whole database: make it, look it through, put it back."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from erstwhile.api import archive
from erstwhile.archive import backup as backups
from erstwhile.archive.model import Backup
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, with_memory


def backup(
    file: Annotated[Path, typer.Argument(help="The zip.")],
    check: Annotated[bool, typer.Option("--check", help="Read a backup through instead: is it whole?")] = False,
    restore: Annotated[bool, typer.Option("--restore", help="Put a backup into an empty database instead.")] = False,
    database: Database = None,
    json: Json = False,
) -> None:
    """Write the whole database into one zip, while others go on writing; or check one, or restore it."""
    if check and restore:
        raise typer.BadParameter("one of the two: --check or --restore", param_hint="--check")
    if check:
        done, said = backups.check(file), "is whole"
    elif restore:
        done, said = asyncio.run(archive.restore(database, file, progress=Told("Restoring"))), "is restored"
    else:
        done = with_memory(lambda memory: memory.archive.backup(to=file, progress=Told("Backing up")), database)
        said = "is written and read back"
    if json:
        output.print_json(_plain(done))
    else:
        output.note(
            f"{file} {said}: {done.messages:,} messages, {done.spaces} spaces, {done.bytes:,} bytes, schema {done.schema}, "
            f"of {done.at:%Y-%m-%d %H:%M:%S} UTC."
        )


class Told:
    """Says how far it is, on stderr, where someone looks at it."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._at = time.monotonic()

    def __call__(self, table: str, rows: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - self._at > 1:
            self._at = time.monotonic()
            output.note(f"{self._doing}: {table}, {rows:,} rows")


def _plain(done: Backup) -> dict[str, object]:
    return {
        "path": str(done.path),
        "at": done.at,
        "schema": done.schema,
        "spaces": done.spaces,
        "messages": done.messages,
        "rows": done.rows,
        "bytes": done.bytes,
    }
