"""Read the log."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from erstwhile.base import records, trust
from erstwhile.base.clock import micros, moment
from erstwhile.log.model import ChannelRow, KnownKeys, Message, Origin
from erstwhile.receipts import store as receipts
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction, column
from erstwhile.storage.queries import load
from erstwhile.text import labels

queries = load(__package__)

_NAMED = 50  # names looked at in one text
_columns = itemgetter("id", "seq", "role", "person", "name", "text", "at", "key", "model")


def from_row(row: Row) -> Message:
    meta = {} if row["meta"] == "{}" else json.loads(row["meta"])  # most have none
    id, seq, role, person, name, text, at, key, model = _columns(row)
    return Message(id, seq, role, person, name, text, moment(at), key, model, meta)


def trust_of(row: Row) -> str:
    """Return the trust tier of a message."""
    meta = {} if row["meta"] == "{}" else json.loads(row["meta"])  # most have none
    return trust.TIERS[trust.of_message(row["role"], row["person"], meta)]


async def voices(tx: Transaction, ids: Sequence[str]) -> dict[str, tuple[int, str | None]]:
    """Return the trust tier and the author of each message."""
    rows = await tx.all(queries.voices, ids=json.dumps(list(ids))) if ids else []
    return {row["id"]: (trust.TIERS.index(trust_of(row)), row["person"]) for row in rows}


async def between(tx: Transaction, channel: str, first: int, last: int) -> list[Message]:
    rows = await tx.all(queries.between, channel=channel, first=first, last=last)
    return [from_row(row) for row in rows]


async def after(tx: Transaction, channel: str, seq: int, limit: int) -> list[Message]:
    """Return the next `limit` stored messages."""
    rows = await tx.all(queries.after, channel=channel, after=seq, limit=limit)
    return [from_row(row) for row in rows]


async def first_after(tx: Transaction, seqs: Mapping[str, int]) -> dict[str, int]:
    """Return the first stored message of each channel after a message; channels without one are left out."""
    rows = json.dumps([{"channel": channel, "seq": seq} for channel, seq in seqs.items()])
    found = await tx.all(queries.first_after, rows=rows) if seqs else []
    return {row["channel"]: row["seq"] for row in found if row["seq"] is not None}


async def known(tx: Transaction, channel: str, keys: Sequence[str]) -> KnownKeys:
    given = {"channel": channel, "keys": json.dumps(list(keys))}
    there = frozenset(await column(tx, queries.keys_there, **given) if keys else ())
    traces = [receipts.key_trace(channel, key) for key in keys if key not in there]
    erased = await receipts.find_traces(tx, traces)
    return KnownKeys(there, frozenset(trace[-1] for trace in erased))


async def last_until(tx: Transaction, channel: str, seq: int) -> Message | None:
    """Return the newest stored message up to this one."""
    row = await tx.first(queries.last_until, channel=channel, until=seq)
    return from_row(row) if row else None


async def missing(tx: Transaction, channel: str, first: int, last: int) -> int:
    """Count the messages of a range that are no longer stored."""
    row = await tx.first(queries.count_between, channel=channel, first=first, last=last)
    return max(0, last - first + 1 - (row["messages"] if row else 0))


async def ids_between(tx: Transaction, channel: str, first: int, last: int) -> list[str]:
    return await column(tx, queries.ids_between, channel=channel, first=first, last=last)


async def ids_in(
    tx: Transaction, ranges: Sequence[tuple[str, int, int]], role: str | None = None
) -> list[tuple[str, ...]]:
    """Return the messages of each range (channel, first, last), in order; with `role`, only those."""
    given = {"ranges": json.dumps(list(ranges)), "role": role}
    rows = await tx.all(queries.ids_in, **given) if ranges else []
    found = {row["number"]: tuple(row["ids"].split(" ")) for row in rows if row["ids"]}
    return [found.get(number, ()) for number in range(len(ranges))]


async def latest(tx: Transaction, channel: str, limit: int) -> list[Message]:
    """Return the newest `limit` messages, oldest first."""
    return [from_row(row) for row in reversed(await latest_rows(tx, channel, limit))]


async def latest_rows(tx: Transaction, channel: str, limit: int) -> list[Row]:
    """Return the rows of the newest `limit` messages, newest first."""
    return await tx.all(queries.latest, channel=channel, limit=limit)


async def by_ids(tx: Transaction, ids: Sequence[str]) -> dict[str, tuple[str, Message]]:
    """Return each message with its channel."""
    return {id: (row["channel"], from_row(row)) for id, row in (await rows_by_ids(tx, ids)).items()}


async def rows_by_ids(tx: Transaction, ids: Sequence[str]) -> dict[str, Row]:
    rows = await tx.all(queries.by_ids, ids=json.dumps(list(ids))) if ids else []
    return {row["id"]: row for row in rows}


async def texts(tx: Transaction, ids: Sequence[str]) -> dict[str, str]:
    rows = await tx.all(queries.texts, ids=json.dumps(list(ids))) if ids else []
    return {row["id"]: row["text"] for row in rows}


async def said_by(
    tx: Transaction, person: str, limit: int, before: Message | None = None
) -> list[tuple[str, Message]]:
    """Return a person's messages with their channels, the newest first, those older than `before`."""
    place = {"at": micros(before.at), "id": before.id} if before else {"at": None, "id": ""}
    rows = await tx.all(queries.said, person=person, **place, limit=limit)
    return [(row["channel"], from_row(row)) for row in rows]


