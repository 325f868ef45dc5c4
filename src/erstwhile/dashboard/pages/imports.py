"""Import: upload what another product exported, and watch memory form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nicegui import app, html, ui
from nicegui.element import Element
from starlette.requests import Request
from starlette.responses import Response

from erstwhile.base import ids
from erstwhile.base.errors import Error
from erstwhile.dashboard import commands, labels, parts, paths
from erstwhile.dashboard.figures.jobs import Status
from erstwhile.dashboard.getting_started.imports import ImportRun, runs
from erstwhile.dashboard.panel import Panel, Rows
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.http import problems
from erstwhile.http.problems import Problem
from erstwhile.importers import ImportReport
from erstwhile.search.model import Hit, Source

_HOW: Final = (
    ("ChatGPT", "Settings, Data controls, Export data. A link to a zip comes by mail: choose that zip."),
    ("Claude", "Settings, Privacy, Export data. A link to a zip comes by mail: choose that zip."),
    ("WhatsApp", "In a chat: menu, More, Export chat, without media. Choose the zip or _chat.txt."),
    ("Discord", "DiscordChatExporter with the format JSON. Choose one or several files."),
    ("Slack", "An owner of the workspace: Settings, Import/Export data, Export. Choose the zip."),
    ("Telegram", "Telegram Desktop: a chat's menu, Export chat history, format JSON. Choose result.json."),
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
    parts.title("Import", "Bring conversations from elsewhere. They stay on this server, and nothing is stored twice.")
    if not viewer.may_write:
        parts.problem("This key may only read. To import, sign in with another.")
        return
    view = ImportView(viewer)
    view.draw()
    viewer.live(view.told, kinds=[kind for kind in ids.kinds() if kind != "message"])
    ui.timer(0.5, view.beat, immediate=True)


def drop_zone(viewer: Viewer, token: str, uploaded: parts.Handler) -> Element:
    """Where files are dropped or chosen. The browser uploads them, then `uploaded` is called."""
    zone: Element = html.label().classes("drop").props("data-zone")
    with zone:
        parts.icon("import")
        html.strong("Drop an export here, or choose a file")
        html.span("ChatGPT, Claude, WhatsApp, Discord, Slack, Telegram or JSON lines; a zip or the files in it.")
        box = html.input_(type="file", multiple=True).props("data-upload")
        box.props["aria-label"] = "Files to import"
        box.props["data-upload"] = paths.url(paths.UPLOAD, token=token, space=viewer.space)
        html.progress(max="1", value="0").props('hidden aria-label="Upload"')
        html.span("").props("data-said role=status aria-live=polite").classes("said")
    box.on("uploaded", uploaded, args=[])
    return zone


class ImportView:
    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._token = runs.begin(viewer.space)
        viewer.client.on_delete(lambda: runs.leave(self._token))
        self._seen: list[Source | Hit] = []
        self._still = (0, 0)  # jobs that are due, and beats since that changed

    def draw(self) -> None:
        self._zone = html.div().classes("stack")
        with self._zone:
            self._offer()
        self._state = Panel[tuple[object, ...]](self._draw_state, box=html.div().classes("stack"))
        with parts.card("Memory as it forms", "forming") as self._forming:
            self._memories = Rows[Source | Hit](
                html.div().classes("stack").props("role=list data-forming"), lambda each: each.id, self._memory
            )
        self._forming.set_visibility(False)
        with html.section().classes("card how"):
            html.h2("How to get an export")
            with html.dl():
                for name, how in _HOW:
                    html.dt(name)
                    html.dd(how)

    def _offer(self) -> None:
        drop_zone(self._viewer, self._token, self._uploaded)

    async def _uploaded(self) -> None:
        memory = await self._viewer.writing()
        try:
            runs.start(self._token, memory)
        finally:
            self._token = runs.begin(self._viewer.space)
            self._zone.clear()
            with self._zone:
                self._offer()
        await self.beat()

    async def beat(self) -> None:
        run = runs.latest.get(self._viewer.space)
        if run is None:
            return
        memory = await self._viewer.reading()
        due = Status(None, await memory.jobs.queue(space=self._viewer.space)).due if run.report else 0
        self._still = (due, self._still[1] + 1 if due == self._still[0] else 0)
        stalled = due > 0 and self._still[1] * 0.5 > _STALLED
        shown = (run, run.running, run.messages, round(run.read / max(run.total, 1), 2), run.error, due, stalled)
        if run.report and not self._seen:  # it was all made before this page was open
            self._seen = list(await memory.memories.list(limit=_SHOWN, space=self._viewer.space))
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
                found = await memory.memories.get(event.id, space=self._viewer.space)
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

    def _draw_state(self, shown: tuple[object, ...]) -> None:
        run, due, stalled = shown[0], shown[5], shown[6]
        assert isinstance(run, ImportRun)
        with parts.card(f"Importing {', '.join(run.names[:3])}" if run.running else "Imported", "run") as card:
            card.props["data-import"] = "running" if run.running else "done"
            if run.running:
                bar = html.progress(max="1").props('aria-label="Reading"')
                bar.props["value"] = f"{run.read / max(run.total, 1):.3f}"
                html.p(f"{run.messages:,} new messages so far.").props("role=status")
            elif run.error:
                parts.problem(run.error)
            elif run.report is not None:
                self._done(run.report, int(str(due)), bool(stalled))

    def _done(self, report: ImportReport, due: int, stalled: bool) -> None:
        with html.p().props("role=status"):
            html.strong(
                f"{parts.count(report.messages, 'new message')} in {parts.count(report.channels, 'conversation')}"
                f" by {parts.count(report.people, 'person', 'people')} ({report.format})"
            )
            if report.first is not None and report.last is not None:
                html.span(f", from {report.first:%Y-%m-%d} to {report.last:%Y-%m-%d}")
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
                html.span().classes("spinner").props("aria-hidden=true")
                html.span(f"Making memories: {parts.count(due, 'job')} to go.").props("data-due")
            if stalled:
                parts.quiet("Nothing moves: is a worker running? Start one, or make them at once:")
                parts.command(commands.example(self._viewer, "settle"))
        else:
            parts.quiet("Every memory that is due was made.").props("data-due")
        with html.div().classes("row"):
            parts.link("See the conversations", self._viewer.url("/conversations"), "button", "primary")
            parts.link("See the people", self._viewer.url("/people"), "button")
            parts.link("Connect a model", self._viewer.url("/settings", part="models"), "button")
