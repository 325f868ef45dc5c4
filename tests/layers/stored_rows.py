"""What the layers have stored, and conversations to make it from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import erstwhile
from erstwhile.storage import Row
from erstwhile.storage.queries import make
from erstwhile.testing import Call, ModelServer
from erstwhile.testing.answers import step
from inside import SEARCHED, runtime

_TABLES = {
    "chunks": "SELECT c.*, coalesce(m.text, '') AS text, m.writer, coalesce(m.draft, 0) AS draft, coalesce(m.stale, 0) AS stale,"
    " m.from_at, m.to_at, m.created_at, m.edited_at, m.edited_by FROM chunks c"
    " LEFT JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL"
    " WHERE c.space = :space ORDER BY c.level, c.channel, c.first_seq",
    "facts": "SELECT * FROM memories WHERE space = :space AND kind = 'fact' AND deleted_at IS NULL"
    " ORDER BY channel, first_seq, position",
    "extracts": "SELECT * FROM readings WHERE space = :space AND kind = 'fact' ORDER BY channel, first_seq",
    "structured": "SELECT m.*, t.thread FROM memories m LEFT JOIN structured_threads t ON t.space = m.space AND t.id = m.id"
    " WHERE m.space = :space AND m.kind = 'structured' AND m.deleted_at IS NULL ORDER BY m.channel, m.first_seq, m.position",
    "structurings": "SELECT * FROM readings WHERE space = :space AND kind = 'structured' ORDER BY channel, first_seq",
    "documents": f"SELECT id, kind, channel, person, at FROM {SEARCHED} d WHERE space = :space ORDER BY id",
}
_queries = {name: make(name, sql, sql) for name, sql in _TABLES.items()}


async def rows(memory: erstwhile.Memory, table: str, space: str = "default") -> list[Row]:
    """Of memories, also what their layer keeps in `data`, each by its name."""
    found = await runtime(memory).database.read(space, lambda tx: tx.all(_queries[table]))
    return [{**row, **json.loads(row.get("data") or "{}")} for row in found]


async def ranges(memory: erstwhile.Memory, level: int = 0, space: str = "default") -> list[tuple[int, int]]:
    found = await rows(memory, "chunks", space)
    return [(row["first_seq"], row["last_seq"]) for row in found if row["level"] == level]


async def texts(memory: erstwhile.Memory, table: str = "facts") -> list[str]:
    return [row["text"] for row in await rows(memory, table)]


def said(count: int, start: int = 1) -> list[dict[str, Any]]:
    """Messages with something to remember in each."""
    people = ("alice", "bob")
    return [
        {
            "role": "user",
            "person": people[n % 2],
            "name": people[n % 2].title(),
            "text": f"I own {n} red lanterns from a market in Busan.",
        }
        for n in range(start, start + count)
    ]


def calls(server: ModelServer, kind: str) -> list[Call]:
    """The calls of one step: summarise, extract, structure or condense."""
    return [call for call in server.calls if step(call.system) == kind]


def even(first: int, last: int, size: int) -> list[tuple[int, int]]:
    return [(start, start + size - 1) for start in range(first, last + 1, size)]


def gaps(found: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where one range does not begin right after the one before it."""
    for before, after in pairwise(found):
        if after[0] != before[1] + 1:
            yield before, after


async def calm(memory: erstwhile.Memory, clock: Any, *, hours: float = 2, rounds: int = 60) -> erstwhile.Settled:
    """Settles until nothing waits, moving the clock past every backoff."""
    settled = await memory.settle()
    for _ in range(rounds):
        if not settled.waiting:
            break
        clock.advance(hours=hours)
        settled = await memory.settle()
    return settled