async def rows_by_keys(tx: Transaction, channel: str, keys: Sequence[str]) -> list[Row]:
    given = {"channel": channel, "keys": json.dumps(list(keys))}
    return await tx.all(queries.by_keys, **given) if keys else []


async def by_keys(tx: Transaction, channel: str, keys: Sequence[str]) -> list[Message]:
    return [from_row(row) for row in await rows_by_keys(tx, channel, keys)]


async def channel(tx: Transaction, name: str) -> ChannelRow | None:
    row = await tx.first(queries.channel, channel=name)
    return ChannelRow(**row) if row else None


async def channels(tx: Transaction) -> list[ChannelRow]:
    return [ChannelRow(**row) for row in await tx.all(queries.channels)]


async def page_by_time(
    tx: Transaction, whose: Mapping[str, Any], after: Mapping[str, Any], limit: int
) -> list[Row]:
    """Return a page of a person's messages, or a channel's, in the order they were said. `after`:
    time, channel and number of the last one before."""
    return await tx.all(queries.page_by_time, **whose, **after, limit=limit)


async def beyond_its_channel(tx: Transaction) -> Row | None:
    """Return a message that its channel does not know, if there is one."""
    return await tx.first(queries.beyond_its_channel)


async def has_another(tx: Transaction, channel: str) -> bool:
    """Return whether the space has another channel."""
    return await tx.first(queries.another_channel, channel=channel) is not None


async def channel_page(tx: Transaction, after: str, limit: int, *, declared: bool) -> list[Row]:
    """Return a page of channels with their privacy; with `declared`, those whose privacy was set."""
    return await tx.all(queries.channel_page, after=after, declared=int(declared), limit=limit)


async def channels_shown(tx: Transaction, wanted: Mapping[str, Any]) -> list[Row]:
    """Return a page of channels with size, privacy, title and the time of the last message."""
    return await tx.all(queries.channels_shown, **wanted)


async def last_lines(
    tx: Transaction, channels: Sequence[str], most: int
) -> dict[str, tuple[str, str]]:
    """Return the author of the last message of each channel, and the beginning of its text."""
    rows = await tx.all(queries.last_lines, channels=json.dumps(list(channels)), most=most)
    authors = [row["name"] or row["person"] or row["role"] for row in rows]
    return {row["channel"]: (by, row["text"]) for by, row in zip(authors, rows, strict=True)}


async def titles(tx: Transaction, channels: Iterable[str]) -> dict[str, str]:
    """Return what each channel is called: its title, or its id."""
    wanted = set(channels)
    return {channel: channel for channel in wanted} | await given_titles(tx, wanted)


async def given_titles(tx: Transaction, channels: Iterable[str]) -> dict[str, str]:
    """Return the titles of those channels that have one."""
    wanted = sorted(set(channels))
    rows = await tx.all(queries.titles, channels=json.dumps(wanted)) if wanted else []
    return {row["channel"]: row["title"] for row in rows if row["title"]}


async def set_title(tx: Transaction, name: str, title: str) -> None:
    await tx.run(queries.set_title, channel=name, title=title)


async def set_privacy(tx: Transaction, name: str, privacy: str) -> None:
    await tx.run(queries.set_privacy, channel=name, privacy=privacy)


async def hold_channel(tx: Transaction, name: str) -> bool:
    """Keep others from adding to the channel until the commit. False if there is no such channel."""
    return bool(await tx.run(queries.hold_channel, channel=name))


async def hold_channels(tx: Transaction) -> None:
    """Keep others from adding to any channel of the space until the commit."""
    await tx.all(queries.hold_channels)


async def add_space(tx: Transaction, now: datetime | None = None) -> None:
    """Add the space if it is new, and hold it until the commit."""
    await tx.run(queries.add_space, now=micros(now) if now else 0)


async def count(tx: Transaction) -> Row:
    """Count the messages, channels and people of the space."""
    return await tx.first(queries.count) or {"messages": 0, "channels": 0, "people": 0}


async def count_by_day(tx: Transaction, since: int, until: int, length: int) -> dict[int, int]:
    """Count messages by day, or by a few days; each is known by its first microsecond."""
    rows = await tx.all(queries.by_day, since=since, until=until, length=length)
    return {row["start"]: row["messages"] for row in rows}


