"""The job queue, parked jobs with their reasons, and recent errors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from nicegui import html
from nicegui.element import Element

from erstwhile.dashboard import parts
from erstwhile.dashboard.viewer import Viewer
from erstwhile.jobs.model import Listed, Queued
from erstwhile.memory import Memory
from erstwhile.requests.model import Request

_STATES: Final = ("waiting", "running", "parked", "timer")
_MEANT: Final = {"timer": "set for later"}
_SHOWN = 10  # parked jobs on the page
_FAILED = 8  # and failed requests


class JobCards:
    """Two cards, redrawn in place when something changed: the queue by kind, and parked jobs."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self.queue: list[Queued] = []
        self._parked: list[Listed] = []

    async def draw(self, memory: Memory) -> None:
        with parts.card("Queue"):
            self._counts: Element = html.div().classes("stack").props("data-queue")
        with parts.card("Parked jobs"):
            self._jobs: Element = html.div().classes("stack").props("data-parked")
        await self._load(memory)
        self._draw_queue()
        self._draw_parked()

    async def refresh(self, memory: Memory) -> None:
        before = self.queue, self._parked
        await self._load(memory)
        if self.queue != before[0]:
            self._draw_queue()
        if self._parked != before[1] or _many(self.queue, "parked") != _many(before[0], "parked"):
            self._draw_parked()

    async def _load(self, memory: Memory) -> None:
        self.queue = await memory.queue(space=self._viewer.space)
        parked = _many(self.queue, "parked")
        self._parked = await memory.jobs(space=self._viewer.space, state="parked", limit=_SHOWN) if parked else []

    def _draw_queue(self) -> None:
        self._counts.clear()
        with self._counts:
            with html.div().classes("row"):
                for state in ("waiting", "running", "parked"):
                    many = _many(self.queue, state)
                    parts.badge(f"{many:,} {state}", "bad" if state == "parked" and many else "")
            waiting = [each for each in self.queue if each.state == "waiting"]
            if not self.queue:
                parts.quiet("No jobs.")
                return
            if waiting:
                with html.p().classes("quiet-text"):
                    html.span("The oldest has waited since ")
                    parts.moment(min(each.oldest for each in waiting))
                    html.span(f", {_ago(min(each.oldest for each in waiting))}.")
            self._table()

    def _table(self) -> None:
        with parts.table("Kind", "State", "Jobs", numbers=["Jobs"]):
            for each in sorted(self.queue, key=lambda each: (_STATES.index(each.state), each.kind)):
                with html.tr():
                    html.td(each.kind)
                    html.td(_MEANT.get(each.state, each.state))
                    html.td(f"{each.jobs:,}").classes("number")

    def _draw_parked(self) -> None:
        self._jobs.clear()
        many = _many(self.queue, "parked")
        with self._jobs:
            if not many:
                parts.quiet("None: nothing failed for good.")
                return
            with html.div().classes("row between"):
                parts.quiet("They wait until someone retries them. Fix the cause first.")
                if self._viewer.may_write and many > 1:
                    parts.button(f"Retry all {many:,}", self._retry_all)
            with html.ul().classes("list"):
                for job in self._parked:
                    self._job(job)
            if many > len(self._parked):
                parts.quiet(f"And {many - len(self._parked):,} more.")

    def _job(self, job: Listed) -> None:
        with html.li().classes("stack").props("data-row"):
            with html.div().classes("row between"):
                with html.div().classes("row"):
                    html.strong(job.kind)
                    if job.attempts:
                        html.span(f"tried {job.attempts} times" if job.attempts > 1 else "tried once").classes(
                            "quiet-text"
                        )
                if self._viewer.may_write:
                    parts.button("Retry", lambda: self._retry(job.id), name=f"Retry {job.kind}").classes("small")
            parts.text(job.reason or "No reason was given.", "reason")

    async def _retry(self, id: str) -> None:
        memory = await self._viewer.writing()
        await memory.retry(id, space=self._viewer.space)
        parts.toast("The job is due again.")
        await self.refresh(memory)

    async def _retry_all(self) -> None:
        memory = await self._viewer.writing()
        many = await memory.retry(space=self._viewer.space)
        parts.toast(f"{many:,} jobs are due again.")
        await self.refresh(memory)


class ErrorCard:
    """Requests that failed and jobs that are retried, each with its reason."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._shown: tuple[list[Request], list[Queued]] = ([], [])

    async def draw(self, memory: Memory, queue: Sequence[Queued]) -> None:
        with parts.card("Recent errors"):
            self._inside: Element = html.div().classes("stack").props("data-errors")
        self._shown = await self._load(memory, queue)
        self._draw()

    async def refresh(self, memory: Memory, queue: Sequence[Queued]) -> None:
        found = await self._load(memory, queue)
        if found != self._shown:
            self._shown = found
            self._draw()

    async def _load(self, memory: Memory, queue: Sequence[Queued]) -> tuple[list[Request], list[Queued]]:
        failed = await memory.requests(space=self._viewer.space, limit=_FAILED, only="failed")
        return failed, [each for each in queue if each.state == "waiting" and each.retried]

    def _draw(self) -> None:
        failed, retried = self._shown
        self._inside.clear()
        with self._inside:
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


def _many(queue: Sequence[Queued], state: str) -> int:
    return sum(each.jobs for each in queue if each.state == state)


def _ago(at: datetime) -> str:
    seconds = max(0, int((datetime.now(UTC) - at).total_seconds()))
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            many = seconds // size
            return f"{many} {name}{'s' if many > 1 else ''} ago"
    return "just now"
