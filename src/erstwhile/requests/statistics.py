"""Build the report from the database's counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.layers.summaries import readings
from erstwhile.requests.model import OPS, STAGES, Latency, Report, ReportDay, RequestCounts, Spent, share
from erstwhile.requests.store import DAY, queries
from erstwhile.search.trace import PATHS
from erstwhile.storage import Row, Transaction

_NAMES = tuple(field.name for field in fields(RequestCounts))
_TAKEN = ("calls", "input_tokens", "output_tokens", "cached_tokens", "failed", "unborne")
_SHARES = ("thin", "fallback", "widened", "meaning", "summaries_only", "truncated", "empty")
CHAT = "chat"


@dataclass(frozen=True, slots=True)
class _Rows:
    """The database's counts. Some have rows only for days with data."""

    counts: Sequence[Row]
    complaints: Sequence[Row]
    used: Sequence[Row]
    times: Mapping[int, Times]
    structure_rates: Mapping[int, float]


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
    memory = [each for each in spent if each.task != CHAT]
    complaints = await tx.all(queries.complaints, **period)
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
        **{name: counted.share(name) for name in _SHARES},
        retrieval=times.retrieval,
        model=times.model,
        whole=times.whole,
        errors={stage: counted.share(f"{stage}_errors") for stage in STAGES},
        tokens_per_request=counted.share("tokens"),
        spent=spent,
        memory_share=share(sum(each.tokens for each in memory), sum(each.tokens for each in spent)),
        complaints=sum(row["complaints"] for row in complaints),
        missed=share(sum(row["missed"] for row in complaints), counted.queries),
        structure_rate=noted.rate if noted.read else None,
        daily=_daily(since, days, _Rows(rows, complaints, used, of_day, rates)),
    )


def _daily(since: datetime, days: int, found: _Rows) -> tuple[ReportDay, ...]:
    told = {row["day"]: row for row in found.complaints}
    counted, used = _by_day(found.counts), _by_day(found.used)
    return tuple(
        ReportDay(
            day=(since + timedelta(days=day)).date(),
            counts=_sum(counted[day]),
            retrieval=found.times.get(day, NOTHING).retrieval,
            model=found.times.get(day, NOTHING).model,
            whole=found.times.get(day, NOTHING).whole,
            complaints=told[day]["complaints"] if day in told else 0,
            missed=int(told[day]["missed"]) if day in told else 0,
            structure_rate=found.structure_rates.get(day),
            spent=_spent(used[day]),
        )
        for day in range(days)
    )


def _by_day(rows: Sequence[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["day"]].append(row)
    return found


def _spent(rows: Sequence[Row]) -> tuple[Spent, ...]:
    """Sum usage by task and model, chat first."""
    sums: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        so_far = sums.setdefault((row["task"], row["model"]), [0] * len(_TAKEN))
        for at, name in enumerate(_TAKEN):
            so_far[at] += int(row[name])
    return tuple(Spent(*who, *sums[who]) for who in sorted(sums, key=lambda who: (who[0] != CHAT, who)))


def _sum(rows: Sequence[Row]) -> RequestCounts:
    return RequestCounts(**{name: sum(int(row[name]) for row in rows) for name in _NAMES})


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
    return _taken(rows), {day: _taken(of_day) for day, of_day in _by_day(rows).items()}


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
