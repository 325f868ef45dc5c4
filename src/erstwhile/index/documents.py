"""Search documents in the database: written in the transaction that writes the message or memory, read as a feed of changes.

A message is its own document, a row of the log with a number (`doc`) and traits. A memory has a row of `documents`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from operator import itemgetter
from typing import Any, cast

from erstwhile.base.ids import PREFIXES
from erstwhile.base.records import dataclass
from erstwhile.index import flags
from erstwhile.storage import Row, Transaction, column
from erstwhile.storage.queries import load

queries = load(__package__)

# Returns the terms of documents by id, found in their texts.
FindTerms = Callable[[Transaction, Sequence[Row]], Awaitable[Mapping[str, str]]]

_LONGEST = 16_000  # terms of one document
_TRIMMED = 4096  # rows that are deleted in one transaction
_FILES = 4  # what a row of the feed is: that of the stored files
_PAGE = 16_384
_MESSAGE = f"{PREFIXES['message']}_"
_EVENT = ("id", "kind", "channel", "person", "seq", "until")


@dataclass(frozen=True, slots=True)
class Document:
    """A memory as search knows it. `seq` to `until` are the messages it comes from; `traits`: see `index.traits`. `words`
    are its own, to be checked for reasons to flag it; they are not stored here. `unverified`: see `index.flags`."""

    id: str
    kind: str
    at: int
    terms: Sequence[str]
    channel: str | None = None
    person: str | None = None
    seq: int | None = None
    until: int | None = None
    traits: int = 0
    words: str = ""
    unverified: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to search. None is everywhere in the space. `since` and `until` (exclusive) are microseconds; `writer` is who
    wrote a memory; messages have none. `trust`: the lowest tier."""

    channel: str | None = None
    person: str | None = None
    kinds: tuple[str, ...] | None = None
    since: int | None = None
    until: int | None = None
    writer: str | None = None
    trust: int | None = None


@dataclass(frozen=True, slots=True)
class MessageDocument:
    """What search knows of a message besides its row in the log."""

    id: str
    traits: int
    terms: str


@dataclass(frozen=True, slots=True)
class WaitingRanges:
    """Ranges of documents that wait for a vector, each (`doc`, `until`). `done` were read whole; of `cut` what begins at
    the new number that is given with it still waits. `more`: others wait too."""

    done: Sequence[tuple[int, int]] = ()
    cut: Mapping[int, int] = field(default_factory=dict)
    more: bool = False


@dataclass(frozen=True, slots=True)
class Marks:
    """How far a reader of the feed has come."""

    documents: int = 0
    gone: int = 0
    vectors: int = 0

    def earlier(self, other: Marks) -> Marks:
        """Return the earlier of each mark."""
        return Marks(
            min(self.documents, other.documents),
            min(self.gone, other.gone),
            min(self.vectors, other.vectors),
        )

    def behind(self, other: Marks) -> bool:
        """Return whether one of the marks is earlier than that of the other."""
        return self.earlier(other) != other


async def add(tx: Transaction, documents: Sequence[Document]) -> None:
    """Add documents of memories, with an event for each."""
    rows = [_row_of(document) for document in documents]
    await add_rows(tx, rows)
    if rows:
        await _tell(tx, "added", rows)
        doubted = {each.id for each in documents if each.unverified}
        await flags.mark(tx, [(each.id, each.words, each.at) for each in documents], doubted)


async def add_rows(tx: Transaction, rows: Sequence[dict[str, Any]]) -> None:
    """Add documents of memories as they are stored, without an event."""
    await tx.run_many(queries.add_documents, rows)


async def reserve(tx: Transaction, count: int) -> Sequence[int]:
    """Return so many numbers for documents of messages, in order. No other document has or gets them."""
    row = await tx.first(queries.reserve, count=count)
    assert row is not None
    if tx.dialect == "postgres":  # others may reserve at the same time, and get numbers in between
        return [int(each) for each in row["numbers"].split()]
    return range(row["last"] - count + 1, row["last"] + 1)


async def add_messages(tx: Transaction, terms: Sequence[Mapping[str, Any]]) -> None:
    """Make messages with these numbers, which were reserved, searchable: the terms of each."""
    await tx.run_many(queries.add_terms, terms)
    first, last = terms[0]["doc"], terms[-1]["doc"]
    await tx.run_many(queries.wait_for_vectors, [{"doc": first, "until": last}])


async def remove(tx: Transaction, ids: Sequence[str]) -> None:
    """Remove documents of memories. Those of messages are forgotten with their rows."""
    if ids:
        gone = await tx.all(queries.remove_documents, ids=json.dumps(list(ids)))
        if gone:
            await forget(tx, [row["doc"] for row in gone])
            await _tell(tx, "removed", sorted(gone, key=itemgetter("doc")))
        await flags.unmark(tx, ids)


