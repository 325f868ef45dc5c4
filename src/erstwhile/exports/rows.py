"""What goes into an export: its subject, and the rows of the tables, by what the tables declare."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from erstwhile.archive.model import ArchiveTable
from erstwhile.archive.tables import Selection
from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.log import people as log
from erstwhile.memories import select
from erstwhile.storage import Dialect
from erstwhile.tables.model import Table

FORMAT: Final = 2


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The zip, and how many messages and memories are in it."""

    path: Path
    messages: int
    memories: int


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """The result of loading an export: all its rows (`whole`), or only its messages if the space
    was not empty. `skipped` messages existed already or must not be stored. `left`: settings that
    were not taken; `was`: the name of the exported space."""

    whole: bool
    messages: int
    memories: int
    skipped: int
    channels: int
    left: tuple[str, ...] = ()
    was: str = ""


@dataclass(frozen=True, slots=True)
class WithheldMemories:
    """What a person does not get: memories of private `channels`, and of channels that were private
    at first what was made before the message `early` names."""

    channels: tuple[str, ...] = ()
    early: Mapping[str, int] = field(default_factory=dict)

    def hides(self, channel: str, seq: int | None) -> bool:
        return channel in self.channels or (seq or 0) < self.early.get(channel, 0)


@dataclass(frozen=True, slots=True)
class ExportSubject:
    """Whose export it is: a person's, a channel's or, with neither, the space's."""

    person: str | None = None
    channel: str | None = None

    @property
    def kind(self) -> str:
        if self.person is not None:
            return "person"
        return "space" if self.channel is None else "channel"

    @property
    def what(self) -> dict[str, str]:
        named = self.person if self.person is not None else self.channel
        return {} if named is None else {self.kind: named}


def of(person: str | None, channel: str | None) -> ExportSubject:
    """Return whose export is asked for."""
    if person is not None and channel is not None:
        raise InvalidInput(
            "Name a person or a channel, one of the two, or neither for the whole space."
        )
    return ExportSubject(person=person, channel=channel)


_JOB: Final = ("kind", "key", "lane", "pace", "payload", "due_at", "limit_at")
_SPACE: Final[Mapping[str, str]] = {"jobs": "state <> 'done'", "space_settings": "secret = 0"}

_HERS: Final = "person = :person"
_IN: Final = "channel = :channel"


def selections(
    layout: Mapping[str, ArchiveTable],
    tables: Iterable[Table],
    of: ExportSubject,
    withheld: WithheldMemories,
    dialect: Dialect,
) -> list[Selection]:
    """`withheld`: what a person gets only their own messages of."""
    exported = [table for table in tables if table.exported]
    if of.kind == "space":
        chosen = {table.name: _SPACE.get(table.name, "") for table in exported}
    else:
        shared = [table for table in exported if table.exported == "all"]
        chosen = _person(shared, dialect) if of.person is not None else _channel(shared)
    hidden = {"withheld": json.dumps(withheld.channels), "early": json.dumps(dict(withheld.early))}
    named = {"person": of.person, "channel": of.channel, "naming": _naming(of.channel or "")}
    there = [(layout[name], where) for name, where in sorted(chosen.items()) if name in layout]
    return [_selection(table, where, {**named, **hidden}) for table, where in there]


def _selection(table: ArchiveTable, where: str, params: Mapping[str, Any]) -> Selection:
    columns = tuple(name for name in table.columns if name not in ("space", "doc"))
    columns = _JOB if table.name == "jobs" else columns
    used = {name: value for name, value in params.items() if f":{name}" in where}
    return Selection(table, columns, where, used)


def _naming(channel: str) -> str:
    """Return what the payload of a job for this channel looks like."""
    told = json.dumps({"channel": channel}, ensure_ascii=False)[1:-1]
    return "%" + "".join(f"!{each}" if each in "!%_" else each for each in told) + "%"


def _outside(column: str, seq: str, dialect: Dialect) -> str:
    """Return what a row with this channel, made from this message and later ones, must fulfil."""
    if dialect == "sqlite":
        listed, early, since = "json_each(:withheld)", "json_each(:early) AS e", "e.value"
    else:
        listed = "jsonb_array_elements_text(:withheld::jsonb) AS w (value)"
        early, since = "jsonb_each_text(:early::jsonb) AS e (key, value)", "e.value::bigint"
    return (
        f"{column} NOT IN (SELECT value FROM {listed})"
        f" AND NOT EXISTS (SELECT 1 FROM {early} WHERE e.key = {column} AND {seq} < {since})"
    )


def _person(tables: Iterable[Table], dialect: Dialect) -> dict[str, str]:
    seq = "coalesce(memories.seq, memories.first_seq, 0)"
    memories = f"{_HERS} AND {_outside('memories.channel', seq, dialect)}"
    document = _outside("documents.channel", "coalesce(documents.seq, 0)", dialect)
    chosen = {}
    for table in tables:
        if table.channel and table.person:
            outside = _outside(table.channel[0], "0", dialect)
            chosen[table.name] = f"{table.person[0]} = :person AND {outside}"
        elif table.memory:
            chosen[table.name] = _beside(table, memories)
        elif table.person:
            chosen[table.name] = f"{table.person[0]} = :person"
    return {
        **chosen,
        "spaces": "",
        "channels": f"channel IN ({log.CHANNELS_OF})",
        "messages": _HERS,
        "speakers": _HERS,
        "memories": memories,
        "documents": f"{_HERS} AND (channel IS NULL OR ({document}))",
    }


def _channel(tables: Iterable[Table]) -> dict[str, str]:
    chosen = {}
    for table in tables:
        if table.channel:
            chosen[table.name] = f"{table.channel[0]} = :channel"
        elif table.memory:
            chosen[table.name] = _beside(table, _IN)
    people = f"person IN ({log.PEOPLE_OF})"
    jobs = "state <> 'done' AND payload LIKE :naming ESCAPE '!'"
    return {**chosen, "spaces": "", "jobs": jobs, "people": people, "names": people}


def _beside(table: Table, mine: str) -> str:
    """Return which rows belong to exported memories."""
    return " AND ".join(f"{name} IN ({select.IDS} AND {mine})" for name in table.memory)
