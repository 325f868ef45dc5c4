"""Search by words, over messages and what was made of them."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base.clock import moment
from erstwhile.base.errors import InvalidInput
from erstwhile.index import documents
from erstwhile.index.documents import Match, Scope
from erstwhile.log import store as log
from erstwhile.recall.model import KINDS, Hit
from erstwhile.recall.valid import structured_text, valid_first
from erstwhile.rooms.brief import store as briefs
from erstwhile.rooms.chunks import store as chunks
from erstwhile.rooms.facts import store as facts
from erstwhile.rooms.structured import store as structured
from erstwhile.storage import Transaction


def checked_kinds(kinds: Sequence[str] | None) -> tuple[str, ...] | None:
    if kinds is None:
        return None
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise InvalidInput(f"Unknown kind {', '.join(unknown)!r}. Kinds are {', '.join(KINDS)}.")
    return tuple(dict.fromkeys(kinds))


async def search(tx: Transaction, query: str, scope: Scope, limit: int) -> list[Hit]:
    if limit < 1:
        raise InvalidInput("`limit` must be at least 1.")
    matches = await documents.search(tx, query, scope, limit)
    hits = {hit.id: hit for hit in await _read(tx, matches)}
    found = [hits[match.id] for match in matches if match.id in hits]
    return await valid_first(tx, found)


async def _read(tx: Transaction, matches: Sequence[Match]) -> list[Hit]:
    by_kind = {kind: {match.id: match for match in matches if match.kind == kind} for kind in KINDS}
    hits = []
    for id, (channel, message) in (await log.by_ids(tx, list(by_kind["message"]))).items():
        hits.append(_hit(by_kind["message"][id], message.text, channel, message.seq, (id,)))
    for fact in await facts.by_ids(tx, list(by_kind["fact"])):
        first, last = (fact.seq, fact.seq) if fact.seq is not None else (fact.first_seq, fact.last_seq)
        sources = await log.ids_between(tx, fact.channel, first, last)
        hits.append(_hit(by_kind["fact"][fact.id], fact.text, fact.channel, fact.seq, sources))
    for chunk in await chunks.by_ids(tx, [*by_kind["chunk"], *by_kind["meta"]]):
        match = by_kind[chunk.kind][chunk.id]
        if chunk.kind == "meta":
            sources = [part.id for part in await chunks.children(tx, chunk.id)]
        else:
            sources = await log.ids_between(tx, chunk.range.channel, chunk.range.first, chunk.range.last)
        hits.append(_hit(match, chunk.text, chunk.range.channel, None, sources))
    for id, match in by_kind["brief"].items():
        brief = await briefs.by_id(tx, id)
        if brief is not None:
            sources = await log.ids_between(tx, brief.channel, max(1, brief.covers - 9), brief.covers)
            hits.append(_hit(match, brief.shown, brief.channel, None, sources))
    for each in await structured.by_ids(tx, list(by_kind["structured"])):
        if each.restates not in by_kind["structured"]:
            match = by_kind["structured"][each.id]
            hits.append(_hit(match, structured_text(each), each.channel, each.seq, each.sources))
    return hits


def _hit(match: Match, text: str, channel: str, seq: int | None, sources: Sequence[str]) -> Hit:
    return Hit(
        id=match.id,
        kind=match.kind,
        text=text,
        channel=channel,
        person=match.person,
        seq=seq,
        at=moment(match.at),
        score=round(match.score, 6),
        sources=tuple(sources),
    )