async def forget(tx: Transaction, docs: Sequence[int]) -> None:
    """Remove documents by their numbers."""
    chosen = json.dumps(list(docs))
    for query in (queries.docs_gone, queries.drop_terms_of, queries.drop_vectors_of):
        await tx.run(query, docs=chosen)


async def _tell(tx: Transaction, action: str, rows: Sequence[Mapping[str, Any]]) -> None:
    from erstwhile.events import store as events  # who only searches writes none

    told = [{"action": action, **{name: row[name] for name in _EVENT}} for row in rows]
    await events.emit_many(tx, told)


async def empty(tx: Transaction) -> None:
    """Remove the documents of all memories."""
    await tx.run(queries.all_gone)
    await tx.run(queries.empty_terms)
    await tx.run(queries.empty_memory_vectors)
    await tx.run(queries.empty_documents)
    await tx.run(queries.empty_flags)


async def feed(tx: Transaction, marks: Marks, find_terms: FindTerms) -> tuple[list[Row], Marks]:
    """Return what changed since the marks, documents in the order they were written, and the next marks."""
    rows = await tx.all(
        queries.feed, documents=marks.documents, gone=marks.gone, vectors=marks.vectors
    )
    if not rows:
        return [], marks
    rows = sorted(
        await _with_terms(tx, rows, find_terms), key=lambda row: (row["what"], row["doc"])
    )
    if tx.dialect == "postgres":
        until = rows[0]["mark"]
        return rows, Marks(until, until, until)
    ends = [
        max((row["mark"] for row in rows if row["what"] == what), default=0) for what in range(3)
    ]
    return rows, Marks(
        max(marks.documents, ends[0]), max(marks.gone, ends[1]), max(marks.vectors, ends[2])
    )


def trimmed(rows: Sequence[Row]) -> Marks:
    """Return up to which marks the tables are trimmed. Whoever uses the stored files and has read less opens them again."""
    files = next((row for row in rows if row["what"] == _FILES), None)
    return Marks() if files is None else Marks(files["seq"], 0, files["until"])


async def trim(tx: Transaction, marks: Marks, *, vectors: bool) -> bool:
    """Delete some of the terms, and vectors, that the stored index has. Returns whether there may be more."""
    await tx.run(queries.mark_trimmed, what=2 if vectors else 1)
    deleted = [await tx.run(queries.trim_terms, mark=marks.documents, limit=_TRIMMED)]
    if vectors:
        deleted.append(await tx.run(queries.trim_vectors, mark=marks.vectors, limit=_TRIMMED))
    return max(deleted) == _TRIMMED


async def _with_terms(tx: Transaction, rows: list[Row], find_terms: FindTerms) -> list[Row]:
    """Add the terms of documents that have none in the table. Only rows of documents have an id."""
    lacking = [row for row in rows if row["terms"] is None and row["id"] is not None]
    if not lacking:
        return rows
    found = {row["id"]: "" for row in lacking} | dict(await find_terms(tx, lacking))
    return [{**row, "terms": found[row["id"]]} if row["id"] in found else row for row in rows]


async def mark_all_gone(tx: Transaction, number: int) -> None:
    """Record that everything was erased; `number` is that of the erasure, greater than any before."""
    await tx.run(queries.mark_all_gone, doc=-number)


async def now(tx: Transaction) -> tuple[Marks, str, int]:
    """Return the marks of now, the embedder of the vectors, and the number of the last erasure of everything: below 0,
    and less each time."""
    row = await tx.first(queries.marks)
    assert row is not None
    return Marks(row["documents"], row["gone"], row["vectors"]), row["embedder"], row["emptied"]


async def pages(tx: Transaction, find_terms: FindTerms) -> AsyncIterator[list[Row]]:
    """Yield every document with its vector: messages, then memories, each in the order of their numbers."""
    for query in (queries.message_page, queries.memory_page):
        after = 0
        while rows := await tx.all(query, after=after, limit=_PAGE):
            yield await _with_terms(tx, rows, find_terms)
            after = rows[-1]["doc"]


async def hold(tx: Transaction, id: str) -> None:
    """Keep others from changing the memory of this document until the commit."""
    await tx.first(queries.hold, id=id)


async def number(tx: Transaction, id: str) -> int | None:
    row = await tx.first(queries.number, id=id)
    return row["doc"] if row else None


async def ids_from(tx: Transaction, first: str, last: str, limit: int) -> list[str]:
    """List the ids of documents from `first` to `last`, both included."""
    rows = await tx.all(queries.ids_from, first=first, last=last, limit=limit)
    return [row["id"] for row in rows]


async def newest(tx: Transaction, scope: Scope, before: int, limit: int) -> list[Row]:
    """Return a page, the newest first; messages only if their kind is wanted."""
    query = queries.everything if "message" in (scope.kinds or ()) else queries.memories
    kinds = None if scope.kinds is None else json.dumps(scope.kinds)
    return await tx.all(
        query, kinds=kinds, channel=scope.channel, person=scope.person, before=before, limit=limit
    )


