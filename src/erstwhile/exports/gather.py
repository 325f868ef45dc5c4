"""What goes into an export, page by page, as JSON knows it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from erstwhile.base.clock import moment
from erstwhile.base.errors import NotFound
from erstwhile.history import store as history
from erstwhile.index.documents import Scope
from erstwhile.recall import listing
from erstwhile.recall import sources as recall_sources
from erstwhile.recall.model import Hit, Source
from erstwhile.rooms.erasure.model import Subject
from erstwhile.rooms.profiles import by_hand
from erstwhile.rooms.told import store as told
from erstwhile.storage import Database, Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

_PAGE = 200
_BEFORE_ALL = -(2**62)

Json = dict[str, Any]


async def messages(database: Database, space: str, subject: Subject) -> AsyncIterator[list[Json]]:
    """As lines of the jsonl format; what has no key goes by its id, so that importing it twice changes nothing."""
    place: Json = {"at": _BEFORE_ALL, "after": "", "seq": 0}
    whose = {"person": subject.person, "channel": subject.channel}
    while True:
        rows = await database.read(space, lambda tx: tx.all(queries.messages, **whose, **place, limit=_PAGE))  # noqa: B023
        if rows:
            yield [_line(row) for row in rows]
        if len(rows) < _PAGE:
            return
        place = {"at": rows[-1]["at"], "after": rows[-1]["channel"], "seq": rows[-1]["seq"]}


def _line(row: Row) -> Json:
    told = {name: row[name] for name in ("channel", "role", "person", "name", "text", "model")}
    line = {**told, "at": _time(row["at"]), "key": row["key"] or row["id"], "meta": json.loads(row["meta"])}
    return {name: value for name, value in line.items() if value is not None} | {"id": row["id"], "seq": row["seq"]}


def _time(at: int | None) -> str | None:
    return None if at is None else moment(at).isoformat()


async def memories(database: Database, space: str, subject: Subject) -> AsyncIterator[list[Json]]:
    """Those about the person, or of the channel, the newest first, each with its sources down to the messages, and its versions."""
    scope, before = Scope(channel=subject.channel, person=subject.person), None

    async def unit(tx: Transaction) -> tuple[list[Json], str | None]:
        found = await listing.newest(tx, scope, before, _PAGE)
        return [await _memory(tx, each) for each in found], found[-1].id if len(found) == _PAGE else None

    while True:
        page, before = await database.read(space, unit)
        if page:
            yield page
        if before is None:
            return


async def _memory(tx: Transaction, hit: Hit) -> Json:
    try:
        source = await recall_sources.sources(tx, hit.id)
    except NotFound:  # such as what only someone who is blocked told
        source = None
    versions = await history.versions(tx, hit.id)
    query = {"structured": queries.structured, "profile": queries.profile_fact}.get(hit.kind)
    valid = await tx.first(query, id=hit.id) if query is not None else None
    return {
        "id": hit.id,
        "kind": hit.kind,
        "text": hit.text,
        "channel": hit.channel,
        "person": hit.person,
        "at": hit.at.isoformat(),
        "valid_from": _time(valid["valid_from"]) if valid else None,
        "valid_to": _time(valid["valid_to"]) if valid else None,
        "writer": source.writer if source else None,
        "sources": list(dict.fromkeys(_messages(source))) if source else [],
        "versions": [
            {
                "version": each.version,
                "action": each.action,
                "text": each.text,
                "by": each.by,
                "at": each.at.isoformat(),
            }
            for each in versions
        ],
    }


def _messages(source: Source) -> Iterator[str]:
    for each in source.sources:
        if each.kind == "message":
            yield each.id
        yield from _messages(each)


async def about(tx: Transaction, subject: Subject) -> tuple[Json, Json]:
    """What is known, and what was chosen."""
    if subject.person is None:
        row = await tx.first(queries.channel, channel=subject.channel)
        if row is None:
            raise NotFound(f"There is no channel {subject.channel!r} in space {tx.space!r}.")
        return {"channel": subject.channel, "messages": row["last_seq"]}, {"privacy": row["privacy"]}
    person = subject.person
    row = await tx.first(queries.person, person=person)
    known = {
        "person": person,
        "names": [
            {"name": each["name"], "first_at": _time(each["first_at"]), "last_at": _time(each["last_at"])}
            for each in await tx.all(queries.names, person=person)
        ],
        "profile": (await by_hand.export(tx, person))["sections"],
        "told": [{"audience": each.audience, "text": each.text} for each in await told.of_person(tx, person)],
        "tellings": [
            {
                "action": each.action,
                "words": each.words,
                "said_by": each.said_by,
                "at": None if each.at is None else each.at.isoformat(),
            }
            for each in await told.tellings(tx, person)
        ],
        "days": [{**each, "made_at": _time(each["made_at"])} for each in await tx.all(queries.days, person=person)],
    }
    prompts = {each["name"]: each["instructions"] for each in await tx.all(queries.prompts, person=person)}
    chosen = {"blocked": bool(row and row["blocked"]), "shares": bool(row and row["shares"]), "prompts": prompts}
    return known, chosen
