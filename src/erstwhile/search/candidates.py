"""The candidates of a search by column. So they are worked out and kept in a third of what a list of objects would take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from erstwhile.search.trace import Candidate

if TYPE_CHECKING:
    from erstwhile.search.evidence import PartTable

# A list for each field, but for `parts` one for each part of a score: in thousandths, None where a
# score has no such part.
CandidateColumns = dict[str, Any]

_FIELDS = ("id", "kind", "channel", "seq", "at", "score", "fate", "hop")
_REPEATED = ("kind", "channel", "fate", "hop")


def by_column(candidates: Sequence[Candidate]) -> CandidateColumns:
    columns: CandidateColumns = {name: list(map(attrgetter(name), candidates)) for name in _FIELDS}
    names = dict.fromkeys(name for each in candidates for name in each.parts)
    columns["parts"] = {
        name: [
            round(1000 * each.parts[name]) if name in each.parts else None for each in candidates
        ]
        for name in names
    }
    return columns


def parts_of(entries: Sequence[tuple[PartTable, int]]) -> dict[str, list[int | None]]:
    """Return the parts of scores by column, given each with the table it is in, and its row there."""
    found: dict[str, list[int | None]] = {}
    for table in dict.fromkeys(table for table, _ in entries):
        places = [place for place, (other, _) in enumerate(entries) if other is table]
        for name, column in table.thousandths([entries[place][1] for place in places]).items():
            whole = found.setdefault(name, [None] * len(entries))
            for place, part in zip(places, column, strict=True):
                whole[place] = part
    return found


def one_by_one(columns: CandidateColumns) -> tuple[Candidate, ...]:
    names, rows = columns["parts"].keys(), zip(*columns["parts"].values(), strict=True)
    parts = [
        {name: part / 1000 for name, part in zip(names, row, strict=True) if part is not None}
        for row in rows
    ] or [{} for _ in columns["id"]]
    *fields, fates, hops = (columns[name] for name in _FIELDS)
    return tuple(map(Candidate, *fields, parts, fates, hops))


def pack(columns: CandidateColumns, clean: Callable[[str], str]) -> dict[str, Any]:
    """Return them as a request keeps them: what repeats only once. `clean`: makes what a model
    wrote storable."""
    packed = {name: columns[name] for name in ("id", "seq", "at")}
    packed["score"] = [round(score, 4) for score in columns["score"]]
    for name in _REPEATED:
        places = {value: place for place, value in enumerate(dict.fromkeys(columns[name]))}
        packed[name] = {
            "values": list(places),
            "places": list(map(places.__getitem__, columns[name])),
        }
    packed["hop"]["values"] = list(map(clean, packed["hop"]["values"]))
    packed["thousandths"] = columns["parts"]
    return packed


def unpack(packed: Mapping[str, Any]) -> tuple[Candidate, ...]:
    if not packed:
        return ()
    columns = {name: packed[name] for name in ("id", "seq", "at", "score")}
    for name in _REPEATED:
        columns[name] = [packed[name]["values"][place] for place in packed[name]["places"]]
    columns["parts"] = packed["thousandths"] if "thousandths" in packed else _older(packed["parts"])
    return one_by_one(columns)


def _older(parts: Mapping[str, Sequence[float | None]]) -> CandidateColumns:
    """Return the parts of requests that were recorded before 19 November 2026: as numbers with three digits."""
    return {
        name: [None if part is None else round(1000 * part) for part in column]
        for name, column in parts.items()
    }
