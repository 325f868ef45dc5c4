"""Read the texts and sources of ranked documents."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from erstwhile.base import trust
from erstwhile.base.clock import moment
from erstwhile.log import store as log
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.search.model import Hit, HitContents
from erstwhile.storage import Row, Transaction


async def hits(
    tx: Transaction,
    ranked: Sequence[tuple[Row, float]],
    found: HitContents | None = None,
    *,
    once: bool | None = False,
) -> list[Hit]:
    """Return hits for documents with scores, in this order; those that are gone are left out. What was read for them is
    put into `found`. A memory that only restates another is left out if that one is there too; with `once`, always; with
    None, never."""
    found = HitContents() if found is None else found
    there = await memories.by_ids(tx, [row["id"] for row, _ in ranked if row["kind"] != "message"])
    found.stored = {id: each for id, each in there.items() if _shown_beside(each, there, once=once)}
    by_id = {hit.id: hit for hit in await _read(tx, ranked, found)}
    return _valid_first([by_id[row["id"]] for row, _ in ranked if row["id"] in by_id], found.stored)


def _shown_beside(memory: StoredMemory, others: Container[str], *, once: bool | None) -> bool:
    return once is None or memory.restates is None or (memory.restates not in others and not once)


def _valid_first(hits: Sequence[Hit], stored: Mapping[str, StoredMemory]) -> list[Hit]:
    """Put those hits of timed kinds that hold before those that don't; every other hit keeps its place."""
    timed = {id for id, each in stored.items() if kinds.get(each.kind).timed}
    if not timed:
        return list(hits)
    moved = sorted(
        (hit for hit in hits if hit.id in timed),
        key=lambda hit: stored[hit.id].valid_to is not None,
    )
    ordered = iter(moved)
    return [next(ordered) if hit.id in timed else hit for hit in hits]


async def texts(tx: Transaction, ids: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the text of each id, by kind, that a vector is made of."""
    found = await log.texts(tx, list(ids.get("message", ())))
    stored = await memories.by_ids(tx, _memories(ids))
    found |= await kinds.embedded(tx, list(stored.values()))
    return found


async def _read(
    tx: Transaction, ranked: Sequence[tuple[Row, float]], found: HitContents
) -> list[Hit]:
    scores = {row["id"]: score for row, score in ranked}
    said = [row for row, _ in ranked if row["kind"] == "message"]
    found.said = {row["id"]: row for row in said if row.get("role") is not None}
    if unread := [row["id"] for row in said if "role" not in row]:
        found.said |= await log.rows_by_ids(tx, unread)
    titles = await _titles(tx, [row for row, _ in ranked])
    made = [
        Hit(
            id,
            "message",
            row["text"],
            row["channel"],
            row["person"],
            row["seq"],
            moment(row["at"]),
            round(scores[id], 6),
            (id,),
            log.trust_of(row),
            titles[id],
        )
        for id, row in found.said.items()
    ]
    stored = list(found.stored.values())
    if not stored:
        return made
    documents = {row["id"]: row for row, _ in ranked}
    shown, direct = (
        await kinds.shown(tx, stored),
        await kinds.sources(tx, stored) if found.sources else {},
    )
    for memory in stored:
        if shown.get(memory.id):
            row, sources = documents[memory.id], tuple(direct.get(memory.id, ()))
            text, tier = _dated(memory, shown[memory.id]), trust.TIERS[memory.trust or 0]
            where = memory.channel, row["person"], memory.seq, moment(row["at"])
            score = round(scores[memory.id], 6)
            more = score, sources, tier, titles[memory.id]
            made.append(Hit(memory.id, row["kind"], text, *where, *more))
    return made


async def _titles(tx: Transaction, rows: Sequence[Row]) -> dict[str, str]:
    """Return the title of each document's channel, "" without one. Rows of `ranked` have it."""
    unread = {row["channel"] for row in rows if "title" not in row and row["channel"]}
    named = await log.given_titles(tx, unread) if unread else {}
    return {row["id"]: row.get("title") or named.get(row["channel"], "") for row in rows}


def _dated(memory: StoredMemory, text: str) -> str:
    """Add the day it ended, if another ended it, so that nobody takes it for what is so now."""
    ended = (
        memory.valid_to
        if memory.superseded_by is not None and kinds.get(memory.kind).timed
        else None
    )
    return text if ended is None else f"{text} (until {ended:%Y-%m-%d})"


def _memories(ids: Mapping[str, Iterable[str]]) -> list[str]:
    return [id for kind, each in ids.items() if kind != "message" for id in each]
