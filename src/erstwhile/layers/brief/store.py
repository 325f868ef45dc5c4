"""Briefs on disk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from erstwhile.base import ids
from erstwhile.base.clock import micros
from erstwhile.index import documents
from erstwhile.layers.brief.model import Brief, from_row
from erstwhile.layers.brief.turns import Turn
from erstwhile.log import store as log
from erstwhile.storage import Transaction
from erstwhile.storage.queries import load
from erstwhile.text import analyse
from erstwhile.writers.port import WriterOutput

queries = load(__package__)


async def grow(tx: Transaction, channel: str, tokens: int, now: datetime) -> int:
    """Tokens said since the last fold, these included."""
    id = ids.derived("brief", tx.space, channel)
    row = await tx.first(queries.grow, channel=channel, id=id, tokens=tokens, now=micros(now))
    return row["pending"] if row else 0


async def get(tx: Transaction, channel: str) -> Brief | None:
    row = await tx.first(queries.get, channel=channel)
    return from_row(row) if row else None


async def by_id(tx: Transaction, id: str) -> Brief | None:
    row = await tx.first(queries.by_id, id=id)
    return from_row(row) if row else None


async def put(tx: Transaction, was: Brief, written: WriterOutput, folded: Sequence[Turn], now: datetime) -> bool:
    """False when another fold came first, or a draft that reaches as far is there already."""
    if written.draft and folded[-1].last <= was.draft_cursor:
        return False
    place = {
        "channel": was.channel,
        "text": written.text,
        "cursor": folded[-1].last,
        "tokens": sum(turn.tokens for turn in folded),
    }
    if written.draft:
        changed = await tx.run(queries.put_draft, **place, was=was.draft_cursor)
    else:
        changed = await tx.run(
            queries.put, **place, was=was.cursor, writer=written.writer, turns=len(folded), now=micros(now)
        )
    if changed:
        await index(tx, was, written.text, folded[-1].last, folded[-1].messages[-1].at)
    return bool(changed)


async def index(tx: Transaction, brief: Brief, text: str, covers: int, at: datetime) -> None:
    """Makes its search document anew."""
    await documents.remove(tx, [brief.id])
    made = documents.Document(
        id=brief.id,
        kind="brief",
        at=micros(at),
        terms=analyse.terms(text),
        words=text,
        channel=brief.channel,
        seq=1,
        until=covers,
    )
    await documents.add(tx, [made])


async def reindex(tx: Transaction, brief: Brief) -> None:
    """The same from what is on disk; the last message it holds may have expired."""
    if brief.shown:
        last = await log.last_until(tx, brief.channel, brief.covers)
        await index(tx, brief, brief.shown, brief.covers, last.at if last is not None else brief.made_at)


async def left(tx: Transaction) -> list[Brief]:
    return [from_row(row) for row in await tx.all(queries.left)]


async def recount(tx: Transaction, channel: str, tokens: int) -> None:
    await tx.run(queries.recount, channel=channel, tokens=tokens)


async def empty(tx: Transaction) -> None:
    """All but those that hold what has expired."""
    await tx.run(queries.empty)
