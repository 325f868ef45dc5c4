"""The report: counted by the database, put together here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta

from erstwhile.base.clock import micros
from erstwhile.recall.trace import PATHS
from erstwhile.requests import latencies
from erstwhile.requests.latencies import NOTHING, Times
from erstwhile.requests.model import OPS, STAGES, Counts, Day, Report, Spent
from erstwhile.requests.store import DAY, queries
from erstwhile.rooms.structured import store as structured
from erstwhile.storage import Row, Transaction

_NAMES = tuple(field.name for field in fields(Counts))


async def report(tx: Transaction, since: datetime, until: datetime) -> Report:
    """`since` is the midnight, in UTC, that the first day begins with."""
    days = (micros(until) - micros(since)) // DAY + 1
    period = {"since": micros(since), "until": micros(until)}
    rows = await tx.all(queries.counts, **period)
    counted = _sum(rows)
    times, of_day = await latencies.measured(tx, period)
    spent = [Spent("chat", **row) for row in await tx.all(queries.spent_on_chat, **period)]
    first = micros(since) // DAY
    memory = [Spent(**row) for row in await tx.all(queries.spent_on_memory, first=first, last=first + days - 1)]
    complaints = await tx.all(queries.complaints, **period)
    noted = await structured.counts(tx)
    return Report(
        space=tx.space,
        since=since,
        until=until,
        days=days,
        requests=counted.requests,
        queries=counted.queries,
        by_op={op: sum(row["requests"] for row in rows if row["op"] == op) for op in OPS},
        hit_rates={path: share(getattr(counted, path), counted.queries) for path in PATHS},
        thin=share(counted.thin, counted.queries),
        fallback=share(counted.fallback, counted.queries),
        widened=share(counted.widened, counted.queries),
        meaning=share(counted.meaning, counted.queries),
        summaries_only=share(counted.summaries_only, counted.queries),
        truncated=share(counted.truncated, counted.contexts),
        empty=share(counted.empty, counted.requests),
        retrieval=times.retrieval,
        model=times.model,
        whole=times.whole,
        errors={stage: share(getattr(counted, f"{stage}_errors"), counted.requests) for stage in STAGES},
        tokens_per_request=share(counted.tokens, counted.contexts),
        spent=(*spent, *memory),
        memory_share=share(sum(each.tokens for each in memory), sum(each.tokens for each in (*spent, *memory))),
        complaints=sum(row["complaints"] for row in complaints),
        missed=share(sum(row["missed"] for row in complaints), counted.queries),
        structured=noted.rate if noted.read else None,
        daily=_daily(since, days, rows, complaints, of_day),
    )


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _daily(
    since: datetime, days: int, rows: Sequence[Row], complaints: Sequence[Row], times: Mapping[int, Times]
) -> tuple[Day, ...]:
    told = {row["day"]: row["complaints"] for row in complaints}
    return tuple(
        Day(
            day=(since + timedelta(days=day)).date(),
            counts=_sum([row for row in rows if row["day"] == day]),
            retrieval=times.get(day, NOTHING).retrieval,
            model=times.get(day, NOTHING).model,
            whole=times.get(day, NOTHING).whole,
            complaints=told.get(day, 0),
        )
        for day in range(days)
    )


def _sum(rows: Sequence[Row]) -> Counts:
    return Counts(**{name: sum(int(row[name]) for row in rows) for name in _NAMES})
