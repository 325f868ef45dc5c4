"""The stored index: what is in files is what was in memory, and files that are missing, damaged or foreign only cost time."""

from __future__ import annotations

import asyncio
import json
import math
import random
import struct
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import row
from test_in_step import QUERIES, play, scores
from test_segment import seen, talks

import erstwhile
from erstwhile.index import index_state, part_file, storing
from erstwhile.index.index_state import read_state
from erstwhile.index.part import joined
from erstwhile.index.part_file import DamagedIndexFile, PartFile
from erstwhile.index.segment import Segment
from erstwhile.index.stored import IndexFiles, OpenedIndex
from erstwhile.search import embed, store_index
from erstwhile.search.terms import find_terms
from erstwhile.storage import Transaction
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock
from inside import SEARCHED, runtime
from support.nearness import cosine

SPACE = "default"
DIMENSIONS = 70  # no multiple of 64


def segment(rows: list[dict[str, Any]]) -> Segment:
    made = Segment(talk=True)
    made.add(rows)
    made.put_vectors([(each["doc"], each["vector"]) for each in rows if each["vector"]])
    return made


def written(folder: Path, part_rows: list[dict[str, Any]], room: int) -> PartFile:
    content = PartFile((joined([segment(part_rows).part()]), joined([Segment(talk=False).part()])))
    path = folder / f"{len(list(folder.iterdir()))}"
    with path.open("wb") as file:
        checksum = part_file.write(file, content, room)
    return part_file.read(path, checksum, check=True)


def cosines(made: Segment) -> dict[int, float]:
    query = np.linspace(-1, 1, DIMENSIONS).astype(np.float32)
    there = np.flatnonzero(made.columns["alive"])
    found = zip(made.columns["doc"][there].tolist(), cosine(made.matrix, query, there).tolist(), strict=True)
    return {doc: round(cosine, 5) for doc, cosine in found if not np.isnan(cosine)}


