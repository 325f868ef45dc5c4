"""Store and read requests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from erstwhile.base import trust
from erstwhile.base.clock import micros
from erstwhile.base.errors import NotFound
from erstwhile.base.later import late_pattern
from erstwhile.base.records import from_row, to_row
from erstwhile.index import documents
from erstwhile.index.markers import name_key
from erstwhile.log import store as log
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.requests.model import ExplainedCandidate, Request, RequestFilter, TokenUsage
from erstwhile.search import candidates, sources
from erstwhile.search.candidates import by_column
from erstwhile.search.model import CandidateList
from erstwhile.search.trace import PATHS, Candidate, name_of
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction, column
from erstwhile.storage.queries import load

queries = load(__package__)

DAY = 86_400_000_000  # microseconds
_END = 2**62  # after every moment
LONGEST = 2000  # characters kept of a question
# Not columns of their own.
_APART = ("hits", "when", "feedback", "candidates", "parts", "reply", "sub_questions", "title")
_UNSTORABLE = late_pattern(r"[\x00\ud800-\udfff]")  # no database keeps these as text


async def rows(tx: Transaction, requests: Sequence[Request]) -> list[dict[str, Any]]:
    """Return requests as they are stored. Candidates that the search has not read are read now."""
    traced = [each.candidates for each in requests if isinstance(each.candidates, CandidateList)]
    unread = await documents.by_docs(tx, sorted({doc for each in traced for doc in each.unread}))
    return [_row(each, unread) for each in requests]


async def add(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> None:
    await tx.run_many(queries.add_requests, rows)


async def add_spent(tx: Transaction, day: int, spent: TokenUsage) -> None:
    await tx.run(queries.add_usage, day=day, **asdict(spent))


async def recent_spaces(database: Database, limit: int) -> list[str]:
    """List the most recently queried spaces."""
    rows = await database.read(EVERYWHERE, lambda tx: tx.all(queries.lately, limit=limit))
    return [row["space"] for row in rows if row["asked_at"]]


async def get(tx: Transaction, id: str) -> Request | None:
    row = await tx.first(queries.get, id=clean(id))
    return (await _titled(tx, [_request(row, json.loads(row["detail"]))]))[0] if row else None


async def ids_from(tx: Transaction, first: str, last: str, limit: int) -> list[str]:
    """List the ids of requests from `first` to `last`, both included."""
    return await column(tx, queries.ids_from, first=first, last=last, limit=limit)


async def latest(tx: Transaction, which: RequestFilter, limit: int) -> list[Request] | None:
    """List requests, newest first. None if the request to continue from is unknown."""
    if which == RequestFilter(which.channel, only="failed"):
        rows = await tx.all(queries.latest_failed, channel=which.channel, limit=limit)
        return await _titled(tx, [_request(row, {}) for row in rows])
    until, before = _END, ""
    if which.before is not None:
        last = await tx.first(queries.get, id=clean(which.before))
        if last is None:
            return None
        until, before = last["at"], last["id"]
    narrow = {"channel": which.channel, "person": which.person, "op": which.op}
    narrow |= {"words": clean(which.words), "kind": which.only or ""}
    rows = await tx.all(queries.latest, **narrow, until=until, before=before, limit=limit)
    return await _titled(tx, [_request(row, {}) for row in rows])


async def _titled(tx: Transaction, found: Sequence[Request]) -> list[Request]:
    titles = await log.given_titles(tx, {each.channel for each in found if each.channel})
    return [replace(each, title=titles.get(each.channel or "", "")) for each in found]


async def add_feedback(tx: Transaction, request: str, note: str, now: datetime) -> bool:
    if await tx.first(queries.get, id=clean(request)) is None:
        return False
    await tx.run(queries.put_feedback, request=request, at=micros(now), note=clean(note))
    return True


async def forget(database: Database, before: datetime) -> None:
    async def unit(tx: Transaction) -> None:
        await tx.run(queries.forget_requests, before=micros(before))
        await tx.run(queries.forget_feedback, before=micros(before))
        await tx.run(queries.forget_usage, before=micros(before) // DAY)

    await database.write(EVERYWHERE, unit)


def clean(text: str) -> str:
    return _UNSTORABLE.sub("", text)[:LONGEST]


def _row(request: Request, unread: Mapping[int, Row]) -> dict[str, Any]:
    seen = request.candidates
    columns = seen.columns(unread) if isinstance(seen, CandidateList) else by_column(seen)
    kept = {
        "candidates": candidates.pack(columns, clean),
        "parts": dict(request.parts),
        "reply": request.reply,
        "sub_questions": [clean(each) for each in request.sub_questions],
    }
    row = to_row(
        request,
        channel=request.channel and clean(request.channel),
        person=request.person and clean(request.person),
        query=clean(request.query),
        widened=clean(request.widened),
        time_words=clean(request.when),
        retrieval_ms=round(request.retrieval_ms, 3),
        model_ms=None if request.model_ms is None else round(request.model_ms, 3),
        detail=json.dumps(kept, separators=(",", ":")),
        **{f"hits_{path}": request.hits.get(path, 0) for path in PATHS},
    )
    return {name: value for name, value in row.items() if name not in _APART}


def _request(row: Row, detail: dict[str, Any]) -> Request:
    return from_row(
        Request,
        row,
        hits={path: row[f"hits_{path}"] for path in PATHS},
        when=row["time_words"],
        feedback=row["note"],
        candidates=candidates.unpack(detail.get("candidates", {})),
        parts=detail.get("parts", {}),
        reply=detail.get("reply"),
        sub_questions=tuple(detail.get("sub_questions", ())),
    )


async def look_up(
    tx: Transaction, candidates: Sequence[Candidate]
) -> tuple[ExplainedCandidate, ...]:
    messages = [each.id for each in candidates if each.kind == "message"]
    others = [each.id for each in candidates if each.kind != "message"]
    found: dict[str, str] = {}
    tiers: dict[str, str] = {}
    said: dict[str, str] = {}
    for _, message in (await log.by_ids(tx, messages)).values():
        said[message.id] = message.text
        found[message.id], tiers[message.id] = f"{message.speaker}: {message.text}", message.trust
    stored = await memories.by_ids(tx, others)
    found |= await kinds.shown(tx, list(stored.values()))
    tiers |= {id: trust.TIERS[each.trust or 0] for id, each in stored.items()}
    for id in (id for id in others if id not in found):
        try:
            found[id] = (await sources.sources(tx, id)).text
        except NotFound:
            continue
    return tuple(
        ExplainedCandidate(
            rank,
            replace(each, hop=_hop(each.hop, said.get(each.id, ""))),
            found.get(each.id),
            tiers.get(each.id, trust.TIERS[0]),
        )
        for rank, each in enumerate(candidates, start=1)
    )


def _hop(hop: str, text: str) -> str:
    """Return a sub-question as it is; a name as it stands in the text, "" if it is there no more."""
    if not (key := name_of(hop)):
        return hop
    from erstwhile.text import names  # a search from the shell records its request without it

    return next((word for term, word in names.spelled(text) if name_key(term) == key), "")
