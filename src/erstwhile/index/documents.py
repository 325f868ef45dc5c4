"""Documents in, matches out, the same on both databases."""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load
from erstwhile.text import analyse

queries = load(__package__)

_LONGEST = 16_000  # terms of one document; Postgres counts positions up to 16,383


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    kind: str
    at: int
    terms: Sequence[str]
    channel: str | None = None
    person: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look. None means everywhere in the space."""

    channel: str | None = None
    person: str | None = None
    kinds: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Match:
    id: str
    kind: str
    channel: str | None
    person: str | None
    at: int
    score: float


async def add(tx: Transaction, documents: Sequence[Document]) -> None:
    write = _sqlite_row if tx.dialect == "sqlite" else _postgres_row
    await tx.run_many(queries.add_documents, [write(tx.space, document) for document in documents])


async def remove(tx: Transaction, ids: Sequence[str]) -> None:
    if ids:
        if tx.dialect == "sqlite":
            await tx.run(queries.remove_terms, ids=json.dumps(ids))
        await tx.run(queries.remove_documents, ids=json.dumps(ids))


async def empty(tx: Transaction) -> None:
    if tx.dialect == "sqlite":
        await tx.run(queries.empty_terms)
    await tx.run(queries.empty_documents)


async def search(tx: Transaction, text: str, scope: Scope, limit: int) -> list[Match]:
    terms = analyse.query_terms(text)[:64]
    if not terms:
        return []
    find = _sqlite_search if tx.dialect == "sqlite" else _postgres_search
    return [Match(**row) for row in await find(tx, terms, scope, limit)]


def _row(document: Document) -> dict[str, Any]:
    return {
        "id": document.id,
        "kind": document.kind,
        "channel": document.channel,
        "person": document.person,
        "at": document.at,
    }


# SQLite: the scope is made of terms too, so that the index itself narrows by channel, person and kind.


def _scope_term(letter: str, *parts: str) -> str:
    return letter + hashlib.blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()


def _sqlite_row(space: str, document: Document) -> dict[str, Any]:
    return {**_row(document), "scope": " ".join(_scope(space, document)), "terms": " ".join(document.terms[:_LONGEST])}


def _scope(space: str, document: Document) -> list[str]:
    scope = [_scope_term("s", space), "k" + document.kind]
    if document.channel is not None:
        scope.append(_scope_term("c", space, document.channel))
    if document.person is not None:
        scope.append(_scope_term("p", space, document.person))
    return scope


async def _sqlite_search(tx: Transaction, terms: Sequence[str], scope: Scope, limit: int) -> list[Row]:
    narrow = [_scope_term("c", tx.space, scope.channel) if scope.channel is not None else _scope_term("s", tx.space)]
    if scope.person is not None:
        narrow.append(_scope_term("p", tx.space, scope.person))
    if scope.kinds is not None:
        narrow.append("(" + " OR ".join(f'"k{kind}"' for kind in scope.kinds) + ")")
    wanted = " OR ".join(f'"{term}"' for term in terms)
    match = f"scope : ({' AND '.join(narrow)}) AND terms : ({wanted})"
    return await tx.all(queries.match, match=match, limit=limit)


# Postgres: a tsvector made by hand from the same terms, and BM25 in SQL.


def _postgres_row(space: str, document: Document) -> dict[str, Any]:
    """`size` counts as FTS5 does, the terms of the scope included, so that both weigh length alike."""
    positions: dict[str, list[int]] = defaultdict(list)
    for position, term in enumerate(document.terms[:_LONGEST], start=1):
        if len(positions[term]) < 255:
            positions[term].append(position)
    vector = " ".join(f"'{term}':{','.join(map(str, places))}" for term, places in positions.items())
    size = min(len(document.terms), _LONGEST) + len(_scope(space, document))
    return {**_row(document), "terms": vector, "size": size}


async def _postgres_search(tx: Transaction, terms: Sequence[str], scope: Scope, limit: int) -> list[Row]:
    total, *each = await tx.all(queries.weigh, terms=list(terms))
    holding = {row["term"]: row["holding"] for row in each}
    weights = [_rarity(total["holding"], holding[term]) for term in terms]
    return await tx.all(
        queries.match,
        match=" | ".join(f"'{term}'" for term in terms),
        terms=list(terms),
        weights=weights,
        length=max(1.0, total["length"]),
        channel=scope.channel,
        person=scope.person,
        kinds=list(scope.kinds) if scope.kinds is not None else None,
        limit=limit,
    )


def _rarity(documents: int, holding: int) -> float:
    """FTS5's inverse document frequency, which never lets a common term count against a document."""
    return max(1e-6, math.log((documents - holding + 0.5) / (holding + 0.5)))
