"""A Slack workspace export: a folder per channel, a file per day.

Keys and channels are those of the live bot, so messages seen by both are stored once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Final, cast

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.importers import model, scan
from erstwhile.importers.scan import filled, identity, mapping, name, seconds, text
from erstwhile.log.model import NewMessage
from erstwhile.text import slack as markup

# The list that names a channel tells who could read it.
_LISTS: Final = {
    "channels.json": "open",
    "groups.json": "private",
    "mpims.json": "private",
    "dms.json": "direct",
}
_PEOPLE: Final = ("users.json", "org_users.json")
_DAY = re.compile(
    r"\A(?:(?:.*/)?([^/]+)/)?(\d{4}-\d\d-\d\d)\.json$"
)  # without a folder: of one channel
_BOTS: Final = "messages of bots"
_SORTED: Final = 32 * 2**20  # bytes of a day's file that is sorted by time


def _recognises(source: model.ImportSource) -> bool:
    names = {_base(entry) for entry in source.entries}
    days = [entry for entry in source.entries if _DAY.match(entry.name)]
    if days and names & {*_LISTS, *_PEOPLE}:
        return True
    return any('"ts"' in scan.head(entry) for entry in days[:3])


def _read(source: model.ImportSource) -> model.ReadItems:
    alone = source.name.rstrip("/").rpartition("/")[2].removesuffix(".zip")
    named = ((_DAY.match(entry.name), entry) for entry in source.entries)
    days = [(found[1] or alone, found[2], entry) for found, entry in named if found]
    if not days:
        raise InvalidInput(
            f"{source.name} is not an export of Slack: it has no folders of channels with a file per day. "
            "Give the zip that Slack sent you, or its folder."
        )
    known = _Directory()
    yield from _directory(source, known)
    for folder, _, entry in sorted(days, key=lambda day: day[:2]):
        place = known.places.get(folder)
        if place is None:
            place = known.places[folder] = _SlackChannel(folder, "", None)
            unnamed = "No list of channels names this folder: it was renamed."
            yield model.ImportProblem(folder, f"{unnamed} The folder's name stands for its id.")
        yield from _day(entry, place, known)


FORMAT = model.Format("slack", _recognises, _read)


@dataclass(frozen=True, slots=True)
class _SlackChannel:
    """A channel and who could read it: "open", "private", "direct" or None."""

    id: str
    title: str
    privacy: str | None

    @property
    def meta(self) -> dict[str, Any]:
        return filled(title=self.title, privacy=None if self.privacy == "open" else self.privacy)


@dataclass(slots=True)
class _Directory:
    """`places` by folder name; `channels` and `people`: names by id."""

    places: dict[str, _SlackChannel] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)
    people: dict[str, str | None] = field(default_factory=dict)
    bots: set[str] = field(default_factory=lambda: {"USLACKBOT"})


def _base(entry: model.SourceFile) -> str:
    return entry.name.rpartition("/")[2].lower()


def _directory(source: model.ImportSource, known: _Directory) -> Iterator[model.ImportProblem]:
    for entry in source.entries:
        base = _base(entry)
        if base not in (*_LISTS, *_PEOPLE) or _DAY.match(entry.name):
            continue
        for each in scan.read_objects(entry, "message"):
            if isinstance(each, model.ImportProblem):
                yield each
            elif base in _PEOPLE:
                _person(each[1], known)
            else:
                _place(each[1], _LISTS[base], known)


def _person(user: Mapping[str, Any], known: _Directory) -> None:
    """Add a person. Those who left keep their name."""
    id, profile = identity(user.get("id")), mapping(user.get("profile"))
    if not id:
        return
    known.people[id] = _called(profile) or name(user.get("real_name"), user.get("name"))
    if user.get("is_bot") is True:
        known.bots.add(id)


def _called(profile: Mapping[str, Any]) -> str | None:
    return name(profile.get("display_name"), profile.get("real_name"), profile.get("name"))


def _place(channel: Mapping[str, Any], privacy: str, known: _Directory) -> None:
    """Add a channel. Folders have its name; those of direct messages its id."""
    id = identity(channel.get("id"))
    if not id:
        return
    title = name(channel.get("name")) or ""
    if channel.get("is_private") is True and privacy == "open":
        privacy = "private"
    place = _SlackChannel(id, title, privacy)
    known.places[id] = place
    known.places[text(channel.get("name")) or id] = place
    if title:
        known.channels[id] = title


def _day(entry: model.SourceFile, place: _SlackChannel, known: _Directory) -> model.ReadItems:
    """Read a day, sorted by time: some programs write threads together."""
    read = (
        each if isinstance(each, model.ImportProblem) else _message(*each, place, known)
        for each in scan.read_objects(entry, "message")
    )
    if entry.size > _SORTED:
        yield from read
        return
    found = list(read)
    messages = [each for each in found if isinstance(each, model.ImportedMessage)]
    yield from (each for each in found if not isinstance(each, model.ImportedMessage))
    yield from sorted(messages, key=lambda each: cast(datetime, each.message.at))


def _message(
    where: str, given: Mapping[str, Any], place: _SlackChannel, known: _Directory
) -> model.ReadItem:
    kind, person = text(given.get("subtype")), identity(given.get("user"))
    if kind in markup.BY_BOTS or given.get("bot_id") or person in known.bots:
        return model.SkippedItems(_BOTS)
    if kind == "tombstone":
        return model.SkippedItems("deleted messages")
    if kind not in markup.SAID or given.get("type", "message") != "message":
        return model.SkippedItems("messages about the channel (joins, topics, pins)")
    if given.get("hidden") is True:
        return model.SkippedItems("hidden messages")
    ts, at = text(given.get("ts")), seconds(given.get("ts"))
    if at is None or not ts:
        why = "It has no good `ts`, which is a message's id and time. It was left out."
        return model.ImportProblem(where, why)
    if not person:
        return model.ImportProblem(where, "It does not say who wrote it. It was left out.")
    said = markup.words(given, lambda id: known.channels.get(id, id))
    if not said:
        return model.SkippedItems("messages without words or files")
    called = known.people.get(person) or _called(mapping(given.get("user_profile")))
    key, meta = f"slack:{place.id}:{ts}", place.meta | filled(edited=bool(given.get("edited")))
    message = NewMessage("user", said, person, called, at, key, meta=meta)
    thread = text(given.get("thread_ts"))  # the first message of a thread stays in the channel
    channel = f"{place.id}:{thread}" if thread and thread != ts else place.id
    return model.ImportedMessage(channel, message, where)
