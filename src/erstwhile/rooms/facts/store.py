"""Facts on disk, each with its search document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from erstwhile.base import ids
from erstwhile.base.clock import micros
from erstwhile.index import documents
from erstwhile.log.model import Message
from erstwhile.rooms.chunks.model import Range
from erstwhile.rooms.facts import attribute, bullets
from erstwhile.rooms.facts.model import Fact, from_row
from erstwhile.storage import Transaction
from erstwhile.storage.queries import load
from erstwhile.text import analyse
from erstwhile.writers.port import Written

queries = load(__package__)


async def put(tx: Transaction, range: Range, written: Written, messages: Sequence[Message], now: datetime) -> bool:
    """Keeps what one reading found. False when a reading that stands was there already."""
    texts = bullets.split(written.text)
    place = {"channel": range.channel, "first": range.first, "last": range.last}
    stands = not await tx.run(
        queries.put_extract,
        **place,
        found=len(texts),
        writer=written.writer,
        draft=int(written.draft),
        now=micros(now),
    )
    if stands:
        return False
    await documents.remove(tx, [row["id"] for row in await tx.all(queries.drafts_of, **place)])
    await tx.run(queries.drop_drafts_of, **place)
    if texts:
        last = await tx.first(queries.last_position, **place)
        start = (last["position"] if last else -1) + 1
        rows = [
            _row(tx.space, range, text, start + index, attribute.closest(text, messages) or messages[-1])
            | {"writer": written.writer, "draft": int(written.draft), "now": micros(now)}
            for index, text in enumerate(texts)
        ]
        await tx.run_many(queries.add, rows)
        await documents.add(tx, [_document(row) for row in rows])
    return True


def _row(space: str, range: Range, text: str, position: int, source: Message) -> dict[str, Any]:
    return {
        "channel": range.channel,
        "first": range.first,
        "last": range.last,
        "position": position,
        "id": ids.derived("fact", space, range.channel, range.first, range.last, text),
        "seq": source.seq,
        "person": source.person,
        "text": text,
        "at": micros(source.at),
    }


def _document(row: dict[str, Any]) -> documents.Document:
    return documents.Document(
        id=row["id"],
        kind="fact",
        at=row["at"],
        terms=analyse.terms(row["text"]),
        channel=row["channel"],
        person=row["person"],
    )


async def get(tx: Transaction, id: str) -> Fact | None:
    row = await tx.first(queries.get, id=id)
    return from_row(row) if row else None


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Fact]:
    return [from_row(row) for row in await tx.all(queries.by_ids, ids=json.dumps(list(ids)))] if ids else []


async def latest(tx: Transaction, channel: str, limit: int) -> list[Fact]:
    return [from_row(row) for row in await tx.all(queries.latest, channel=channel, limit=limit)]


async def empty(tx: Transaction) -> None:
    await tx.run(queries.empty)
    await tx.run(queries.empty_extracts)
