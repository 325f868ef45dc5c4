"""The state of the memory in one line, parked jobs with their reasons, and recent errors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from nicegui import html, ui

from erstwhile.api.doctor import Finding
from erstwhile.api.memory import Memory
from erstwhile.base.records import dataclass
from erstwhile.dashboard import dialogs, parts
from erstwhile.dashboard.commands import ExampleCommands
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.viewer import Viewer
from erstwhile.jobs.model import ListedJob, QueueCount
from erstwhile.requests.model import Request

_FRESH: Final = 15.0  # seconds that what was found holds, for everyone who looks
_PATIENCE: Final = 0.25  # seconds that a page waits for it
_KINDS: Final = {"problem": "bad", "note": "warn", "ok": "good"}
_ORDER: Final = ("problem", "note", "ok")


_checked: dict[str, tuple[float, list[Finding]]] = {}
_checking = asyncio.Lock()


async def check(memory: Memory, *, anew: bool = False) -> list[Finding]:
    """One check at a time, however many pages are open."""
    space = memory.settings.space
    async with _checking:
        at, found = _checked.get(space, (0.0, []))
        if anew or not found or time.monotonic() - at > _FRESH:
            found = await memory.doctor(quick=True)
            _checked[space] = (time.monotonic(), found)
        return sorted(found, key=lambda each: _ORDER.index(each.level))


@dataclass(frozen=True, slots=True)
class Status:
    """What the strip shows: what was found, and the queue. `findings` None: still looking."""

    findings: Sequence[Finding] | None
    queue: Sequence[QueueCount]

    @property
    def due(self) -> int:
        return _many(self.queue, "waiting") + _many(self.queue, "running")

    @property
    def problems(self) -> list[Finding]:
        return [each for each in self.findings or () if each.level == "problem"]

    @property
    def relevant(self) -> Sequence[Finding]:
        """While memories are made, nobody has to be told that some are missing."""
        found = self.findings or ()
        if not self.due:
            return found
        return [
            each
            for each in found
            if each.level == "problem"
            or (each.level == "note" and "erstwhile settle" not in each.advice)
        ]

    @property
    def note(self) -> str:
        return next((each.what for each in self.relevant if each.level == "note"), "")

    @property
    def words(self) -> tuple[str, str]:
        """The state in a word for its colour, and in a sentence."""
        if self.problems:
            more = len(self.problems) - 1
            others = f" And {parts.count(more, 'more problem')}." if more else ""
            return "bad", f"{self.problems[0].what}{others}"
        failed = [each for each in self.queue if each.retried and each.reason]
        if 2 * sum(each.retried for each in failed) > self.due:
            return "bad", f"Jobs keep failing: {failed[0].reason}"
        if self.due:
            return "busy", f"Making memories: {parts.count(self.due, 'job')} left."
        if self.findings is None:
            return "busy", "Looking …"
        return "good", "All is well. Every message was read, and no job waits."


class StatusStrip:
    """One line, which opens to what was looked at and the queue; by itself for a problem."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._findings: list[Finding] | None = None
        self.queue: list[QueueCount] = []
        with html.details().classes("status").props("data-status") as self._whole:
            line = html.summary()
            with html.div().classes("stack inside"):
                found = html.div().classes("stack").props("aria-live=polite data-health")
                queue = html.div().classes("stack").props("data-queue")
        self._head = Panel[Status](_draw_line, lambda status: (status.words, status.note), box=line)
        self._found = Panel[Sequence[Finding]](partial(findings, viewer), box=found)
        self._jobs = Panel[list[QueueCount]](self._draw_queue, box=queue)

    async def open(self, memory: Memory) -> None:
        """Show findings with the page if they are quick, else later."""
        looking = asyncio.create_task(check(memory))
        await asyncio.wait([looking], timeout=_PATIENCE)

        async def later() -> None:
            self._findings = await looking
            self._show()

        if looking.done():
            self._findings = looking.result()
        else:
            ui.timer(0.05, later, once=True)
        await self.refresh(memory)

    async def refresh(self, memory: Memory) -> None:
        self.queue = await memory.jobs.queue(space=self._viewer.space)
        self._show()

    async def look(self, memory: Memory, *, anew: bool = False) -> None:
        self._findings = await check(memory, anew=anew)
        self._show()

    def _show(self) -> None:
        status = Status(self._findings, self.queue)
        if status.problems:
            self._whole.props["open"] = True
        self._head.show(status)
        self._found.show(status.relevant)
        self._jobs.show(self.queue)

    def _draw_queue(self, queue: list[QueueCount]) -> None:
        with html.div().classes("row"):
            for state in ("waiting", "running", "parked"):
                many = _many(queue, state)
                parts.badge(f"{many:,} {state}", "bad" if state == "parked" and many else "")
            if waiting := [each.oldest for each in queue if each.state == "waiting"]:
                html.span("the oldest from").classes("quiet-text")
                parts.moment(min(waiting)).props("data-relative")
            html.span().classes("grow")
            url = self._viewer.url("/settings", part="models")
            parts.link("Models and keys", url, "button small")
        if queue:
            ordered = sorted(queue, key=lambda each: (_STATES.index(each.state), each.kind))
            name = _MEANT.get
            rows = ((each.kind, name(each.state, each.state), f"{each.jobs:,}") for each in ordered)
            parts.table(("Kind", "State", "Jobs"), rows, numbers=["Jobs"])
        reasons = (each.reason for each in queue if each.reason and each.state != "parked")
        for reason in dict.fromkeys(reasons):
            parts.advice(f"Tried before: {reason}", "reason")


