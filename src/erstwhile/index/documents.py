"""Documents on disk: written in the transaction that writes the message or memory, read as a feed of changes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from erstwhile.index import flags
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

_LONGEST = 16_000  # terms of one document
_PAGE = 16_384
_TOLD = ("id", "kind", "channel", "person", "seq", "until")


@dataclass(frozen=True, slots=True)
class Document:
    """`seq` to `until` are the messages it comes from; `question`: it asks rather than tells. `words` are a memory's own, to be looked
    through for what speaks against it; they are not kept here."""

    id: str
    kind: str
    at: int
    terms: Sequence[str]
    channel: str | None = None
    person: str | None = None
    seq: int | None = None
    until: int | None = None
    question: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look. None means everywhere in the space. `since` and `until` (which is no longer within) in microseconds; `writer` is whose
    words a memory has, which no message has."""

    channel: str | None = None
    person: str | None = None
    kinds: tuple[str, ...] | None = None
    since: int | None = None
    until: int | None = None
    writer: str | None = None


@dataclass(frozen=True, slots=True)
class Marks:
    """How far a reader of the feed has come."""

    documents: int = 0
    gone: int = 0
    vectors: int = 0

    def earlier(self, other: Marks) -> Marks:
        """The earlier of each."""
        return Marks(min(self.documents, other.documents), min(self.gone, other.gone), min(self.vectors, other.vectors))


async def add(tx: Transaction, documents: Sequence[Document]) -> None:
    """The feed is told of memories here, and in `remove`; of messages where they are appended."""
    rows = [_row(document) for document in documents]
    await tx.run_many(queries.add_documents, rows)
    memories = [{name: row[name] for name in _TOLD} for row in rows if row["kind"] != "message"]
    if memories:
        await tx.run_many(queries.tell_added, memories)
        await flags.mark(tx, [(each.id, each.words, each.at) for each in documents if each.kind != "message"])


async def add_rows(tx: Transaction, rows: Sequence[dict[str, Any]]) -> None:
    """Store rows of an export as they were."""
    await tx.run_many(queries.add_documents, rows)


async def remove(tx: Transaction, ids: Sequence[str]) -> None:
    if ids:
        await tx.run(queries.remove_documents, ids=json.dumps(list(ids)))
        await flags.unmark(tx, ids)


async def empty(tx: Transaction) -> None:
    await tx.run(queries.all_gone)
    await tx.run(queries.empty_unembedded)
    await tx.run(queries.empty_vectors)
    await tx.run(queries.empty_documents)
    await tx.run(queries.empty_flags)


async def feed(tx: Transaction, marks: Marks) -> tuple[list[Row], Marks]:
    """What changed since, documents in the order they were written; and where to go on next time."""
    rows = await tx.all(queries.feed, documents=marks.documents, gone=marks.gone, vectors=marks.vectors)
    if not rows:
        return [], marks
    rows = sorted(rows, key=lambda row: (row["what"], row["doc"]))
    if tx.dialect == "postgres":
        until = rows[0]["mark"]
        return rows, Marks(until, until, until)
    ends = [max((row["mark"] for row in rows if row["what"] == what), default=0) for what in range(3)]
    return rows, Marks(max(marks.documents, ends[0]), max(marks.gone, ends[1]), max(marks.vectors, ends[2]))


async def let_go(tx: Transaction, number: int) -> None:
    """Everything that was there is gone; `number` is that of the erasure, greater than any before."""
    await tx.run(queries.let_go, doc=-number)


async def now(tx: Transaction) -> tuple[Marks, str, int]:
    """Where the feed stands, whose vectors there are, and when last everything was gone: below 0, and less each time."""
    row = await tx.first(queries.marks)
    assert row is not None
    return Marks(row["documents"], row["gone"], row["vectors"]), row["embedder"], row["emptied"]


async def pages(tx: Transaction) -> AsyncIterator[list[Row]]:
    """Every document with its vector."""
    after = 0
    while rows := await tx.all(queries.page, after=after, limit=_PAGE):
        yield rows
        after = rows[-1]["doc"]


async def hold(tx: Transaction, id: str) -> None:
    """Until the commit nobody else changes what it is of."""
    await tx.first(queries.hold, id=id)


async def number(tx: Transaction, id: str) -> int | None:
    row = await tx.first(queries.number, id=id)
    return row["doc"] if row else None


async def ids_from(tx: Transaction, first: str, last: str, limit: int) -> list[str]:
    """List the ids of documents from `first` to `last`, both included."""
    rows = await tx.all(queries.ids_from, first=first, last=last, limit=limit)
    return [row["id"] for row in rows]


async def newest(tx: Transaction, scope: Scope, before: int, limit: int) -> list[Row]:
    """A page, from the newest back; messages only if their kind is asked for."""
    query = queries.everything if "message" in (scope.kinds or ()) else queries.memories
    kinds = None if scope.kinds is None else json.dumps(scope.kinds)
    return await tx.all(query, kinds=kinds, channel=scope.channel, person=scope.person, before=before, limit=limit)


async def by_docs(tx: Transaction, docs: Sequence[int]) -> dict[int, Row]:
    rows = await tx.all(queries.by_docs, docs=json.dumps(list(docs))) if docs else []
    return {row["doc"]: row for row in rows}


def _row(document: Document) -> dict[str, Any]:
    return {
        "id": document.id,
        "kind": document.kind,
        "channel": document.channel,
        "person": document.person,
        "at": document.at,
        "seq": document.seq,
        "until": document.seq if document.until is None else document.until,
        "question": int(document.question),
        "terms": " ".join(document.terms[:_LONGEST]),
    }
