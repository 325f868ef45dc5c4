"""The queries that every search runs go through an index of their space, and read of a large space only what they need."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from notes import query

from erstwhile.events.store import queries as events
from erstwhile.index.documents import queries as index
from erstwhile.jobs.store import queries as jobs
from erstwhile.log.store import queries as log
from erstwhile.memories.store import queries as memories
from erstwhile.storage import EVERYWHERE, Database, Transaction
from erstwhile.storage.queries import Query, make
from inside import SEARCHED
from owner import as_owner

# Each with what it is given, and the columns that an index must narrow it by.
HOT: dict[str, tuple[Query, dict[str, Any], str]] = {
    "feed": (index.feed, {"documents": 10**15, "gone": 10**15, "vectors": 10**15}, "space"),
    "marks": (index.marks, {}, "space"),
    "message_page": (index.message_page, {"after": 10, "limit": 100}, "space"),
    "memory_page": (index.memory_page, {"after": 10, "limit": 100}, "space"),
    "by_docs": (index.by_docs, {"docs": json.dumps(list(range(60)))}, "doc"),
    "ranked": (index.ranked, {"docs": json.dumps(list(range(60)))}, "doc"),
    "memories": (
        index.memories,
        {"before": 10**15, "kinds": None, "channel": None, "person": None, "limit": 50},
        "space",
    ),
    "events": (events.page, {"stamp": 10, "number": 0, "limit": 200}, "space"),
    "unembedded": (index.unembedded, {"limit": 500, "first": 10, "last": 600}, "space"),
    "remove_documents": (index.remove_documents, {"ids": '["msg_1"]'}, "space"),
    "ids_in": (log.ids_in, {"ranges": json.dumps([["chat", 3, 9], ["chat", 20, 20]]), "role": None}, "seq"),
    "named_in": (log.named_in, {"text": "Where is Mina?", "lower": "where is mina?"}, "space"),
    "by_ids": (log.by_ids, {"ids": '["msg_1", "msg_2"]'}, "id"),
    "between": (log.between, {"channel": "chat", "first": 3, "last": 9}, "seq"),
    "counts": (log.count_in_time, {"since": 100, "until": 200}, "at"),
    "said_between": (log.said_between, {"since": 100, "until": 200, "limit": 1000}, "at"),
    "by_day": (log.by_day, {"since": 100, "until": 2 * 86_400_000_000, "length": 86_400_000_000}, "at"),
    "kinds_by_day": (
        index.kinds_by_day,
        {"kinds": '["chunk", "fact"]', "since": 100, "until": 2 * 86_400_000_000, "length": 86_400_000_000},
        "at",
    ),
    "latest": (log.latest, {"channel": "chat", "limit": 20}, "channel"),
    "move_channels": (
        log.move_channels,
        {"channel": "chat", "last_seq": 7, "rows": '[{"channel": "chat", "last_seq": 7}]'},
        "channel",
    ),
    "blocked": (log.blocked, {}, "space"),
    "latest facts": (memories.latest_shown, {"kind": "fact", "channel": "chat", "limit": 400}, "channel"),
    "channels_of": (log.channels_of, {"person": "p1"}, "person"),
    "about": (memories.about, {"kinds": '["profile", "told"]', "people": '["p1", "p2"]'}, "person"),
    "made_from": (memories.made_from, {"ids": '["nte_1"]'}, "source"),
    "old profile facts": (memories.old_unedited, {"kind": "profile", "before": 10, "limit": 100}, "at"),
}
SIZE = 20_000
NUMBERS = {
    "sqlite": f"WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {SIZE}) ",
    "postgres": f"WITH s(n) AS (SELECT generate_series(1, {SIZE})) ",
}
FILLED = (
    "INSERT INTO messages (doc, space, channel, seq, id, role, text, at, meta, created_at, checksum, traits) "
    "{s} SELECT {first} + n, :space, 'chat', n, 'msg_' || n, 'user', 'x', n, '{{}}', 0, 0, 0 FROM s",
    "INSERT INTO documents (doc, space, id, kind, channel, at, seq, until, traits) "
    "{s} SELECT {first} + 50000 + n, :space, 'chk_' || n, CASE n % 2 WHEN 0 THEN 'chunk' ELSE 'fact' END, 'chat', n, n, n, 0 FROM s",
    f"INSERT INTO document_terms (space, doc, terms) SELECT space, doc, 'x' FROM {SEARCHED} d WHERE space = :space",
    f"INSERT INTO vectors (space, doc, vector) SELECT space, doc, {{blob}} FROM {SEARCHED} d WHERE space = :space",
    f"INSERT INTO unembedded (space, doc, until) SELECT space, doc, doc FROM {SEARCHED} d WHERE space = :space",
    "INSERT INTO documents_gone (space, doc) {s} SELECT :space, 10000000 + n FROM s",
    "INSERT INTO people (space, person, created_at) {s} SELECT :space, 'p' || n, 0 FROM s",
    "INSERT INTO memories (space, id, kind, person, category, importance, position, title, text, channel, data, at, writer, draft,"
    " stale, created_at) "
    "{s} SELECT :space, 'prf_' || n, 'profile', 'p' || n, 'bio', 0, 0, '', 'x', 'chat', '', n, 'x', 0, 0, 0 FROM s",
    "INSERT INTO names (space, person, name, first_at, last_at) {s} SELECT :space, 'p' || n, 'P' || n, 0, 0 FROM s",
)


@pytest.fixture
async def large(database: Database) -> Database:
    async def fill(tx: Transaction) -> None:
        blob = "x'01'" if tx.dialect == "sqlite" else r"'\x01'::bytea"
        for sql in FILLED:
            await tx.run(query(sql.format(s=NUMBERS[tx.dialect], blob=blob, first=first[tx.space])))

    first = {"default": 0, "other": 200_000}
    for space in ("default", "other"):
        await database.write(space, fill)
    await as_owner(database, "ANALYZE")
    return database


async def careless(tx: Transaction, name: str) -> list[str]:
    """What is read without the index it should go through."""
    wanted, params, column = HOT[name]
    sqlite = tx.dialect == "sqlite"
    statements = wanted.sqlite.split(";") if sqlite else [wanted.postgres]
    steps: list[str] = []
    for sql in statements:
        if sql.strip():
            told = _changed(wanted, f"EXPLAIN {'QUERY PLAN ' if sqlite else ''}{sql}", "")
            given = {key: value for key, value in params.items() if re.search(rf"[:(]{key}\b", sql)}
            steps += [str(row.get("detail") or row.get("QUERY PLAN")) for row in await tx.all(told, **given)]
    found = _careless_in_sqlite(steps, column) if sqlite else _careless_in_postgres(steps, column)
    return [*found, *steps] if found else []


def _changed(wanted: Query, sql: str, comment: str) -> Query:
    """A query with the parameters of another, which is not translated again."""
    wanted.takes  # noqa: B018 - read before the copy: it is what the other takes
    told = copy.copy(wanted)
    vars(told).update(sqlite=sql, postgres=sql, comment=comment)
    return told


def _careless_in_sqlite(steps: list[str], column: str) -> list[str]:
    reads = [
        step
        for step in steps
        if re.match(r"(SCAN|SEARCH) (?!CONSTANT ROW|(r|k|d|days)\b|json_each|\(subquery|\d)", step)
    ]
    good = [step for step in reads if "(space=?" in step or "(rowid=?)" in step]
    narrow = [step for step in good if re.search(rf"\b{column}[=><]", step) or "(rowid=?)" in step]
    return [] if reads and good == reads and narrow else [f"not by {column}:"]


def _careless_in_postgres(steps: list[str], column: str) -> list[str]:
    tables = r"(documents|messages|vectors|unembedded|people|names)"
    reads = [at for at, step in enumerate(steps) if re.search(rf"Scan .*\bon {tables}", step) and "Heap" not in step]
    conditions = [steps[at + 1] for at in reads]
    good = [each for each in conditions if "Index Cond:" in each and "space = " in each]
    narrow = [each for each in good if re.search(rf"\b{column} (=|>|<)", each)]
    return [] if good == conditions and (narrow or not reads) else [f"not by {column}:"]


async def test_hot_queries_go_through_an_index_of_their_space(large: Database) -> None:
    async def every(tx: Transaction) -> dict[str, list[str]]:
        return {name: found for name in HOT if (found := await careless(tx, name))}

    found = await large.write("default", every)
    assert not found, "\n".join(line for name, steps in found.items() for line in [name, *steps])


@pytest.mark.parametrize("where", ["channel = :space", "space = :space AND seq = 7"])
async def test_the_test_would_notice_a_scan(database: Database, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    sql = f"SELECT doc FROM documents WHERE {where}"
    monkeypatch.setitem(HOT, "careless", (make("careless", sql, sql), {}, "at"))
    assert await database.write("default", lambda tx: careless(tx, "careless"))


# Each with what it is given, what it goes along, and where it looks.
ORDERED: dict[str, tuple[Query, dict[str, Any], str, str]] = {
    "due": (jobs.due, {"now": 10, "real_now": 10, "limit": 4}, "jobs_due", EVERYWHERE),
    "next_due": (jobs.next_due, {"now": 10, "real_now": 10}, "jobs_due", EVERYWHERE),
    "waiting_ranges": (index.waiting_ranges, {"limit": 500}, r"unembedded_pkey|USING PRIMARY KEY", "default"),
}


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize("name", list(ORDERED))
async def test_what_waits_is_read_in_order_without_sorting_all_of_it(
    database: Database, name: str, statistics: bool
) -> None:
    """An import enqueues thousands of jobs that are due at the same moment, and documents to embed. Postgres may not
    have statistics of them yet."""
    wanted, params, by, space = ORDERED[name]

    async def fill(tx: Transaction) -> None:
        for sql in (
            "INSERT INTO jobs (space, kind, key, id, payload, state, due_at, attempts, token, beat, created_at) "
            "{s} SELECT :space, 'k', CAST(n AS TEXT), 'job_' || n, '', 'waiting', 5, 0, 1, 0, 0 FROM s",
            "INSERT INTO unembedded (space, doc, until) {s} SELECT :space, n, n FROM s",
        ):
            await tx.run(query(sql.format(s=NUMBERS[tx.dialect])))

    async def plan(tx: Transaction) -> str:
        explain = "EXPLAIN QUERY PLAN" if tx.dialect == "sqlite" else "EXPLAIN"
        told = _changed(wanted, f"{explain} {getattr(wanted, tx.dialect)}", wanted.comment)
        rows = await tx.all(told, **params)
        return "\n".join(str(row.get("detail") or row.get("QUERY PLAN")) for row in rows)

    await database.write("default", fill)
    if statistics:
        await as_owner(database, "ANALYZE")
    found = await database.write(space, plan)
    assert re.search(by, found), found
    below_the_limit = found.partition("Limit")[2] or found
    assert not re.search(r"TEMP B-TREE|\bSort\b|(Bitmap Heap|Seq) Scan on (jobs|unembedded)", below_the_limit), found
