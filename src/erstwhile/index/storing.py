"""Store the index of a space in files, join them, and write those anew that have something erased.

What the table says changes in one transaction after the file is on disk, so whoever is killed leaves at most a file that
nobody names; `IndexFiles.sweep` removes it.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from erstwhile.base import crash
from erstwhile.base.records import dataclass
from erstwhile.index import documents, index_state, part_file
from erstwhile.index.documents import FindTerms, Marks, queries
from erstwhile.index.index_state import IndexState, read_state
from erstwhile.index.part import Late, joined
from erstwhile.index.part_file import DamagedIndexFile, PartFile
from erstwhile.index.segment import Segment
from erstwhile.index.stored import IndexFiles, run_in_thread
from erstwhile.storage import Database, Row, Transaction

_MERGE = 16_384  # documents in the files after the first, or this share of it: time to join all
_SHARE = 8
_FILL = 65_536  # documents in memory while a whole space is stored
_TRIES = 5
_NEW, _GONE, _VECTOR = range(3)


class FilesChanged(Exception):
    """Others have replaced the files meanwhile."""


@dataclass(frozen=True, slots=True)
class _Replacement:
    """What a new file has, its number, up to which marks it goes, and the files it replaces."""

    content: PartFile
    number: int
    marks: Marks
    replaced: Sequence[str]


async def store(files: IndexFiles, space: str, find_terms: FindTerms) -> bool:
    """Store what is new in a file of its own, or all in one file if the others have become many. Returns whether there
    was anything. Raises `FilesChanged` if others did so meanwhile."""
    made: list[Path] = []
    try:
        state, news = await files.database.read(
            space, lambda tx: _read_new(tx, files, made, find_terms)
        )
        crash.point("index.after_read")
        if not news:
            return False
        before = (
            await files.database.read(space, lambda tx: _open_all(tx, files, state))
            if state.usable
            else []
        )
        first, held = (
            (before[0].length if before else 0),
            sum(each.weight for each in [*before[1:], *news]),
        )
        number = state.rows[-1]["number"] + 1 if state.rows else 1
        if before and held <= max(_MERGE, first // _SHARE):
            new = _Replacement(news[0], number, state.marks, [])
        else:
            content = await asyncio.to_thread(_joined, [*before, *news])
            new = _Replacement(content, number, state.marks, state.names)
        await _replace(files, space, state, new)
    finally:
        files.finish(made, None)
    return True


async def trim(database: Database, space: str, embedder: str | None) -> None:
    """Delete terms that the files have, and vectors if they were made by this embedder, from their tables."""

    async def unit(tx: Transaction) -> bool:
        await tx.first(queries.hold_index)
        state = await read_state(tx)
        return state.usable and await documents.trim(
            tx, state.stored, vectors=state.embedder == embedder
        )

    more = True
    while more:
        more = await database.write(space, unit)
        crash.point("index.after_trim")


async def erase(files: IndexFiles, space: str) -> None:
    """Write those files anew that have documents which are gone, so that nothing of them is left."""
    await files.database.write(
        space, lambda tx: tx.first(queries.hold_index)
    )  # who stores right now has done so then
    for _ in range(_TRIES):
        try:
            while await _erase_one(files, space):
                pass
            break
        except (FilesChanged, DamagedIndexFile):
            continue
    else:
        await files.forget(space)
    await files.sweep(age=0)


async def _erase_one(files: IndexFiles, space: str) -> bool:
    """Write one file anew; return whether there was one that needed it."""
    state, gone, found = await files.database.read(space, lambda tx: _find_erased(tx, files))
    if found is None:
        return False
    at, file = found
    row = state.rows[at]
    content = await asyncio.to_thread(_without, file, gone)
    gone_until = (
        row["gone"] if at else state.marks.gone
    )  # the first file is the last that is written anew
    marks = Marks(row["documents"], gone_until, row["vectors"])
    await _replace(files, space, state, _Replacement(content, row["number"], marks, [row["file"]]))
    return True


async def _find_erased(
    tx: Transaction, files: IndexFiles
) -> tuple[IndexState, NDArray[np.int64], tuple[int, PartFile] | None]:
    """Return a file with documents that are gone, and its place among the files."""
    state = await read_state(tx)
    rows = await tx.all(queries.gone_since, mark=state.rows[0]["gone"]) if state.rows else []
    gone = np.array([row["doc"] for row in rows], np.int64)
    for at, row in reversed(list(enumerate(state.rows if len(gone) else ()))):
        file = await files.open_file(tx, row, check=True)
        if _has_any(file, gone):
            return state, gone, (at, file)
    return state, gone, None


def _has_any(file: PartFile, gone: NDArray[np.int64]) -> bool:
    """Return whether a file has documents, or vectors of documents, that are gone."""
    held = [part.columns["doc"][: part.length] for part in file.parts]
    return any(
        np.isin(docs, gone).any() for docs in [*held, *([file.late[0]] if file.late else [])]
    )


# Reading


async def _read_new(
    tx: Transaction, files: IndexFiles, made: list[Path], find_terms: FindTerms
) -> tuple[IndexState, list[PartFile]]:
    """Return what the files don't have, with the marks up to which it goes."""
    state = await read_state(tx)
    if not state.usable:
        return state, [each async for each in _read_all(tx, files, made, find_terms)]
    rows, marks = await documents.feed(tx, state.stored, find_terms)
    if not any(row["what"] <= _VECTOR for row in rows):
        return state, []
    return replace(state, marks=marks), [await run_in_thread(tx, lambda: _part_file(rows))]


