"""Metrics for Prometheus. Counters follow spans and responses; the job queue is read on each
scrape.

No label contains user data: no space, no person and no path, only the route.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST as MEDIA_TYPE

from erstwhile.api.memory import Memory
from erstwhile.base import tracing
from erstwhile.base.errors import BadAnswer, ModelRefused, ModelUnavailable

__all__ = ["MEDIA_TYPE", "Metrics"]

_READ_EVERY: Final = 1.0  # seconds the queue's counts are cached
_SECONDS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_OUTCOMES: Final = ((ModelUnavailable, "unavailable"), (ModelRefused, "refused"), (BadAnswer, "bad_answer"))


class Metrics:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.accepted = Counter("erstwhile_messages_accepted", "Messages stored.", registry=registry)
        self.jobs = Gauge("erstwhile_jobs", "Jobs by state.", ["state"], registry=registry)
        self.job_age = Gauge("erstwhile_job_age_seconds", "How long the oldest job has been due.", registry=registry)
        self.parked = Gauge("erstwhile_parked", "Parked jobs.", registry=registry)
        self.calls = Counter("erstwhile_llm_calls", "Model calls.", ["outcome"], registry=registry)
        self.tokens = Counter("erstwhile_llm_tokens", "Model tokens.", ["direction"], registry=registry)
        self.recall = Histogram(
            "erstwhile_recall_seconds", "Duration of searches.", buckets=_SECONDS, registry=registry
        )
        self.requests = Counter(
            "erstwhile_http_requests", "Requests answered.", ["method", "route", "status"], registry=registry
        )
        self.http = Histogram(
            "erstwhile_http_seconds",
            "Duration of requests; of streams until the first byte.",
            ["route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.watchers = Gauge("erstwhile_events_watchers", "Open event streams.", registry=registry)
        self.degraded = Counter("erstwhile_chat_degraded", "Chats answered without their memory.", registry=registry)
        self.lost = Gauge("erstwhile_chat_lost", "Turns of chats that could not be logged.", registry=registry)
        for outcome in ("ok", "unavailable", "refused", "bad_answer", "other"):
            self.calls.labels(outcome)
        for direction in ("input", "output"):
            self.tokens.labels(direction)
        tracing.listen(self)

    def heard(self, span: tracing.Span) -> None:
        if span.operation == "search_memory":
            self.recall.observe(span.seconds)
        elif span.operation == "create_memory" and "channel" in span.what:
            self.accepted.inc(span.what.get("count", 0))
        elif span.operation == "chat":
            self.calls.labels(_outcome(span.error)).inc()
            self.tokens.labels("input").inc(span.what.get("input_tokens", 0))
            self.tokens.labels("output").inc(span.what.get("output_tokens", 0))

    async def text(self) -> bytes:
        async with self._reading:
            if time.monotonic() - self._read_at >= _READ_EVERY:
                counted, age = await self._memory.jobs.worker.queue()
                for state, number in counted.items():
                    self.jobs.labels(state).set(number)
                self.parked.set(counted["parked"])
                self.job_age.set(age)
                self._read_at = time.monotonic()
        return generate_latest(self.registry)


def _outcome(error: BaseException | None) -> str:
    if error is None:
        return "ok"
    return next((outcome for kind, outcome in _OUTCOMES if isinstance(error, kind)), "other")
