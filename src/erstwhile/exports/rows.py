"""The rows of the tables that go into an export."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from erstwhile.archive.model import ArchiveTable
from erstwhile.archive.tables import Selection
from erstwhile.exports.model import Of, WithheldMemories
from erstwhile.storage import Dialect

# Rows of the server, not of the space, and rows that are made again from the others.
LEFT_OUT: Final = frozenset(
    (
        *("keys", "sessions", "allowances", "events", "paces", "erasing", "documents_gone"),
        *("document_terms", "unembedded", "vectors", "embedded", "index_files", "index_pieces"),
    )
)
_JOB: Final = ("kind", "key", "lane", "pace", "payload", "due_at", "limit_at")
_SPACE: Final[Mapping[str, str]] = {"jobs": "state <> 'done'", "space_settings": "secret = 0"}

_HERS: Final = "person = :person"
_IN: Final = "channel = :channel"
_HEARD: Final = "audience = :channel"


def selections(
    layout: Mapping[str, ArchiveTable], of: Of, withheld: WithheldMemories, dialect: Dialect
) -> list[Selection]:
    """`withheld`: what a person gets only their own messages of."""
    if of.kind == "space":
        chosen = {name: _SPACE.get(name, "") for name in layout.keys() - LEFT_OUT}
    elif of.person is not None:
        chosen = _person(dialect)
    else:
        chosen = _channel()
    params = {
        "person": of.person,
        "channel": of.channel,
        "withheld": json.dumps(withheld.channels),
        "early": json.dumps(dict(withheld.early)),
        "naming": _naming(of.channel or ""),
    }
    return [
        _selection(layout[name], where, params)
        for name, where in sorted(chosen.items())
        if name in layout
    ]


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


def _person(dialect: Dialect) -> dict[str, str]:
    audience = f"{_HERS} AND {_outside('audience', '0', dialect)}"
    channel = f"{_HERS} AND {_outside('memories.channel', 'coalesce(memories.seq, memories.first_seq, 0)', dialect)}"
    document = _outside("documents.channel", "coalesce(documents.seq, 0)", dialect)
    mine = f"SELECT id FROM memories WHERE space = :space AND {channel}"
    return {
        "memories": channel,
        "spaces": "",
        "channels": "channel IN (SELECT channel FROM speakers WHERE space = :space AND person = :person)",
        "speakers": _HERS,
        "people": _HERS,
        "names": _HERS,
        "messages": _HERS,
        "told": audience,
        "tellings": audience,
        "weeks": audience,
        "portraits": audience,
        "profiles": _HERS,
        "prompts": _HERS,
        **_beside(mine),
        "documents": f"{_HERS} AND (channel IS NULL OR ({document}))",
    }


def _channel() -> dict[str, str]:
    whole = ("channels", "speakers", "messages", "chunk_cursors", "chunks", "readings", "memories")
    here = dict.fromkeys((*whole, "briefs", "buffers", "documents"), _IN)
    heard = dict.fromkeys(("told", "tellings", "day_batches", "weeks", "portraits"), _HEARD)
    mine = f"SELECT id FROM memories WHERE space = :space AND {_IN}"
    people = "person IN (SELECT person FROM speakers WHERE space = :space AND channel = :channel)"
    return {
        **here,
        **heard,
        "spaces": "",
        "jobs": "state <> 'done' AND payload LIKE :naming ESCAPE '!'",
        "people": people,
        "names": people,
        "note_people": f"id IN ({mine})",
        **_beside(mine),
    }


def _beside(mine: str) -> dict[str, str]:
    """Return the rows of tables beside the memories."""
    beside = ("versions", "flags", "memory_sources", "structured_threads")
    links = {"fact_links": f"id IN ({mine}) AND other IN ({mine})"}
    return {**dict.fromkeys(beside, f"id IN ({mine})"), **links}