async def by_docs(tx: Transaction, docs: Sequence[int]) -> dict[int, Row]:
    rows = await tx.all(queries.by_docs, docs=json.dumps(list(docs))) if docs else []
    return {row["doc"]: row for row in rows}


async def ranked(tx: Transaction, docs: Sequence[int]) -> dict[int, Row]:
    """Return documents by number; of messages all that a hit shows."""
    rows = await tx.all(queries.ranked, docs=json.dumps(list(docs))) if docs else []
    return {row["doc"]: row for row in rows}


async def spaces_to_embed(tx: Transaction, job: str) -> list[str]:
    """List the spaces with documents to embed and no open job of this kind."""
    return await column(tx, queries.spaces_to_embed, kind=job)


# Counting


async def count_by_kind(tx: Transaction) -> dict[str, int]:
    return {row["kind"]: row["memories"] for row in await tx.all(queries.by_kind)}


async def count_by_day(
    tx: Transaction, kinds: Sequence[str], since: int, until: int, length: int
) -> dict[int, dict[str, int]]:
    """Count the memories of each kind by day, or by a few days; each is known by its first microsecond."""
    found: dict[int, dict[str, int]] = {}
    named = json.dumps(list(kinds))
    asked = {"kinds": named, "since": since, "until": until, "length": length}
    for row in await tx.all(queries.kinds_by_day, **asked) if kinds else []:
        found.setdefault(row["start"], {})[row["kind"]] = row["memories"]
    return found


# Vectors


async def embedder_of(tx: Transaction) -> tuple[str, bool] | None:
    """Return the embedder whose vectors the space has, and whether messages have vectors too."""
    row = await tx.first(queries.embedded)
    return (row["embedder"], bool(row["messages"])) if row else None


async def set_embedder(tx: Transaction, name: str, *, messages: bool) -> None:
    await tx.run(queries.set_embedded, embedder=name, messages=int(messages))
    await ask_for_vectors(tx)


async def empty_vectors(tx: Transaction) -> None:
    await tx.run(queries.empty_vectors)


async def ask_for_vectors(tx: Transaction) -> None:
    """Ask for a vector of every document that has none in the table."""
    await tx.run(queries.empty_unembedded)
    await tx.run(queries.ask_for_vectors)


async def waits_for_vectors(tx: Transaction) -> bool:
    return bool(await tx.all(queries.waiting_ranges, limit=1))


async def unembedded(
    tx: Transaction, limit: int, before: WaitingRanges
) -> tuple[list[Row], WaitingRanges]:
    """List documents that wait for a vector, messages with their text and meta, and the ranges they are of. `before` is
    what is being stored meanwhile."""
    rows = await tx.all(queries.waiting_ranges, limit=limit + len(before.done))
    done = set(before.done)
    ranges = [
        (before.cut.get(row["until"], row["doc"]), row["until"])
        for row in rows
        if (row["doc"], row["until"]) not in done
    ]
    if not ranges:
        return [], WaitingRanges()
    first, last = min(ranges)[0], ranges[-1][1]
    found = await tx.all(queries.unembedded, first=first, last=last, limit=limit)
    found = sorted(found, key=lambda row: cast(int, row["doc"]))[:limit]
    if len(found) == limit:
        last = found[-1]["doc"]
    read = WaitingRanges(
        [each for each in ranges if each[1] <= last],
        {until: last + 1 for doc, until in ranges if doc <= last < until},
        more=len(ranges) >= limit or any(until > last for _, until in ranges),
    )
    return [row for row in found if any(a <= row["doc"] <= b for a, b in ranges)], read


async def put_vectors(
    tx: Transaction, vectors: Sequence[dict[str, object]], read: WaitingRanges
) -> None:
    """Store vectors. The documents of what was read no longer wait, with a vector or without."""
    if vectors:
        await tx.run_many(queries.put_vectors, vectors)
    if read.done:
        starts, ends = (json.dumps(list(each)) for each in zip(*read.done, strict=True))
        await tx.run(queries.drop_unembedded, starts=starts, ends=ends)
    if read.cut:
        rows = [{"until": until, "next": next} for until, next in read.cut.items()]
        await tx.run_many(queries.shorten_unembedded, rows)


async def count_vectors(tx: Transaction) -> Row:
    """Count the vectors and the documents that wait for one, and name the embedder."""
    row = await tx.first(queries.vectors)
    assert row is not None
    return row


def _row_of(document: Document) -> dict[str, Any]:
    """Return a document as it is stored."""
    return {
        "id": document.id,
        "kind": document.kind,
        "channel": document.channel,
        "person": document.person,
        "at": document.at,
        "seq": document.seq,
        "until": document.seq if document.until is None else document.until,
        "traits": document.traits,
        "terms": spelt_terms(document.terms),
    }


def spelt_terms(terms: Sequence[str]) -> str:
    """Return the terms of a document as they are stored."""
    return " ".join(terms[:_LONGEST])