def _draw_line(status: Status) -> None:
    kind, words = status.words
    parts.tag("span", f"{'spinner' if kind == 'busy' else 'lamp'} {kind}", aria_hidden="true")
    html.strong(words).props("dir=auto aria-live=polite")
    parts.said(status.note, "quiet-text")
    html.span("Details").classes("more")


def findings(viewer: Viewer, found: Sequence[Finding]) -> None:
    complete = ExampleCommands.of(viewer).completed
    for each in found:
        with html.div().classes("finding"):
            parts.badge(each.level, _KINDS[each.level])
            with html.div():
                parts.advice(each.what)
                if each.advice:
                    parts.advice(complete(each.advice), "reason")


_STATES: Final = ("waiting", "running", "parked", "timer")
_MEANT: Final = {"timer": "set for later"}
_SHOWN = 10  # parked jobs on the page
_FAILED = 8  # and failed requests


class ParkedJobs:
    """Jobs that failed for good; there is no card as long as there are none."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        with parts.card("Parked jobs") as self._card:
            box = html.div().classes("stack").props("data-parked")
        self._jobs = Panel[tuple[int, list[ListedJob]]](self._draw, box=box)

    async def refresh(self, memory: Memory, queue: Sequence[QueueCount]) -> None:
        many = _many(queue, "parked")
        parked: list[ListedJob] = []
        if many:
            space = self._viewer.space
            parked = await memory.jobs.list(space=space, state="parked", limit=_SHOWN)
        self._card.set_visibility(bool(many))
        self._jobs.show((many, parked))

    def _draw(self, found: tuple[int, list[ListedJob]]) -> None:
        many, parked = found
        with html.div().classes("row between"):
            parts.quiet("They wait until someone retries them. Fix the cause first.")
            if self._viewer.may_write and many > 1:
                parts.button(f"Retry all {many:,}", lambda: self._retry(None))
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
                        tried = f"tried {parts.count(job.attempts, 'time')}"
                        html.span(tried).classes("quiet-text")
                if self._viewer.may_write:
                    name = f"Retry {job.kind}"
                    parts.button("Retry", lambda: self._retry(job.id), kind="small", name=name)
            parts.text(job.reason or "No reason was given.", "reason")

    async def _retry(self, id: str | None) -> None:
        memory = await self._viewer.writing()
        many = await memory.jobs.retry(id, space=self._viewer.space)
        with self._viewer.client:
            dialogs.toast("The job is due again." if id else f"{many:,} jobs are due again.")
        await self.refresh(memory, await memory.jobs.queue(space=self._viewer.space))


class FailedRequests:
    """Requests that failed and jobs that are retried; no card if there are none."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        with parts.card("Recent errors") as self._card:
            box = html.div().classes("stack").props("data-errors")
        self._panel = Panel[tuple[list[Request], list[QueueCount]]](self._draw, box=box)

    async def refresh(self, memory: Memory, queue: Sequence[QueueCount]) -> None:
        failed = await memory.requests.list(limit=_FAILED, only="failed")
        retried = [each for each in queue if each.state == "waiting" and each.retried]
        self._card.set_visibility(bool(failed or retried))
        self._panel.show((failed, retried))

    def _draw(self, found: tuple[list[Request], list[QueueCount]]) -> None:
        failed, retried = found
        with html.ul().classes("list"):
            for each in retried:
                with html.li().classes("stack"):
                    with html.div().classes("row"):
                        html.strong(each.kind)
                        parts.badge(f"{each.retried:,} tried again", "warn")
                    parts.text(each.reason or "No reason was given.", "reason")
            for request in failed:
                with html.li().classes("stack").props("data-row"):
                    with html.div().classes("row"):
                        parts.moment(request.at)
                        parts.badge(f"{request.op}: {request.error_stage} failed", "bad")
                    url = self._viewer.url("/recall", request=request.id)
                    parts.link(request.query or "without a question", url, "one-line")


def _many(queue: Sequence[QueueCount], state: str) -> int:
    return sum(each.jobs for each in queue if each.state == state)
