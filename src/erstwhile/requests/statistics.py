"""Build the report from the database's counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from erstwhile.base.clock import micros
from erstwhile.layers.summaries import readings
from erstwhile.requests.model import (
    CHAT,
    OPS,
    STAGES,
    Latency,
    Report,
    ReportDay,
    RequestCounts,
    TokenUsage,
    memory_share,
    share,
)
from erstwhile.requests.store import DAY, queries
from erstwhile.search.trace import PATHS
from erstwhile.storage import Row, Transaction

_NAMES = tuple(field.name for field in fields(RequestCounts))
_TAKEN = ("calls", "input_tokens", "output_tokens", "cached_tokens", "failed", "unborne")
_SHARES = ("thin", "fallback", "widened", "meaning", "summaries_only", "truncated", "empty")
Times = Mapping[str, Any]  # a Latency each, by TIMED
TIMED = ("retrieval", "model", "whole")
NO_TIMES: Times = dict.fromkeys(TIMED, Latency())


async def report(tx: Transaction, since: datetime, until: datetime) -> Report:
    """Build the report. `since` is midnight UTC of the first day."""
    days = (micros(until) - micros(since)) // DAY + 1
    period = {"since": micros(since), "until": micros(until)}
    rows = await tx.all(queries.counts, **period)
    counted = _sum(rows)
    times, of_day = await measured(tx, period)
    first = micros(since) // DAY
    used = await tx.all(queries.spent_on_chat, **period)
    used += await tx.all(queries.spent_on_memory, first=first, last=first + days - 1)
    spent = _spent(used)
    feedback = await tx.all(queries.feedback_by_day, **period)
    told, counted_by_day, used_by_day = _by_day(feedback), _by_day(rows), _by_day(used)
    shares: dict[str, Any] = {name: counted.share(name) for name in _SHARES}
    noted = await readings.counts(tx, "structured")
    rates = await readings.rates(tx, "structured", **period)
    return Report(
        space=tx.space,
        since=since,
        until=until,
        days=days,
        requests=counted.requests,
        queries=counted.queries,
        by_op={op: sum(row["requests"] for row in rows if row["op"] == op) for op in OPS},
        hit_rates={path: counted.share(path) for path in PATHS},
        **shares,
        **times,
        errors={stage: counted.share(f"{stage}_errors") for stage in STAGES},
        tokens_per_request=counted.share("tokens"),
        spent=spent,
        memory_share=memory_share(spent),
        feedback=sum(row["feedback"] for row in feedback),
        missed=share(sum(row["missed"] for row in feedback), counted.queries),
        structure_rate=noted.rate if noted.read else None,
        daily=tuple(
            ReportDay(
                day=(since + timedelta(days=day)).date(),
                counts=_sum(counted_by_day[day]),
                **of_day.get(day, NO_TIMES),
                feedback=sum(row["feedback"] for row in told[day]),
                missed=sum(int(row["missed"]) for row in told[day]),
                structure_rate=rates.get(day),
                spent=_spent(used_by_day[day]),
            )
            for day in range(days)
        ),
    )


def _by_day(rows: Sequence[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["day"]].append(row)
    return found


def _spent(rows: Sequence[Row]) -> tuple[TokenUsage, ...]:
    """Sum usage by task and model, chat first."""
    sums: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        so_far = sums.setdefault((row["task"], row["model"]), [0] * len(_TAKEN))
        for at, name in enumerate(_TAKEN):
            so_far[at] += int(row[name])
    by_chat = sorted(sums, key=lambda who: (who[0] != CHAT, who))
    return tuple(TokenUsage(*who, *sums[who]) for who in by_chat)


def _sum(rows: Sequence[Row]) -> RequestCounts:
    return RequestCounts(**{name: sum(int(row[name]) for row in rows) for name in _NAMES})


async def measured(tx: Transaction, period: Mapping[str, int]) -> tuple[Times, dict[int, Times]]:
    """Return the latencies of the whole period, and by day number."""
    if tx.dialect == "sqlite":
        rows = await tx.all(queries.times, **period)
        return _taken(rows), {day: _taken(of_day) for day, of_day in _by_day(rows).items()}
    whole = await tx.all(queries.percentiles, **period, width=period["until"] - period["since"] + 1)
    days = await tx.all(queries.percentiles, **period, width=DAY)
    return _times(whole[0]) if whole else NO_TIMES, {row["stretch"]: _times(row) for row in days}


def _times(row: Row) -> Times:
    return {what: Latency(row[f"{what}_p50"], row[f"{what}_p95"]) for what in TIMED}


def _taken(rows: Sequence[Row]) -> Times:
    models = [row["model_ms"] for row in rows if row["model_ms"] is not None]
    whole = [row["retrieval_ms"] + (row["model_ms"] or 0) for row in rows]
    taken = ([row["retrieval_ms"] for row in rows], models, whole)
    return dict(zip(TIMED, map(_latency, taken), strict=True))


def _latency(values: list[float]) -> Latency:
    """Return percentiles by nearest rank."""
    values.sort()
    if not values:
        return Latency()
    return Latency(values[(len(values) + 1) // 2 - 1], values[-(-len(values) * 95 // 100) - 1])
