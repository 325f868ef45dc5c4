"""The stored index of a space: files that never change, and a table that says which of them count.

On SQLite the files are in a folder beside the database, and processes map them. On Postgres their pieces are rows, and
each process has a copy in a temporary file without a name, which goes with the process. A file that is missing or damaged
only costs time: the index is then filled from the documents, and stored again. See storing.py for how they are written.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from erstwhile.base import ids
from erstwhile.base.records import dataclass
from erstwhile.base.system import open_private
from erstwhile.index import documents, part_file
from erstwhile.index.documents import queries
from erstwhile.index.index_state import IndexState, read_state
from erstwhile.index.part_file import DamagedIndexFile, PartFile
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction

T = TypeVar("T")

_PIECE = 1 << 18  # bytes of a file in one row
_PIECES = 32  # rows read at a time
_LEFT_OVER = 3600.0  # seconds after which a file that nobody names is no longer being written


@dataclass(frozen=True, slots=True)
class OpenedIndex:
    """The files of a space, none if there are none that can be used; `damaged` says why they can't."""

    state: IndexState
    files: Sequence[PartFile] = ()
    damaged: str = ""

    @property
    def version(self) -> int:
        return max((row["version"] for row in self.state.rows), default=0)


async def run_in_thread(tx: Transaction, work: Callable[[], T]) -> T:
    """Run long work in a thread. On SQLite a transaction has its own thread already; on Postgres it is on the event loop."""
    return work() if tx.dialect == "sqlite" else await asyncio.to_thread(work)


class IndexFiles:
    """The files of all spaces of a database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._in_rows = database.dialect == "postgres"
        self._folder = _temporary() if self._in_rows else Path(database.describe() + ".index")

    async def open(self, tx: Transaction) -> OpenedIndex:
        """Open the files of a space, if there are any and they fit what it has."""
        state = await read_state(tx)
        if not state.usable:
            return OpenedIndex(
                state, damaged="They are of another embedder or server." if state.rows else ""
            )
        try:
            return OpenedIndex(state, [await self.open_file(tx, row) for row in state.rows])
        except DamagedIndexFile as error:
            return OpenedIndex(state, damaged=str(error))

    async def open_file(self, tx: Transaction, row: Row, *, check: bool = False) -> PartFile:
        """Open a file, or raise `DamagedIndexFile`."""
        if not self._in_rows:
            return part_file.read(self._folder / row["file"], row["checksum"], check=check)
        with tempfile.TemporaryFile(dir=self._folder) as copy:
            await _download(tx, row, cast(BinaryIO, copy))
            return await asyncio.to_thread(part_file.read_open, copy, row["checksum"], check=check)

    async def check(self, space: str) -> list[str]:
        """Return the files of a space that are damaged, with reasons."""

        async def unit(tx: Transaction) -> list[str]:
            found = []
            for row in await tx.all(queries.index_files):
                try:
                    await self.open_file(tx, row, check=True)
                except DamagedIndexFile as error:
                    found.append(f"{row['file']}: {error}")
            return found

        return await self.database.read(space, unit)

    # Writing

    @contextlib.contextmanager
    def create(self, made: list[Path]) -> Iterator[BinaryIO]:
        """Open a new file and add its path to `made`."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._folder / ids.new("idx")
        made.append(path)
        with open_private(path, "x+b") as file:
            yield cast(BinaryIO, file)

    async def put(self, tx: Transaction, path: Path, row: Row) -> None:
        """Say in the table that a file counts."""
        await tx.run(queries.add_index_file, **row, file=path.name, bytes=path.stat().st_size)
        if not self._in_rows:
            return
        with path.open("rb") as file:
            while data := file.read(_PIECE):
                if data.count(0) < len(data):
                    await tx.run(
                        queries.add_piece, file=path.name, at=file.tell() - len(data), data=data
                    )

    async def drop(self, tx: Transaction, names: Sequence[str]) -> None:
        """Say in the table that these files no longer count. Remove them after the commit."""
        if names:
            await tx.run(queries.drop_index_files, files=json.dumps(list(names)))
            if self._in_rows:
                await tx.run(queries.drop_pieces, files=json.dumps(list(names)))

    def finish(self, made: Sequence[Path], kept: Path | None) -> None:
        """Remove files that were made on the way; one that the table names stays where processes read it."""
        for path in made:
            if path != kept or self._in_rows:
                path.unlink(missing_ok=True)

    def remove(self, names: Sequence[str]) -> None:
        for name in () if self._in_rows else names:
            with contextlib.suppress(
                OSError
            ):  # one that can't be removed now goes with a later sweep
                (self._folder / name).unlink()

    async def forget(self, space: str) -> None:
        """Let the files of a space go, as when one is damaged, and ask for the vectors that only they had."""

        async def unit(tx: Transaction) -> list[str]:
            await tx.first(queries.hold_index)
            names = [row["file"] for row in await tx.all(queries.index_files)]
            await self.drop(tx, names)
            await documents.ask_for_vectors(tx)
            return names

        self.remove(await self.database.write(space, unit))

    async def sweep(self, age: float = _LEFT_OVER) -> None:
        """Remove files that nobody names, of a process that was killed or of an erased space."""
        if self._in_rows or not self._folder.is_dir():
            return
        before = time.time() - age
        there = [each for each in self._folder.iterdir() if _written(each) <= before]
        rows = await self.database.read(EVERYWHERE, lambda tx: tx.all(queries.every_index_file))
        named = {row["file"] for row in rows}
        self.remove([each.name for each in there if each.name not in named])


async def _download(tx: Transaction, row: Row, copy: BinaryIO) -> None:
    copy.truncate(row["bytes"])
    after = -1
    while pieces := await tx.all(queries.pieces, file=row["file"], after=after, limit=_PIECES):
        for piece in pieces:
            copy.seek(piece["at"])
            copy.write(piece["data"])
        after = pieces[-1]["at"]
    copy.flush()


def _temporary() -> Path:
    """Return a folder for temporary files: rather on disk than in memory, as /tmp often is."""
    chosen = Path(tempfile.gettempdir())
    on_disk = Path("/var/tmp")
    return on_disk if chosen == Path("/tmp") and os.access(on_disk, os.W_OK) else chosen


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return float("inf")