async def span(tx: Transaction) -> tuple[int, int] | None:
    """Return the times of the first and the last message."""
    row = await tx.first(queries.span)
    return None if row is None or row["first"] is None else (row["first"], row["last"])


async def origins(tx: Transaction, limit: int) -> list[Origin]:
    rows = await tx.all(queries.origins, limit=limit)
    return [records.from_row(Origin, row) for row in rows]


async def ids_from(tx: Transaction, first: str, last: str, limit: int) -> list[str]:
    """List the ids of messages from `first` to `last`, both included."""
    return await column(tx, queries.ids_from, first=first, last=last, limit=limit)


async def name_of(tx: Transaction, person: str) -> str:
    """Return the person's latest name, or their id."""
    rows = await tx.all(queries.names, person=person)
    return rows[-1]["name"] if rows else person


async def people_named(tx: Transaction, text: str) -> list[tuple[str, str]]:
    """Return the people whose name, first name or id occurs in the text, each with the matching
    word."""
    return (await people_in(tx, text))[0]


async def people_in(tx: Transaction, text: str) -> tuple[list[tuple[str, str]], frozenset[str]]:
    """Return the people named in the text, as `people_named`, and those who are blocked."""
    # A question may hold what no database takes.
    text = text.replace("\0", " ").encode("utf-8", "replace").decode()
    lower = text.casefold()
    rows = await tx.all(queries.named_in, text=text, lower=lower)
    named = [row for row in rows if any(name.casefold() in lower for name in _called(row))][:_NAMED]
    called = ((row["person"], name) for row in named for name in _called(row))
    found = [(person, name) for person, name in called if stands_in(name, text)]
    blocked = frozenset(row["person"] for row in rows if row["blocked"])
    return sorted(found, key=lambda each: (-len(each[1]), each)), blocked


def _called(row: Row) -> set[str]:
    names = {row["name"], row["name"].partition(" ")[0], row["person"]}
    return {name for name in names if len(name) > 1}


def stands_in(name: str, text: str) -> bool:
    """Return whether the name occurs as a word; in Korean, Chinese and Japanese, anywhere."""
    if not name.isascii() and not any(letter.isalpha() and letter < "\u2e80" for letter in name):
        return name.casefold() in text.casefold()
    return re.search(rf"(?<!\w){re.escape(name)}(?![^\W_])", text, re.IGNORECASE) is not None


async def spaces(database: Database) -> list[str]:
    return await database.read(EVERYWHERE, lambda tx: column(tx, queries.spaces))


# People


async def twins_of(tx: Transaction, people: Iterable[str]) -> dict[str, str]:
    """Return the known people whose ids are these, in whatever case, by the folded id."""
    from erstwhile.log import check  # not needed to search

    folded = sorted({check.folded(person) for person in people})
    rows = await tx.all(queries.twins, folded=json.dumps(folded)) if folded else []
    return {row["folded"]: row["person"] for row in rows}


def person_row(person: str, now: int) -> dict[str, Any]:
    from erstwhile.log import check  # not needed to search

    compared = {"folded": check.folded(person), "label": labels.key(person)}
    return {"person": person, "now": now, **compared}


def name_row(person: str, name: str, first_at: int, last_at: int) -> dict[str, Any]:
    seen = {"first_at": first_at, "last_at": last_at}
    return {"person": person, "name": name, **seen, "label": labels.key(name)}


async def add_speakers(
    tx: Transaction, said: Sequence[tuple[str, int, int, Sequence[Mapping[str, Any]]]]
) -> None:
    """Write who spoke where, and their names: for each addition its channel, time, first number and rows of messages.
    Each row is written once, in order: no deadlocks."""
    people: dict[str, int] = {}
    speakers: dict[tuple[str, str], int] = {}  # what one caller adds was said at once
    times: dict[tuple[str, str], list[int]] = {}
    for channel, now, first, rows in said:
        for row in rows:
            person, name = row["person"], row["name"]
            if person is not None:
                people.setdefault(person, now)
            if row["role"] == "user":
                speakers.setdefault((channel, person or ""), first)
            if person is not None and name is not None:
                times.setdefault((person, name), []).append(row["at"])
    if people:
        known = [person_row(name, people[name]) for name in sorted(people)]
        await tx.run_many(queries.add_person, known)
    if speakers:
        spoken = [
            {"channel": channel, "person": person, "since": since}
            for (channel, person), since in sorted(speakers.items())
        ]
        await tx.run_many(queries.add_speaker, spoken)
    if times:
        named = sorted(times.items())
        names = [name_row(*whose, min(seen), max(seen)) for whose, seen in named]
        await tx.run_many(queries.add_names, names)
