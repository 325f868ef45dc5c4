"""The job queue, parked jobs with their reasons, and recent errors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.api.finding import Finding
from erstwhile.api.memory import Memory
from erstwhile.dashboard import parts
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.viewer import Viewer
from erstwhile.jobs.model import ListedJob, QueueCount
from erstwhile.requests.model import Request

_FRESH: Final = 15.0  # seconds that what was found holds, for everyone who looks
_PATIENCE: Final = 0.25  # seconds that a page waits for it
_KINDS: Final = {"problem": "bad", "note": "warn", "ok": "good"}
_ORDER: Final = ("problem", "note", "ok")


class HealthChecks:
    """One check at a time, however many pages are open."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, list[Finding]]] = {}
        self._lock = asyncio.Lock()

    async def look(self, memory: Memory, space: str, *, anew: bool = False) -> list[Finding]:
        async with self._lock:
            at, found = self._found.get(space, (0.0, []))
            if anew or not found or time.monotonic() - at > _FRESH:
                found = await memory.doctor(space=space, quick=True)
                self._found[space] = (time.monotonic(), found)
            return sorted(found, key=lambda each: _ORDER.index(each.level))


checks = HealthChecks()


async def health_card(viewer: Viewer, memory: Memory) -> Callable[[Memory], Awaitable[None]]:
    """Show findings with the page if they are quick, else later. Returns a refresher."""
    looking = asyncio.create_task(checks.look(memory, viewer.space))
    done, _ = await asyncio.wait([looking], timeout=_PATIENCE)
    with parts.card("Health"):
        inside: Element = html.div().classes("stack findings").props("aria-live=polite data-health")
        panel = Panel[list[Finding]](findings, box=inside)

        async def later() -> None:
            panel.show(await looking)

        async def again() -> None:
            panel.show(await checks.look(await viewer.reading(), viewer.space, anew=True))

        with html.div().classes("row"):
            parts.button("Look again", again, kind="quiet", name="Look for problems again")
        if done:
            panel.show(looking.result())
        else:
            with inside:
                parts.quiet("Looking …")
            ui.timer(0.05, later, once=True)

    async def refresh(memory: Memory) -> None:
        panel.show(await checks.look(memory, viewer.space))

    return refresh


def findings(found: Sequence[Finding]) -> None:
    for each in found:
        with html.div().classes("finding"):
            parts.badge(each.level, _KINDS[each.level])
            with html.div():
                parts.advice(each.what)
                if each.advice:
                    parts.advice(each.advice, "reason")


_STATES: Final = ("waiting", "running", "parked", "timer")
_MEANT: Final = {"timer": "set for later"}
_SHOWN = 10  # parked jobs on the page
_FAILED = 8  # and failed requests


