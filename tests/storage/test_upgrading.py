"""A database whose search documents are to be made anew, as a migration may ask for, finds all of it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from notes import query

import erstwhile
from erstwhile.base.settings import load
from erstwhile.index import documents
from erstwhile.layers.summaries.model import Range
from erstwhile.storage import Transaction, migrate
from erstwhile.testing import FixedClock
from erstwhile.wiring import open_database

AT = 1_772_000_000_000_000
SPACES = ("default", "other")
CHUNK = Range("chat", level=0, number=1, first=1, last=10)

ROWS = {
    "spaces": "INSERT INTO spaces (space, created_at) VALUES (:space, {at})",
    "channels": "INSERT INTO channels (space, channel, last_seq, created_at) VALUES (:space, 'chat', 12, {at})",
    "people": "INSERT INTO people (space, person, created_at) VALUES (:space, 'mina', {at})",
    "names": "INSERT INTO names (space, person, name, first_at, last_at) VALUES (:space, 'mina', 'Mina', {at}, {at})",
    "memories": "INSERT INTO memories (space, id, kind, channel, first_seq, last_seq, position, seq, person, text, at, writer, draft,"
    " created_at, category, importance, title, stale, data) VALUES (:space, 'fct_of_{space}', 'fact', 'chat', 1, 10, 1, 3, 'mina',"
    " 'Mina of {space} plays the theremin.', {at}, 'x', 1, {at}, 'other', 1, '', 0, '')",
    "summaries": "INSERT INTO memories (space, id, kind, channel, first_seq, last_seq, position, text, at, from_at, to_at, writer, draft,"
    " created_at, category, importance, title, stale, data) VALUES (:space, '{chunk}', 'chunk', 'chat', 1, 10, 0,"
    " 'Talk of {space} about parrots.', {at}, {at}, {at}, 'x', 1, {at}, '', 0, '', 0, '')",
    "chunks": "INSERT INTO chunks (space, channel, level, first_seq, last_seq, number, id) VALUES (:space, 'chat', 0, 1, 10, 1, '{chunk}')",
    "jobs": "INSERT INTO jobs (space, kind, key, id, payload, state, due_at, attempts, token, beat, created_at)"
    " VALUES (:space, 'index.remake', '', 'job_remake_{space}', '{{}}', 'waiting', 0, 0, 1, 0, {at})",
}
MESSAGE = (
    "INSERT INTO messages (doc, traits, space, channel, seq, id, role, person, name, text, at, meta, created_at, checksum)"
    " VALUES ({doc}, 0, :space, 'chat', {seq}, 'msg_{space}_{seq}', 'user', 'mina', 'Mina', 'lantern {seq} of {space}',"
    " {at}, '{{}}', {at}, 0)"
)


async def told(tx: Transaction) -> None:
    for sql in ROWS.values():
        await tx.run(query(sql.format(at=AT, space=tx.space, chunk=CHUNK.id(tx.space))))
    for seq, doc in enumerate(await documents.reserve(tx, 12), start=1):
        await tx.run(query(MESSAGE.format(seq=seq, doc=doc, at=AT + seq, space=tx.space)))


@pytest.fixture(params=["sqlite", "postgres"])
async def old_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """With rows, without documents of memories, and without terms."""
    url = str(request.getfixturevalue("bare_postgres")) if request.param == "postgres" else str(tmp_path / "old.db")
    database = open_database(load(database=url))
    await database.open()
    await migrate.migrate(database)
    for space in SPACES:
        await database.write(space, told)
    await database.close()
    return url


async def test_a_database_without_documents_finds_its_messages_and_memories_once_they_are_made(
    old_url: str, clock: FixedClock
) -> None:
    async with erstwhile.open(old_url, clock=clock, worker=False, embedder="vectors") as memory:
        assert len(await memory.search("lantern", limit=50)) == 12, "a message is its own document"
        assert await memory.search("theremin") == [], "not yet"
        new = await memory.channel("chat").add("user", "a new lantern", person="mina")
        assert new.id in [hit.id for hit in await memory.search("lantern", limit=50)]
        await memory.settle()
        for space in SPACES:
            hits = await memory.search("lantern", space=space, kinds=["message"], limit=50)
            old = {hit.id for hit in hits} - {new.id}
            assert old == {f"msg_{space}_{seq}" for seq in range(1, 13)}
            (fact,) = await memory.search("theremin", space=space, kinds=["fact"])
            assert (fact.id, fact.sources) == (f"fct_of_{space}", (f"msg_{space}_3",))
            (chunk,) = await memory.search("parrots", space=space, kinds=["chunk"])
            assert chunk.id == CHUNK.id(space)
            assert len(chunk.sources) == 10
        assert new.id in [hit.id for hit in await memory.search("lantern", limit=50)]
        jobs = [job for space in SPACES for job in await memory.jobs.list(space=space, state="waiting")]
        assert not [job for job in jobs if job.kind in ("index.remake", "log.reindex")]


async def test_the_remaking_is_done_once(old_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(old_url, clock=clock, worker=False) as memory:
        await memory.settle()
        before = await memory.search("lantern theremin parrots", limit=100)
        assert len(before) >= 14
    async with erstwhile.open(old_url, clock=clock, worker=False) as memory:
        await memory.settle()
        assert await memory.search("lantern theremin parrots", limit=100) == before
