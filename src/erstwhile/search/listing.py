"""List memories and messages, the last made first."""

from __future__ import annotations

from erstwhile.base.errors import NotFound
from erstwhile.index import documents
from erstwhile.index.documents import Scope
from erstwhile.log import store as log
from erstwhile.search import read
from erstwhile.search.model import Hit
from erstwhile.storage import Transaction

_END = 2**62  # beyond every document's number


async def list_newest(tx: Transaction, scope: Scope, before: str | None, limit: int) -> list[Hit]:
    """Return the next `limit` that have text. Of those that say the same only one has, so further rows may be read."""
    at, found = _END if before is None else await _number(tx, before), list[Hit]()
    while len(found) < limit:
        rows = await documents.newest(tx, scope, at, limit)
        hits = {hit.id: hit for hit in await read.hits(tx, [(row, 0.0) for row in rows], once=True)}
        found += [hits[row["id"]] for row in rows if row["id"] in hits]
        if len(rows) < limit:
            break
        at = rows[-1]["doc"]
    return found[:limit]


async def said_by(tx: Transaction, person: str, before: str | None, limit: int) -> list[Hit]:
    """Return what a person said, the latest first."""
    last = (await log.by_ids(tx, [before])).get(before) if before is not None else None
    if before is not None and last is None:
        raise NotFound(f"Unknown cursor {before} in space {tx.space!r}. Start from the first page.")
    rows = await log.said_by(tx, person, limit, before=last[1] if last else None)
    titles = await log.given_titles(tx, {channel for channel, _ in rows})
    return [
        Hit(
            id=message.id,
            kind="message",
            text=message.text,
            channel=channel,
            person=person,
            seq=message.seq,
            at=message.at,
            score=0.0,
            sources=(message.id,),
            title=titles.get(channel, ""),
        )
        for channel, message in rows
    ]


async def _number(tx: Transaction, id: str) -> int:
    number = await documents.number(tx, id)
    if number is None:
        raise NotFound(f"Unknown cursor {id} in space {tx.space!r}. Start from the first page.")
    return number