async def _read_all(
    tx: Transaction, files: IndexFiles, made: list[Path], find_terms: FindTerms
) -> AsyncIterator[PartFile]:
    """Yield all documents of a space. All but the last of many are laid aside in files."""
    waiting: list[Row] = []
    async for page in documents.pages(tx, find_terms):
        waiting += [{"what": _NEW, **row} for row in page]
        waiting += [{"what": _VECTOR, **row} for row in page if row["vector"] is not None]
        if len(waiting) >= _FILL:
            rows, waiting = waiting, []
            yield await run_in_thread(tx, lambda: _lay_aside(files, made, rows))  # noqa: B023
    yield await run_in_thread(tx, lambda: _part_file(waiting))


def _lay_aside(files: IndexFiles, made: list[Path], rows: Sequence[Row]) -> PartFile:
    with files.create(made) as file:
        checksum = part_file.write(file, _part_file(rows))
    return part_file.read(made[-1], checksum)


async def _open_all(tx: Transaction, files: IndexFiles, state: IndexState) -> list[PartFile]:
    """Open the files, checked: what is damaged must not become part of another."""
    return [await files.open_file(tx, row, check=True) for row in state.rows]


def _part_file(rows: Sequence[Row]) -> PartFile:
    """Make a file's content of rows of the feed."""
    segments = Segment(talk=True), Segment(talk=False)
    new = [row for row in rows if row["what"] == _NEW]
    vectors = [(row["doc"], row["vector"]) for row in rows if row["what"] == _VECTOR]
    for segment in segments:
        segment.add([row for row in new if (row["kind"] == "message") == segment.talk], link=False)
        segment.put_vectors(vectors)
    here = {row["doc"] for row in new}
    gone = np.array([row["doc"] for row in rows if row["what"] == _GONE], np.int64)
    messages, memories = (joined([segment.part()]) for segment in segments)
    return PartFile(
        (messages, memories), gone, _late([each for each in vectors if each[0] not in here])
    )


def _late(vectors: Sequence[tuple[int, bytes]]) -> Late | None:
    vectors = [each for each in vectors if len(each[1]) == len(vectors[-1][1])]
    if not vectors:
        return None
    docs = np.array([doc for doc, _ in vectors], np.int64)
    return docs, np.frombuffer(b"".join(vector for _, vector in vectors), np.int8).reshape(
        len(docs), -1
    )


# Writing


def _joined(files: Sequence[PartFile]) -> PartFile:
    gone = np.concatenate([each.gone for each in files])
    late = [each.late for each in files]
    messages, memories = (joined([each.parts[at] for each in files], gone, late) for at in range(2))
    return PartFile((messages, memories))


def _without(file: PartFile, gone: NDArray[np.int64]) -> PartFile:
    late = file.late
    if late is not None:
        kept = ~np.isin(late[0], gone)
        late = (late[0][kept], late[1][kept])
    messages, memories = (joined([part], gone) for part in file.parts)
    return PartFile((messages, memories), file.gone, late)


def _write(files: IndexFiles, made: list[Path], content: PartFile) -> tuple[Path, str]:
    room = (
        max(_MERGE, content.length // _SHARE) + 2 * index_state.MUCH
        if content.length >= _MERGE
        else 0
    )
    with files.create(made) as file:
        checksum = part_file.write(file, content, room)
        file.flush()
        os.fsync(file.fileno())
    crash.point("index.after_file")
    return made[-1], checksum


async def _replace(files: IndexFiles, space: str, state: IndexState, new: _Replacement) -> None:
    """Write a file, say in the table that it counts and those it replaces no more, and remove these."""
    made: list[Path] = []
    kept: Path | None = None
    try:
        path, checksum = await asyncio.to_thread(_write, files, made, new.content)
        version = (
            state.rows[-1]["version"] if state.rows and not new.replaced else time.time_ns() // 1000
        )
        row = {
            "number": new.number, "version": version, "checksum": checksum, "length": new.content.length,
            "origin": state.origin, "embedder": state.embedder, "emptied": state.emptied,
            "documents": new.marks.documents, "gone": new.marks.gone, "vectors": new.marks.vectors,
            "embedded": new.content.embedded,
        }  # fmt: skip

        async def unit(tx: Transaction) -> None:
            await tx.first(queries.hold_index)
            now = await read_state(tx)
            if now.names != state.names or (now.embedder, now.emptied) != (
                state.embedder,
                state.emptied,
            ):
                raise FilesChanged
            rows = await tx.all(queries.gone_since, mark=state.marks.gone)
            if _has_any(new.content, np.array([row["doc"] for row in rows], np.int64)):
                raise FilesChanged  # erased since it was read: it must not be written after the receipt
            await files.drop(tx, new.replaced)
            await files.put(tx, path, row)

        await files.database.write(space, unit)
        kept = path
        crash.point("index.after_commit")
    finally:
        files.finish(made, kept)
    files.remove(new.replaced)
