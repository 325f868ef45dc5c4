"""Latencies of requests, per day and for the whole period."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from erstwhile.requests.model import Latency
from erstwhile.requests.store import DAY, queries
from erstwhile.storage import Row, Transaction


@dataclass(frozen=True, slots=True)
class Times:
    retrieval: Latency
    model: Latency
    whole: Latency


NOTHING = Times(Latency(), Latency(), Latency())


async def measured(tx: Transaction, period: Mapping[str, int]) -> tuple[Times, dict[int, Times]]:
    """Return the latencies of the whole period, and by day number."""
    if tx.dialect == "sqlite":
        return _measured(await tx.all(queries.times, **period))
    whole = await tx.all(queries.percentiles, **period, width=period["until"] - period["since"] + 1)
    days = await tx.all(queries.percentiles, **period, width=DAY)
    return _times(whole[0]) if whole else NOTHING, {row["stretch"]: _times(row) for row in days}


def _times(row: Row) -> Times:
    return Times(*(Latency(row[f"{what}_p50"], row[f"{what}_p95"]) for what in ("retrieval", "model", "whole")))


def _measured(rows: Sequence[Row]) -> tuple[Times, dict[int, Times]]:
    by_day: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_day[row["day"]].append(row)
    return _taken(rows), {day: _taken(of_day) for day, of_day in by_day.items()}


def _taken(rows: Sequence[Row]) -> Times:
    return Times(
        _latency([row["retrieval_ms"] for row in rows]),
        _latency([row["model_ms"] for row in rows if row["model_ms"] is not None]),
        _latency([row["retrieval_ms"] + (row["model_ms"] or 0) for row in rows]),
    )


def _latency(values: list[float]) -> Latency:
    """Return percentiles by nearest rank."""
    values.sort()
    return Latency(values[(len(values) + 1) // 2 - 1], values[-(-len(values) * 95 // 100) - 1]) if values else Latency()
