"""Candidates as a request keeps them: by column, and what repeats once. That takes a third of what a
list of candidates would."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from erstwhile.search.trace import Candidate

_REPEATED = ("kind", "channel", "fate", "hop")


def pack(candidates: Sequence[Candidate], clean: Callable[[str], str]) -> dict[str, Any]:
    """`clean`: makes what a model wrote storable."""
    packed: dict[str, Any] = {
        name: list(map(attrgetter(name), candidates)) for name in ("id", "seq", "at")
    }
    packed["score"] = [round(each.score, 4) for each in candidates]
    for name in _REPEATED:
        values = list(map(attrgetter(name), candidates))
        places = {value: place for place, value in enumerate(dict.fromkeys(values))}
        packed[name] = {"values": list(places), "places": [places[value] for value in values]}
    packed["hop"]["values"] = list(map(clean, packed["hop"]["values"]))
    parts = dict.fromkeys(name for each in candidates for name in each.parts)
    # A part that is 0 is shorter as a whole number; None: not a part of this score.
    packed["parts"] = {
        name: [each.parts.get(name) or (0 if name in each.parts else None) for each in candidates]
        for name in parts
    }
    return packed


def unpack(packed: Mapping[str, Any]) -> tuple[Candidate, ...]:
    if not packed:
        return ()
    repeated = [
        [packed[name]["values"][place] for place in packed[name]["places"]] for name in _REPEATED
    ]
    numbers = packed["seq"], packed["at"], packed["score"]
    rows = zip(packed["id"], *repeated, *numbers, strict=True)
    return tuple(
        Candidate(id, kind, channel, seq, at, score, _parts(packed["parts"], row), fate, hop)
        for row, (id, kind, channel, fate, hop, seq, at, score) in enumerate(rows)
    )


def _parts(columns: Mapping[str, Sequence[float | None]], row: int) -> dict[str, float]:
    return {
        name: float(value) for name, values in columns.items() if (value := values[row]) is not None
    }
