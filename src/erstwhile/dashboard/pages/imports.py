"""Import: upload what another product exported, and watch memory form. An import goes on when its
page is closed."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from nicegui import app, html, ui
from nicegui.element import Element
from starlette.requests import Request
from starlette.responses import Response

from erstwhile.api.memory import Memory
from erstwhile.base import ids
from erstwhile.base.errors import Error
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.dashboard import commands, labels, parts, paths
from erstwhile.dashboard.jobs import Status
from erstwhile.dashboard.panel import Panel, Rows
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.http import problems
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem
from erstwhile.importers import ImportReport, load
from erstwhile.search.model import Hit, Source

log = Log(__name__)

_LARGEST: Final = 4 * 2**30  # bytes of one upload
_KEPT: Final = 100  # uploads that were begun; those of pages that were closed are deleted


@dataclass(slots=True)
class ImportRun:
    """An upload. `folder` has the files, `read` of `total` bytes were read."""

    space: str
    folder: Path | None = None  # until the first file comes
    names: list[str] = field(default_factory=list)
    size: int = 0
    read: int = 0
    total: int = 0
    messages: int = 0
    report: ImportReport | None = None
    error: str = ""
    task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        return self.task is not None and not self.task.done()

    def place(self) -> Path:
        self.folder = self.folder or Path(tempfile.mkdtemp(prefix="erstwhile-upload-"))
        return self.folder

    def clear(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, memory: Memory) -> None:
        self.task = asyncio.create_task(self._run(memory), name="dashboard import")

    async def _run(self, memory: Memory) -> None:
        def progress(read: int, total: int, messages: int) -> None:
            self.read, self.total, self.messages = min(read, total), total, messages

        try:
            path = self.place() / self.names[0] if len(self.names) == 1 else self.place()
            self.report = await load(memory, path, space=self.space, progress=progress)
        except Error as error:
            self.error = str(error).replace("Name one with --format.", "").strip()
        except Exception as error:  # noqa: BLE001 - a file of any kind was given: the page says that it failed
            log.error("dashboard.import_failed", error=type(error).__name__)
            self.error = "The file can't be read. The server's log says where it failed."
        finally:
            await asyncio.to_thread(self.clear)


class ImportRuns:
    """The latest import of each space, and the uploads that wait for their files, by token."""

    def __init__(self) -> None:
        self.latest: dict[str, ImportRun] = {}
        self._waiting: dict[str, ImportRun] = {}

    def begin(self, space: str) -> str:
        token = secrets.token_urlsafe(16)
        self._waiting[token] = ImportRun(space)
        for old in list(self._waiting)[:-_KEPT]:
            self.leave(old)
        return token

    def leave(self, token: str) -> None:
        """Clean up after the page was closed. What runs goes on; files that nobody imports are deleted."""
        run = self._waiting.pop(token, None)
        if run is not None and run.task is None:
            run.clear()

    def start(self, token: str, memory: Memory) -> ImportRun:
        run = self._waiting.get(token)
        if run is None or not run.names:
            raise Problem(422, "No file has arrived. Choose it again.")
        if (last := self.latest.get(run.space)) is not None and last.running:
            self.leave(token)
            raise Problem(409, "Another import into this space is running. Wait until it is done.")
        self.latest[run.space] = self._waiting.pop(token)
        run.start(memory)
        return run

    async def receive(self, caller: Caller, request: Request) -> Response:
        run = self._waiting.get(request.query_params.get("token", ""))
        if run is None:
            raise Problem(404, "This page is no longer waiting for a file. Load it again.")
        caller.writes(run.space)
        given = request.query_params.get("name", "").replace("\\", "/")
        name = PurePosixPath(given).name[-200:].lstrip(".")
        if not name:
            raise Problem(422, "The file has no name.")
        try:
            with (run.place() / name).open("wb") as file:
                async for piece in request.stream():
                    run.size += len(piece)
                    if run.size > _LARGEST:
                        advice = "Import it with `erstwhile import`."
                        raise Problem(413, f"The upload is larger than 4 GB. {advice}")
                    file.write(piece)
        except OSError:
            raise Problem(507, "The server can't store the file: its disk may be full.") from None
        if name not in run.names:
            run.names.append(name)
        return Response(status_code=204)


runs = ImportRuns()


_HOW: Final = (
    (
        "ChatGPT",
        "Settings, Data controls, Export data. A link to a zip comes by mail: choose that zip.",
    ),
    ("Claude", "Settings, Privacy, Export data. A link to a zip comes by mail: choose that zip."),
    ("WhatsApp", "In a chat: menu, More, Export chat, without media. Choose the zip or _chat.txt."),
    ("Discord", "DiscordChatExporter with the format JSON. Choose one or several files."),
    ("Slack", "An owner of the workspace: Settings, Import/Export data, Export. Choose the zip."),
    (
        "Telegram",
        "Telegram Desktop: a chat's menu, Export chat history, format JSON. Choose result.json.",
    ),
    ("Your own", "JSON lines: one message per line, with role, text, person and channel."),
)
_SHOWN: Final = 6  # of the memories that were made last
_STALLED: Final = 15  # seconds without a change in the queue after which the page says what to do
_PROBLEMS: Final = 10


@app.post(paths.UPLOAD)
async def upload(request: Request) -> Response:
    try:
        return await runs.receive(request.state.caller, request)
    except Problem as problem:
        return problems.response(problem)


@page("/import")
async def imports(viewer: Viewer) -> None:
    await viewer.reading()
    stored = "They stay on this server, and nothing is stored twice."
    parts.title("Import", f"Bring conversations from elsewhere. {stored}")
    if not viewer.may_write:
        parts.problem("This key may only read. To import, sign in with another.")
        return
    view = ImportView(viewer)
    view.draw()
    viewer.live(view.told, kinds=[kind for kind in ids.kinds() if kind != "message"])
    ui.timer(0.5, view.beat, immediate=True)


def drop_zone(viewer: Viewer, token: str, uploaded: parts.Handler) -> None:
    """Add the place where files are dropped or chosen. The browser uploads them, then `uploaded` is called."""
    with html.label().classes("drop").props("data-zone"):
        parts.icon("import")
        html.strong("Drop an export here, or choose a file")
        html.span(
            "ChatGPT, Claude, WhatsApp, Discord, Slack, Telegram or JSON lines; a zip or the files in it."
        )
        to = paths.url(paths.UPLOAD, token=token, space=viewer.space)
        given = {"aria_label": "Files to import", "data_upload": to}
        box = parts.tag("input", type="file", multiple=True, **given)
        html.progress(max="1", value="0").props('hidden aria-label="Upload"')
        html.span("").props("data-said role=status aria-live=polite").classes("said")
    box.on("uploaded", uploaded, args=[])


class ImportView:
    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._token = runs.begin(viewer.space)
        viewer.client.on_delete(lambda: runs.leave(self._token))
        self._seen: list[Source | Hit] = []
        self._still = (0, 0)  # jobs that are due, and beats since that changed

    def draw(self) -> None:
        self._zone = parts.tag("div", "stack")
        self._offer()
        self._state = Panel[tuple[Any, ...]](self._draw_state, box=html.div().classes("stack"))
        with parts.card("Memory as it forms", "forming") as self._forming:
            box = html.div().classes("stack").props("role=list data-forming")
            self._memories = Rows[Source | Hit](box, lambda each: each.id, self._memory)
        self._forming.set_visibility(False)
        with parts.card("How to get an export", "how"), html.dl():
            for name, how in _HOW:
                html.dt(name)
                html.dd(how)

    def _offer(self) -> None:
        with parts.redrawn(self._zone):
            drop_zone(self._viewer, self._token, self._uploaded)

    async def _uploaded(self) -> None:
        memory = await self._viewer.writing()
        try:
            runs.start(self._token, memory)
        finally:
            self._token = runs.begin(self._viewer.space)
            self._offer()
        await self.beat()

    async def beat(self) -> None:
        run = runs.latest.get(self._viewer.space)
        if run is None:
            return
        memory = await self._viewer.reading()
        queue = await memory.jobs.queue(space=self._viewer.space) if run.report else []
        due = Status(None, queue).due
        self._still = (due, self._still[1] + 1 if due == self._still[0] else 0)
        stalled = due > 0 and self._still[1] * 0.5 > _STALLED
        read = round(run.read / max(run.total, 1), 2)
        shown = run, run.running, run.messages, read, run.error, due, stalled
        if run.report and not self._seen:  # it was all made before this page was open
            self._seen = list(await memory.memories.list(limit=_SHOWN))
        with self._viewer.client:
            self._zone.set_visibility(not run.running)
            self._state.show(shown)
            self._show_seen()

    async def told(self, news: Sequence[Event]) -> None:
        """Show what was made last, as long as memories are made."""
        if self._viewer.space not in runs.latest:
            return
        memory = await self._viewer.reading()
        for event in [each for each in news if each.action == "added"][-_SHOWN:]:
            try:
                found = await memory.memories.get(event.id)
            except Error:  # it was replaced meanwhile
                continue
            self._seen = [found, *(each for each in self._seen if each.id != found.id)][:_SHOWN]
        with self._viewer.client:
            self._show_seen()

    def _show_seen(self) -> None:
        self._forming.set_visibility(bool(self._seen))
        self._memories.show(self._seen)

    def _memory(self, row: Element, each: Source | Hit) -> None:
        row.classes("memory").classes(each.kind)
        parts.text(each.text, "clamped")
        with html.div().classes("details"):
            labels.badge(each.kind)
            if each.channel:
                parts.message_link(self._viewer, each.channel, each.seq, "where it was said")

    def _draw_state(self, shown: tuple[Any, ...]) -> None:
        run, due, stalled = shown[0], shown[5], shown[6]
        heading = f"Importing {', '.join(run.names[:3])}" if run.running else "Imported"
        with parts.card(heading, "run") as card:
            card.props["data-import"] = "running" if run.running else "done"
            if run.running:
                read = f"{run.read / max(run.total, 1):.3f}"
                parts.tag("progress", max="1", value=read, aria_label="Reading")
                html.p(f"{run.messages:,} new messages so far.").props("role=status")
            elif run.error:
                parts.problem(run.error)
            elif run.report is not None:
                self._done(run.report, due, stalled)

    def _done(self, report: ImportReport, due: int, stalled: bool) -> None:
        with html.p().props("role=status"):
            html.strong(
                f"{parts.count(report.messages, 'new message')} in {parts.count(report.channels, 'conversation')}"
                f" by {parts.count(report.people, 'person', 'people')} ({report.format})"
            )
            if report.period:
                html.span(f", {report.period}")
            html.span(".")
        if report.already:
            parts.quiet(f"{report.already:,} were there already.")
        for reason, count in sorted(report.left.items()):
            parts.quiet(f"{count:,} left out: {reason}.")
        for problem in report.problems[:_PROBLEMS]:
            parts.text(f"{problem.where}: {problem.reason}", "reason")
        more = len(report.problems) - _PROBLEMS + report.more_problems
        if more > 0:
            parts.quiet(f"And {more:,} more problems.")
        if due:
            with html.div().classes("row"):
                parts.spinner()
                html.span(f"Making memories: {parts.count(due, 'job')} left.").props("data-due")
            if stalled:
                parts.quiet("No job is running. Start a worker, or run all jobs now:")
                parts.command(commands.example(self._viewer, "settle"))
        else:
            parts.quiet("All memories are made.").props("data-due")
        with html.div().classes("row"):
            url = self._viewer.url
            parts.link("See the conversations", url("/conversations"), "button primary")
            parts.link("See the people", self._viewer.url("/people"), "button")
            parts.link("Connect a model", self._viewer.url("/settings", part="models"), "button")