class JobCards:
    """Two cards, redrawn in place when something changed: the queue by kind, and parked jobs."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self.queue: list[QueueCount] = []
        with parts.card("Queue"):
            self._counts = Panel[list[QueueCount]](
                self._draw_queue, box=html.div().classes("stack").props("data-queue")
            )
        with parts.card("Parked jobs"):
            self._jobs = Panel[tuple[int, list[ListedJob]]](
                self._draw_parked, box=html.div().classes("stack").props("data-parked")
            )

    async def refresh(self, memory: Memory) -> None:
        self.queue = await memory.jobs.queue(space=self._viewer.space)
        many = _many(self.queue, "parked")
        parked = await memory.jobs.list(space=self._viewer.space, state="parked", limit=_SHOWN) if many else []
        self._counts.show(self.queue)
        self._jobs.show((many, parked))

    def _draw_queue(self, queue: list[QueueCount]) -> None:
        with html.div().classes("row"):
            for state in ("waiting", "running", "parked"):
                many = _many(queue, state)
                parts.badge(f"{many:,} {state}", "bad" if state == "parked" and many else "")
        if not queue:
            parts.quiet("No jobs.")
            return
        if waiting := [each.oldest for each in queue if each.state == "waiting"]:
            with html.p().classes("quiet-text"):
                html.span("The oldest has waited since ")
                parts.moment(min(waiting))
                html.span(f", {_ago(min(waiting))}.")
        with parts.table("Kind", "State", "Jobs", numbers=["Jobs"]):
            for each in sorted(queue, key=lambda each: (_STATES.index(each.state), each.kind)):
                with html.tr():
                    html.td(each.kind)
                    html.td(_MEANT.get(each.state, each.state))
                    html.td(f"{each.jobs:,}").classes("number")
        for reason in dict.fromkeys(each.reason for each in queue if each.reason and each.state != "parked"):
            parts.advice(f"Tried before: {reason}", "reason")

    def _draw_parked(self, found: tuple[int, list[ListedJob]]) -> None:
        many, parked = found
        if not many:
            parts.quiet("None: nothing failed for good.")
            return
        with html.div().classes("row between"):
            parts.quiet("They wait until someone retries them. Fix the cause first.")
            if self._viewer.may_write and many > 1:
                parts.button(f"Retry all {many:,}", self._retry_all)
        with html.ul().classes("list"):
            for job in parked:
                self._job(job)
        if many > len(parked):
            parts.quiet(f"And {many - len(parked):,} more.")

    def _job(self, job: ListedJob) -> None:
        with html.li().classes("stack").props("data-row"):
            with html.div().classes("row between"):
                with html.div().classes("row"):
                    html.strong(job.kind)
                    if job.attempts:
                        html.span(f"tried {parts.count(job.attempts, 'time')}").classes("quiet-text")
                if self._viewer.may_write:
                    parts.button("Retry", lambda: self._retry(job.id), name=f"Retry {job.kind}").classes("small")
            parts.text(job.reason or "No reason was given.", "reason")

    async def _retry(self, id: str) -> None:
        memory = await self._viewer.writing()
        await memory.jobs.retry(id, space=self._viewer.space)
        parts.toast("The job is due again.")
        await self.refresh(memory)

    async def _retry_all(self) -> None:
        memory = await self._viewer.writing()
        many = await memory.jobs.retry(space=self._viewer.space)
        parts.toast(f"{many:,} jobs are due again.")
        await self.refresh(memory)


class ErrorCard:
    """Requests that failed and jobs that are retried, each with its reason."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        with parts.card("Recent errors"):
            self._panel = Panel[tuple[list[Request], list[QueueCount]]](
                self._draw, box=html.div().classes("stack").props("data-errors")
            )

    async def refresh(self, memory: Memory, queue: Sequence[QueueCount]) -> None:
        failed = await memory.requests.list(space=self._viewer.space, limit=_FAILED, only="failed")
        self._panel.show((failed, [each for each in queue if each.state == "waiting" and each.retried]))

    def _draw(self, found: tuple[list[Request], list[QueueCount]]) -> None:
        failed, retried = found
        if not failed and not retried:
            parts.quiet("None.")
        with html.ul().classes("list"):
            for each in retried:
                with html.li().classes("stack"):
                    with html.div().classes("row"):
                        html.strong(each.kind)
                        parts.badge(f"{each.retried:,} tried again", "warn")
                    parts.text(each.reason or "No reason was given.", "reason")
            for request in failed:
                self._request(request)

    def _request(self, request: Request) -> None:
        with html.li().classes("stack").props("data-row"):
            with html.div().classes("row"):
                parts.moment(request.at)
                parts.badge(f"{request.op}: {request.error_stage} failed", "bad")
            parts.link(
                request.query or "without a question", self._viewer.url("/recall", request=request.id), "one-line"
            )


def _many(queue: Sequence[QueueCount], state: str) -> int:
    return sum(each.jobs for each in queue if each.state == state)


def _ago(at: datetime) -> str:
    seconds = max(0, int((datetime.now(UTC) - at).total_seconds()))
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            many = seconds // size
            return f"{many} {name}{'s' if many > 1 else ''} ago"
    return "just now"
