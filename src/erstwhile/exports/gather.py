"""What goes into an export, page by page, as JSON values."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from erstwhile.base.clock import moment
from erstwhile.base.errors import NotFound
from erstwhile.configuration import prompts
from erstwhile.configuration import space as choices
from erstwhile.configuration.visibility import Visibility
from erstwhile.exports.rows import ExportSubject, WithheldMemories
from erstwhile.index.documents import Scope
from erstwhile.layers.days import store as days
from erstwhile.layers.days.model import Day
from erstwhile.layers.profiles import by_hand
from erstwhile.layers.profiles import store as profiles
from erstwhile.layers.remembered import store as told
from erstwhile.layers.remembered.model import RememberRequest
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.memories import history
from erstwhile.memories import store as stored_memories
from erstwhile.search import listing
from erstwhile.search import sources as recall_sources
from erstwhile.search.model import Hit, Source
from erstwhile.storage import Row, Transaction

_PAGE = 200
_OF_HIT = ("id", "kind", "text", "channel", "person", "trust")
_BEFORE_ALL = -(2**62)

Json = dict[str, Any]


async def messages(tx: Transaction, of: ExportSubject) -> AsyncIterator[list[Json]]:
    """Yield lines of the jsonl format. A message without a key gets its id as key."""
    place: Json = {"at": _BEFORE_ALL, "after": "", "seq": 0}
    whose = {"person": of.person, "channel": of.channel}
    while rows := await log.page_by_time(tx, whose, place, _PAGE):
        yield [_line(row) for row in rows]
        place = {"at": rows[-1]["at"], "after": rows[-1]["channel"], "seq": rows[-1]["seq"]}


def _line(row: Row) -> Json:
    told = {name: row[name] for name in ("channel", "role", "person", "name", "text", "model")}
    more = {"at": _iso(moment(row["at"])), "key": row["key"] or row["id"]}
    line = {**told, **more, "meta": json.loads(row["meta"]), "id": row["id"], "seq": row["seq"]}
    return {name: value for name, value in line.items() if value is not None}


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


async def memories(
    tx: Transaction, of: ExportSubject, withheld: WithheldMemories
) -> AsyncIterator[list[Json]]:
    """Yield memories, newest first, each with its sources and versions."""
    scope, before = Scope(channel=of.channel, person=of.person), None
    while found := await listing.list_newest(tx, scope, before, _PAGE):
        yield [
            await _memory(tx, each) for each in found if not withheld.hides(each.channel, each.seq)
        ]
        before = found[-1].id


async def _memory(tx: Transaction, hit: Hit) -> Json:
    try:
        source = await recall_sources.sources(tx, hit.id)
    except NotFound:  # such as what only a blocked person said
        source = None
    versions = await history.versions(tx, hit.id)
    stored = await stored_memories.get(tx, hit.id)
    return {
        **{name: getattr(hit, name) for name in _OF_HIT},
        "at": hit.at.isoformat(),
        **{name: _iso(getattr(stored, name, None)) for name in ("valid_from", "valid_to")},
        "writer": source.writer if source else None,
        "sources": list(dict.fromkeys(_messages(source))) if source else [],
        "versions": [{**asdict(each), "at": each.at.isoformat()} for each in versions],
    }


def _messages(source: Source) -> Iterator[str]:
    for each in source.sources:
        if each.kind == "message":
            yield each.id
        yield from _messages(each)


async def about(
    tx: Transaction, of: ExportSubject, withheld: WithheldMemories
) -> tuple[Json, Json]:
    """Return what is known about the subject, and its settings."""
    if of.person is not None:
        return await _person(tx, of.person, withheld)
    if of.channel is not None:
        row = await log.channel(tx, of.channel)
        if row is None:
            raise NotFound(f"There is no channel {of.channel!r} in space {tx.space!r}.")
        return {"channel": of.channel, "messages": row.last_seq}, {"privacy": row.privacy}
    own = await choices.own(tx)
    shown = {name: value for name, value in own.items() if name != "api_key"}
    chosen = [dict(row) for row in await prompts.everyones(tx)]
    channels = [
        {"channel": each.channel, "privacy": each.privacy, "messages": each.last_seq}
        for each in await log.channels(tx)
    ]
    everyone = [
        {"person": each.person, "blocked": int(each.blocked), "shares": int(each.shares)}
        for each in await people.everyone(tx)
    ]
    known = {"space": tx.space, "channels": channels, "people": everyone}
    return known, {"settings": shown, "prompts": chosen}


async def _person(tx: Transaction, person: str, withheld: WithheldMemories) -> tuple[Json, Json]:
    row = await people.row_of(tx, person)
    tellings = await told.by_audience(tx, person)
    made = await days.of_person(tx, person, date.min)
    facts = await profiles.of_person(tx, person, ended=True)
    visible = {each.id for each in facts if not withheld.hides(each.channel, each.seq)}
    sections = (await by_hand.export(tx, person))["sections"]

    def shown(audience: str) -> bool:
        return not withheld.hides(audience, None)

    told_texts = [each for each in await told.of_person(tx, person) if shown(each.audience)]
    known = {
        "person": person,
        "names": [
            {"name": each.name, "first_at": _iso(each.first_at), "last_at": _iso(each.last_at)}
            for each in await people.names_over_time(tx, person)
        ],
        "profile": {
            name: [_without_titles(each) for each in found if each["id"] in visible]
            for name, found in sections.items()
        },
        "told": [{"audience": each.audience, "text": each.text} for each in told_texts],
        "tellings": [_telling(each) for audience, each in tellings if shown(audience)],
        "days": [_day(each) for each in made if shown(each.audience)],
    }
    chosen = {name: bool(row and row[name]) for name in ("blocked", "shares")}
    return known, {**chosen, "prompts": await prompts.of_person(tx, person)}


def _without_titles(fact: Json) -> Json:
    """Leave out the titles of notes: they may be somebody else's words."""
    told = [{**each} for each in fact["sources"]]
    for each in told:
        each.pop("title", None)
    return {**fact, "sources": told}


def _telling(said: RememberRequest) -> Json:
    at = said.at and said.at.isoformat()
    return {"action": said.action, "words": said.words, "said_by": said.said_by, "at": at}


def _day(day: Day) -> Json:
    made = {"writer": day.writer, "draft": int(day.draft), "made_at": day.made_at.isoformat()}
    return {"day": day.day.isoformat(), "audience": day.audience, "text": day.text, **made}


async def withheld_from(
    tx: Transaction, of: ExportSubject, visibility: Visibility
) -> WithheldMemories:
    """Return the private channels that this person was never in, and the early parts of others."""
    if of.person is None:
        return WithheldMemories()
    named = [each.channel for each in await log.channels(tx)]
    visible = await visibility.visible(tx, "", named, of.person)
    mine = set(await people.channels_of(tx, of.person))
    return WithheldMemories(
        tuple(name for name in named if name not in visible.all and name not in mine), visible.later
    )


async def count_unheard(tx: Transaction, of: ExportSubject, withheld: WithheldMemories) -> int:
    """Count the memories about the person that were made where they could not read."""
    channels = [*withheld.channels, *withheld.early]
    if not channels or of.person is None:
        return 0
    rows = await stored_memories.places_about(tx, of.person, channels)
    return sum(withheld.hides(row["channel"], row["seq"]) for row in rows)
