"""The export of a Slack workspace: a folder per channel, a file per day.

Keys and channels are those of the live bot, so what both saw is there once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from erstwhile.base.errors import InvalidInput
from erstwhile.importers import scan
from erstwhile.importers.fields import identity, mapping, name, seconds, text
from erstwhile.importers.model import Entry, Left, Line, Problem, Read, Source
from erstwhile.log.model import NewMessage
from erstwhile.text import slack as markup

# The list a channel stands in says who could read it.
_LISTS: Final = {"channels.json": "open", "groups.json": "private", "mpims.json": "private", "dms.json": "direct"}
_PEOPLE: Final = ("users.json", "org_users.json")
_DAY = re.compile(
    r"^(?:.*?([^/]+)/)?(\d{4}-\d\d-\d\d)\.json$"
)  # without a folder it is one channel's folder that was given
_BOTS: Final = "messages of bots"
_SORTED: Final = (
    32 * 2**20
)  # bytes of a day's file up to which it is put in order of time; larger ones are taken as they stand


class Slack:
    name = "slack"

    def recognises(self, source: Source) -> bool:
        names = {_base(entry) for entry in source.entries}
        days = [entry for entry in source.entries if _DAY.match(entry.name)]
        if days and names & {*_LISTS, *_PEOPLE}:
            return True
        return any('"ts"' in scan.head(entry) for entry in days[:3])

    def read(self, source: Source) -> Iterator[Read]:
        alone = source.name.rstrip("/").rpartition("/")[2].removesuffix(".zip")
        days = [(found[1] or alone, found[2], entry) for entry in source.entries if (found := _DAY.match(entry.name))]
        if not days:
            raise InvalidInput(
                f"{source.name} is no export of Slack: it has no folders of channels with a file per day. "
                "Give the zip that Slack sent you, or its folder."
            )
        known = _Known()
        yield from _directory(source, known)
        for folder, _, entry in sorted(days, key=lambda day: day[:2]):
            place = known.places.get(folder)
            if place is None:
                place = known.places[folder] = _Place(folder, "", None)
                yield Problem(
                    folder,
                    "No list of channels names this folder: it was renamed. The folder's name stands for its id.",
                )
            yield from _day(entry, place, known)


FORMAT = Slack()


@dataclass(frozen=True, slots=True)
class _Place:
    """A channel: its id, its name, and who could read it ("open", "private", "direct"; None if nobody says)."""

    id: str
    title: str
    privacy: str | None

    @property
    def meta(self) -> dict[str, Any]:
        meta = {"title": self.title, "privacy": None if self.privacy == "open" else self.privacy}
        return {each: value for each, value in meta.items() if value}


@dataclass(slots=True)
class _Known:
    """`places` by the name of their folder, `channels` names by id, `people` names by id."""

    places: dict[str, _Place] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)
    people: dict[str, str | None] = field(default_factory=dict)
    bots: set[str] = field(default_factory=lambda: {"USLACKBOT"})


def _base(entry: Entry) -> str:
    return entry.name.rpartition("/")[2].lower()


def _directory(source: Source, known: _Known) -> Iterator[Problem]:
    for entry in source.entries:
        base = _base(entry)
        if base not in (*_LISTS, *_PEOPLE) or _DAY.match(entry.name):
            continue
        for each in _objects(entry):
            if isinstance(each, Problem):
                yield each
            elif base in _PEOPLE:
                _person(each[1], known)
            else:
                _place(each[1], _LISTS[base], known)


def _person(user: Mapping[str, Any], known: _Known) -> None:
    """Who left keeps their name: what they said is there."""
    id, profile = identity(user.get("id")), mapping(user.get("profile"))
    if not id:
        return
    known.people[id] = _called(profile) or name(user.get("real_name"), user.get("name"))
    if user.get("is_bot") is True:
        known.bots.add(id)


def _called(profile: Mapping[str, Any]) -> str | None:
    return name(profile.get("display_name"), profile.get("real_name"), profile.get("name"))


def _place(channel: Mapping[str, Any], privacy: str, known: _Known) -> None:
    """Folders have the channel's name; those of direct messages, which have none, the id."""
    id = identity(channel.get("id"))
    if not id:
        return
    title = name(channel.get("name")) or ""
    if channel.get("is_private") is True and privacy == "open":
        privacy = "private"
    place = _Place(id, title, privacy)
    known.places[id] = place
    known.places[text(channel.get("name")) or id] = place
    if title:
        known.channels[id] = title


def _objects(entry: Entry) -> Iterator[tuple[str, Mapping[str, Any]] | Problem]:
    number = 0
    try:
        with entry.open() as stream:
            for value in scan.Scan(stream).items():
                number += 1
                where = f"{entry.name}, message {number:,}"
                if isinstance(value, dict):
                    yield where, value
                else:
                    yield scan.left_out(where, value)
    except scan.Damaged as damage:
        yield scan.rest_of(entry, damage, f"message {number:,}")


def _day(entry: Entry, place: _Place, known: _Known) -> Iterator[Read]:
    """Some programs write a thread's answers right behind its first message; in the log they stand where they were said."""
    read = (each if isinstance(each, Problem) else _message(*each, place, known) for each in _objects(entry))
    if entry.size > _SORTED:
        yield from read
        return
    found = list(read)
    yield from (each for each in found if not isinstance(each, Line))
    yield from sorted((each for each in found if isinstance(each, Line)), key=_when)


def _when(line: Line) -> datetime:
    assert isinstance(line.message.at, datetime)
    return line.message.at


def _message(where: str, given: Mapping[str, Any], place: _Place, known: _Known) -> Read:
    kind, person = text(given.get("subtype")), identity(given.get("user"))
    if kind in markup.BY_BOTS or given.get("bot_id") or person in known.bots:
        return Left(_BOTS)
    if kind == "tombstone":
        return Left("deleted messages")
    if kind not in markup.SAID or given.get("type", "message") != "message":
        return Left("messages about the channel (joins, topics, pins)")
    if given.get("hidden") is True:
        return Left("hidden messages")
    ts, at = text(given.get("ts")), seconds(given.get("ts"))
    if at is None or not ts:
        return Problem(where, "It has no good `ts`, which is a message's id and time. It was left out.")
    if not person:
        return Problem(where, "It does not say who wrote it. It was left out.")
    said = markup.words(given, lambda id: known.channels.get(id, id))
    if not said:
        return Left("messages without words or files")
    message = NewMessage(
        role="user",
        text=said,
        person=person,
        name=known.people.get(person) or _called(mapping(given.get("user_profile"))),
        at=at,
        key=f"slack:{place.id}:{ts}",
        meta=place.meta | ({"edited": True} if given.get("edited") else {}),
    )
    return Line(_channel(place, ts, given), message, where)


def _channel(place: _Place, ts: str, given: Mapping[str, Any]) -> str:
    """Answers are in their thread. The message they answer stays in the channel, where it was said before there was a thread."""
    thread = text(given.get("thread_ts"))
    return f"{place.id}:{thread}" if thread and thread != ts else place.id