@given(rows=talks(), seed=st.integers(0, 10**6), mapped=st.booleans(), room=st.sampled_from([0, 5, 100]))
@settings(max_examples=60, deadline=None)
def test_files_hold_what_was_in_memory_and_joined_they_hold_it_without_what_is_gone(
    rows: list[dict[str, Any]], seed: int, mapped: bool, room: int
) -> None:
    dice = random.Random(seed)
    for each in rows:
        each["vector"] = dice.choice([None, dice.randbytes(DIMENSIONS)])
    cuts = sorted(dice.choices(range(len(rows) + 1), k=3))
    gone = sorted(dice.sample([each["doc"] for each in rows], dice.randrange(len(rows) + 1)))
    whole = segment(rows)
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(part_file, "MAPPED", 0 if mapped else 1 << 40)
        stretches = [rows[first:last] for first, last in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
        files = [written(Path(name), stretch, room) for stretch in stretches]
        used = Segment(talk=True)
        for file in files:
            used.use(file.parts[0])
        assert seen(used) == seen(whole)
        assert cosines(used) == cosines(whole)
        assert used.like("lantrn") == whole.like("lantrn")
        one = Segment(talk=True)
        one.use(joined_file(Path(name), files, gone).parts[0])
        for doc in gone:
            used.drop(doc)
        fresh = segment([each for each in rows if each["doc"] not in gone])
        later = [row(1000 + n, ["ferry"], channel="a", seq=1000 + n, until=1000 + n, at=10**12) for n in range(3)]
        for made in (used, one, fresh):
            made.add(later)
        assert seen(one) == seen(fresh) == seen(used)
        assert cosines(one) == cosines(fresh) == cosines(used)
        assert one.dead == 0


def joined_file(folder: Path, files: list[PartFile], gone: list[int]) -> PartFile:
    part = joined([file.parts[0] for file in files], np.array(gone, np.int64))
    path = folder / "joined"
    with path.open("wb") as file:
        checksum = part_file.write(file, PartFile((part, joined([Segment(talk=False).part()]))))
    return part_file.read(path, checksum)


def test_a_file_with_any_byte_changed_is_noticed(tmp_path: Path) -> None:
    rows = [row(doc, ["lantern", f"w{doc}"], vector=random.Random(doc).randbytes(DIMENSIONS)) for doc in range(1, 9)]
    content = PartFile((joined([segment(rows).part()]), joined([Segment(talk=False).part()])), np.array([77]))
    path = tmp_path / "file"
    with path.open("wb") as file:
        checksum = part_file.write(file, content)
    whole = path.read_bytes()
    part_file.read(path, checksum, check=True)
    described = json.loads(whole[(at := struct.unpack("<Q", whole[-36:-28])[0]) : -36])["arrays"].values()
    spans = [(each["at"], math.prod(each["used"]) * np.dtype(each["type"]).itemsize) for each in described]
    covered = {place for first, size in [*spans, (at, len(whole) - at)] for place in range(first, first + size)}
    assert len(covered) > 0.7 * len(whole), "the rest is between the arrays"
    for place in sorted(covered)[::7]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        with pytest.raises(DamagedIndexFile):
            part_file.read(path, checksum, check=True)
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(DamagedIndexFile):
            part_file.read(path, checksum)
    path.write_bytes(whole)
    with pytest.raises(DamagedIndexFile, match="not the file"):
        part_file.read(path, "00000000")
    with pytest.raises(DamagedIndexFile):
        part_file.read(tmp_path / "missing", checksum)


# In a database


@pytest.fixture(params=["read", "mapped"])
def soon(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Store what is new after three documents, and join files after twenty."""
    monkeypatch.setattr(index_state, "MUCH", 3)
    monkeypatch.setattr(storing, "_MERGE", 20)
    monkeypatch.setattr(storing, "_FILL", 30)
    monkeypatch.setattr(part_file, "MAPPED", 0 if request.param == "mapped" else 1 << 40)


@pytest.fixture
async def memory(database_url: str, clock: FixedClock, soon: None) -> AsyncIterator[erstwhile.Memory]:
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as memory:
        yield memory


def files_of(memory: erstwhile.Memory) -> IndexFiles:
    return IndexFiles(runtime(memory).database)


async def stored(memory: erstwhile.Memory) -> list[dict[str, Any]]:
    state = await runtime(memory).database.read(SPACE, read_state)
    return [dict(each) for each in state.rows]


async def say(memory: erstwhile.Memory, first: int, last: int, person: str = "mina") -> None:
    said = [
        {"role": "user", "person": person, "text": f"lantern {n} of {person}", "key": f"{n}"}
        for n in range(first, last)
    ]
    await memory.channel("chat").add_many(said)
    await memory.settle()


async def found(memory: erstwhile.Memory, query: str = "lantern") -> set[str]:
    return {hit.text for hit in await memory.search(query, limit=500, kinds=["message"])}


async def test_whatever_happens_a_stored_index_finds_what_one_in_memory_does(
    memory: erstwhile.Memory, database_url: str, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "trim", nothing_trimmed)  # what it is compared with is filled from the tables
    dice = random.Random(5)
    for _ in range(3):
        for _ in range(6):
            await play(memory, dice, clock)
            await memory.search(dice.choice(QUERIES))
        await say(memory, 0, 1 + dice.randrange(9))
        assert await stored(memory)
        async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as fresh:
            expected = {query: await scores(fresh, query) for query in QUERIES}
            assert runtime(fresh).recall.indexes.of(SPACE).stored
        with monkeypatch.context() as patch:
            patch.setattr(IndexFiles, "open", nothing_stored)
            async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as plain:
                for query in QUERIES:
                    reference = await scores(plain, query)
                    for got in (expected[query], await scores(memory, query)):
                        assert got.keys() == reference.keys()
                        assert got == pytest.approx(reference, abs=1e-5)
                assert not runtime(plain).recall.indexes.of(SPACE).stored


async def nothing_stored(files: IndexFiles, tx: Transaction) -> OpenedIndex:
    del files
    return OpenedIndex(await read_state(tx))


async def nothing_trimmed(*_: object) -> None: ...


async def rows_of(memory: erstwhile.Memory, sql: str) -> list[dict[str, Any]]:
    query = make("rows", sql, sql)
    return [dict(each) for each in await runtime(memory).database.read(SPACE, lambda tx: tx.all(query))]


async def test_terms_that_are_found_again_are_those_that_were_written(
    memory: erstwhile.Memory, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "trim", nothing_trimmed)
    dice = random.Random(7)
    for _ in range(20):
        await play(memory, dice, clock)
    await say(memory, 0, 25)
    await memory.remember("mina", "I am allergic to hazelnuts.")
    clock.advance(hours=30)
    await memory.settle()
    written = await rows_of(
        memory,
        f"SELECT d.id, d.kind, t.terms FROM {SEARCHED} d JOIN document_terms t ON t.space = d.space AND t.doc = d.doc"
        " WHERE d.space = :space",
    )
    assert len({each["kind"] for each in written}) > 3
    assert len(written) == len(await rows_of(memory, f"SELECT doc FROM {SEARCHED} d WHERE space = :space"))
    found = await runtime(memory).database.read(SPACE, lambda tx: find_terms(tx, written))
    assert found == {each["id"]: each["terms"] for each in written}


async def test_what_the_files_have_is_trimmed_from_the_tables_and_found_as_before(
    memory: erstwhile.Memory, database_url: str, clock: FixedClock
) -> None:
    """Also by one who last searched before the files were added."""
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as idle:
        await say(memory, 0, 12)
        assert await found(idle) == await found(memory)
        await say(memory, 12, 17)
        last = 17
        while last < 42 and (last < 22 or len(await stored(memory)) < 2):
            # Which file a memory goes to, and so when files are joined, depends on the order of jobs.
            await say(memory, last, last + 5)
            last += 5
        assert len(await stored(memory)) > 1
        assert len(await rows_of(memory, "SELECT doc FROM vectors WHERE space = :space")) >= last
        expected = await scores(memory, "where is lantern 13?")
        clock.advance(minutes=11)
        await memory.settle()
        left = await rows_of(memory, "SELECT doc FROM document_terms WHERE space = :space")
        vectors = await rows_of(memory, "SELECT doc FROM vectors WHERE space = :space")
        assert len(left) <= index_state.MUCH
        assert len(vectors) <= index_state.MUCH
        async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as fresh:
            for each in (memory, idle, fresh):
                assert await scores(each, "where is lantern 13?") == pytest.approx(expected, abs=1e-5)
                assert len(await found(each)) == last


async def test_lost_files_cost_terms_and_vectors_that_are_made_again(
    memory: erstwhile.Memory, database_url: str, clock: FixedClock
) -> None:
    await say(memory, 0, 22)
    expected = await scores(memory, "where is lantern 13?")
    clock.advance(minutes=11)
    await memory.settle()
    await damage(database_url, [each["file"] for each in await stored(memory)], "missing")
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as fresh:
        assert len(await found(fresh)) == 22, "by words, at once"
        await fresh.settle()
        assert await scores(fresh, "where is lantern 13?") == pytest.approx(expected, abs=1e-5)
        assert await stored(fresh)
        assert await files_of(fresh).check(SPACE) == []


async def test_files_are_added_and_then_joined(memory: erstwhile.Memory) -> None:
    counts, versions = [], set()
    for round in range(8):
        await say(memory, 5 * round, 5 * round + 5)
        rows = await stored(memory)
        counts.append(len(rows))
        versions.add(rows[-1]["version"])
        assert len(await found(memory)) == 5 * round + 5
    assert max(counts) > 1
    assert counts[-1] < 8
    assert len(versions) < 8, "files that are added don't replace others"


async def test_once_embedding_has_caught_up_the_index_is_stored_however_the_numbers_fall(
    memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "_PAGE", 10)
    monkeypatch.setattr(store_index, "may_be_due", lambda *_, **__: False)
    await say(memory, 0, 4)
    assert not await stored(memory)
    await say(memory, 4, 26)
    assert await stored(memory)


@pytest.mark.parametrize("harm", ["missing", "cut", "changed", "foreign"])
async def test_a_damaged_file_is_noticed_and_the_index_stored_again(
    memory: erstwhile.Memory, database_url: str, clock: FixedClock, harm: str
) -> None:
    await say(memory, 0, 12)
    before = await stored(memory)
    expected = await found(memory)
    assert len(expected) == 12
    await damage(database_url, [each["file"] for each in before], harm)
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as fresh:
        for _ in range(400):  # a mapped file is checked while it is in use
            assert await found(fresh) == expected
            if not {each["file"] for each in before} & {each["file"] for each in await stored(fresh)}:
                break
            await fresh.settle()
        await fresh.settle()
        after = await stored(fresh)
        assert after
        assert not {each["file"] for each in before} & {each["file"] for each in after}
        assert await files_of(fresh).check(SPACE) == []
        assert await found(fresh) == expected


async def damage(url: str, names: list[str], harm: str) -> None:
    if url.startswith("postgres"):
        change = {
            "missing": "DELETE FROM index_pieces",
            "cut": "DELETE FROM index_pieces WHERE at = (SELECT max(at) FROM index_pieces)",
            "changed": "UPDATE index_pieces SET data = set_byte(data, 5000, 255 - get_byte(data, 5000))",
            "foreign": "UPDATE index_files SET origin = 'another server'",
        }[harm]
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute(change)
        return
    for name in names:
        path = Path(f"{url}.index") / name
        whole = path.read_bytes()
        match harm:
            case "missing":
                path.unlink()
            case "cut":
                path.write_bytes(whole[: len(whole) // 2])
            case "changed":
                path.write_bytes(whole[:5000] + bytes([255 - whole[5000]]) + whole[5001:])
            case "foreign":
                path.write_bytes(b"SQLite format 3" + bytes(len(whole)))


async def test_what_is_erased_is_in_no_file(memory: erstwhile.Memory, database_url: str, tmp_path: Path) -> None:
    await say(memory, 0, 8)
    await say(memory, 8, 16, person="zephyrine")
    await say(memory, 16, 24)
    assert b"zephyrin" in await every_byte(database_url), "the control: its terms are in the vocabulary"
    vectors = await vector_of(memory, "lantern 9 of zephyrine")
    assert vectors in await every_vector(database_url, tmp_path)
    receipt = await memory.erase(person="zephyrine")
    assert receipt.checked
    assert b"zephyrin" not in await every_byte(database_url)
    assert vectors not in await every_vector(database_url, tmp_path)
    await memory.settle()
    assert await found(memory, "zephyrine") == set()
    assert len(await found(memory)) == 16
    await memory.erase(everything=True)
    assert await every_byte(database_url) == b""


async def test_what_is_erased_while_it_is_stored_is_not_stored(
    memory: erstwhile.Memory, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The erasure ends between the reading of what is new and the writing of it."""
    await say(memory, 0, 8)
    await memory.channel("chat").add("user", "my zephyrine", person="bob")
    write, loop = storing._write, asyncio.get_running_loop()

    def erased_first(*given: Any) -> Any:
        assert asyncio.run_coroutine_threadsafe(memory.erase(person="bob"), loop).result(60).checked
        return write(*given)

    with monkeypatch.context() as patch:
        patch.setattr(storing, "_write", erased_first)
        with pytest.raises(storing.FilesChanged):
            await storing.store(files_of(memory), SPACE, find_terms)
    assert b"zephyrin" not in await every_byte(database_url)
    await memory.settle()
    assert b"zephyrin" not in await every_byte(database_url)
    assert len(await found(memory)) == 8


async def every_byte(url: str) -> bytes:
    return b"".join(await every_file(url))


async def every_file(url: str) -> list[bytes]:
    if url.startswith("postgres"):
        async with await psycopg.AsyncConnection.connect(url) as connection:
            rows = await connection.execute("SELECT string_agg(data, '' ORDER BY at) FROM index_pieces GROUP BY file")
            return [each[0] for each in await rows.fetchall()]
    folder = Path(f"{url}.index")
    return [path.read_bytes() for path in folder.iterdir()] if folder.exists() else []


async def every_vector(url: str, folder: Path) -> list[bytes]:
    """Those in the files, which are packed."""
    found = []
    for data in await every_file(url):
        (folder / "copy").write_bytes(data)
        *_, told, _ = part_file._END.unpack(data[-part_file._END.size :])
        content = part_file.read(folder / "copy", f"{told:08x}")
        held = [part.vectors["bytes"] for part in content.parts if part.filled]
        found += [row.tobytes() for rows in held for row in rows]
        found += [row.tobytes() for row in content.late[1]] if content.late else []
    return found


async def vector_of(memory: erstwhile.Memory, text: str) -> bytes:
    from erstwhile.index.columns import packed

    embedder = runtime(memory).embedder
    assert embedder is not None
    return packed(await embedder.embed([text]))[0]


async def test_files_that_nobody_names_are_removed(memory: erstwhile.Memory, database_url: str) -> None:
    if database_url.startswith("postgres"):
        pytest.skip("a file there is rows, and these go with their transaction")
    await say(memory, 0, 12)
    folder = Path(f"{database_url}.index")
    named = {each["file"] for each in await stored(memory)}
    (folder / "idx_left").write_bytes(b"left over")
    await files_of(memory).sweep()
    assert (folder / "idx_left").exists(), "it may be being written right now"
    await files_of(memory).sweep(age=0)
    assert {each.name for each in folder.iterdir()} == named
