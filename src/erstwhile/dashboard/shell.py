"""The frame of every page: navigation, space, theme and error messages."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable
from typing import Final

from nicegui import app, html, ui
from starlette.requests import Request
from starlette.responses import Response

from erstwhile.base.errors import Error
from erstwhile.base.logs import Log
from erstwhile.dashboard import parts, paths, sockets
from erstwhile.dashboard.viewer import Viewer
from erstwhile.http import problems
from erstwhile.http.problems import Problem

log = Log(__name__)

_FRAMES: Final = 4


def take_over() -> None:
    app.add_exception_handler(404, _missing)
    app.add_exception_handler(Exception, _failed)
    logging.getLogger("nicegui").addFilter(_discreet)


async def _missing(_request: Request, _error: Exception) -> Response:
    return problems.response(Problem(404, "There is nothing here."))


async def _failed(_request: Request, _error: Exception) -> Response:
    return problems.response(Problem(500, "Something went wrong in the server. Its log says where."))


def logged(error: BaseException) -> None:
    """Log the type and place of an error; what the user can fix is shown on the page alone."""
    if not isinstance(error, (Error, Problem)):
        frames = traceback.extract_tb(error.__traceback__)
        at = " < ".join(f"{each.filename.rpartition('/')[2]}:{each.lineno}" for each in reversed(frames[-_FRAMES:]))
        log.error("dashboard.failed", error=type(error).__name__, at=at)


def _discreet(record: logging.LogRecord) -> bool:
    """Let NiceGUI's own messages pass, but not errors."""
    error = record.exc_info[1] if record.exc_info else record.msg if isinstance(record.msg, BaseException) else None
    if error is not None:
        logged(error)
    return error is None


Build = Callable[[Viewer], Awaitable[None]]

# What a section of the dashboard needs besides what all of it does, by the first word of its path. Apart, so that their words don't meet.
_OWN = {
    "": ("figures.css", "import.css", "import.js"),
    "conversations": ("conversation.css",),
    "people": ("people.css",),
    "me": ("people.css",),
    "recall": ("recall.css", "recall.js"),
    "search": ("search.css",),
    "notes": ("notes.css", "notes.js"),
    "report": ("figures.css",),
    "review": ("review.css",),
    "import": ("import.css", "import.js"),
    "settings": ("settings.css",),
}


def _head(path: str) -> str:
    names = ("theme.js", "dashboard.css", "dashboard.js", "palette.js", *_OWN[path.split("/")[1]])
    return "\n".join(map(_loaded, names))


def _loaded(name: str) -> str:
    """The theme is set before anything is painted; other scripts wait for the page."""
    where = paths.static(name)
    if name.endswith(".css"):
        return f'<link rel="stylesheet" href="{where}">'
    return f'<script {"" if name == "theme.js" else "defer "}src="{where}"></script>'


def page(path: str) -> Callable[[Build], Build]:
    """Register a page of paths.PAGES. It is built completely before it is sent."""
    title, HEAD = paths.PAGES[path], _head(path)  # noqa: N806 - as if it were written here

    def register(build: Build) -> Build:
        @ui.page(path, title=f"{title} · erstwhile", response_timeout=30)
        async def shown(request: Request) -> None:
            ui.add_head_html(HEAD)
            ui.on_exception(_told)
            sockets.make_room(request.state.token)
            try:
                viewer = await Viewer.of(request)
            except (Error, Problem) as error:
                _alone(error)
                return
            ui.query(".q-page").props("role=presentation")  # Quasar's page is a <main> of its own
            _frame(viewer, path)
            with html.main().classes("page").props("id=content tabindex=-1"):
                try:
                    await build(viewer)
                except Exception as error:  # noqa: BLE001 - the page says that it failed
                    logged(error)
                    if not isinstance(error, (Error, Problem)):
                        viewer.client.status_code = 500
                    parts.problem(_words(error))
                    _way_back(viewer, path)

        return build

    return register


def _frame(viewer: Viewer, path: str) -> None:
    html.a("Skip to content", href="#content").classes("skip")
    with html.header().classes("bar"):
        with html.a(href=viewer.url("/") if viewer.caller.person is None else "/me").classes("brand"):
            html.img(src=paths.static("mark.svg"), alt="", width="24", height="24")
            html.span("erstwhile")
        if viewer.caller.person is None:
            _spaces(viewer)
        html.span().classes("grow")
        if not viewer.may_write:
            html.span("read only").classes("badge")
        if viewer.caller.person is None:
            find = html.button(type="button").classes("button find").props("data-palette aria-keyshortcuts=Control+K")
            find.props["aria-label"] = "Find"
            with find:
                parts.icon("search")
                html.span("Find …").classes("words")
                html.kbd("Ctrl K").props("data-command")
        theme = html.button(type="button").classes("button quiet").props("data-theme-switch")
        theme.props["aria-label"] = "Light or dark"
        with theme:
            parts.icon("theme")
        if viewer.token:
            with html.form(method="post", action=paths.LOGOUT).classes("inline"):
                html.button("Sign out", type="submit").classes("button quiet")
    if viewer.caller.person is None:
        with html.nav().classes("navigation").props('aria-label="Pages"'):
            for each in paths.NAVIGATION[: paths.FIRST]:
                _place(viewer, path, each)
            rest = paths.NAVIGATION[paths.FIRST :]
            more = html.button(type="button").props("data-more aria-expanded=false")
            with more.classes("here" if any(_within(path, each) for each in rest) else ""):
                parts.icon("more")
                html.span("More")
            with html.div().classes("rest"):
                for each in rest:
                    _place(viewer, path, each)
            html.span().classes("zone").props("data-zone-name")
        _palette(viewer)
    parts.toasts()


def _place(viewer: Viewer, path: str, each: str) -> None:
    link = html.a(href=viewer.url(each)).classes("here" if _within(path, each) else "")
    if _within(path, each):
        link.props["aria-current"] = "page"
    with link:
        parts.icon(paths.PAGES[each].split()[0].lower())
        html.span(paths.PAGES[each])


def _palette(viewer: Viewer) -> None:
    """The dialog of ⌘K; palette.js opens and fills it."""
    dialog = ui.element("dialog").classes("palette").props("id=palette aria-label=Find")
    dialog.props["data-places"] = paths.url(paths.PLACES, space=viewer.space)
    with dialog, html.div():
        box = html.input_(type="text", placeholder="A page, a conversation, a person …", autocomplete="off")
        box.props("dir=auto role=combobox aria-expanded=true aria-controls=places aria-label=Find")
        html.div().props("role=listbox id=places aria-label=Places")


def _spaces(viewer: Viewer) -> None:
    if len(viewer.spaces) == 1:
        html.span(viewer.space).classes("space").props("dir=auto")
        return
    chooser = html.select().classes("space").props("data-space-switch")
    chooser.props["aria-label"] = "Space"
    with chooser:
        for each in viewer.spaces:
            option = html.option(each, value=each)
            if each == viewer.space:
                option.props["selected"] = True


def _within(path: str, section: str) -> bool:
    return path == section or (section != "/" and path.startswith(f"{section}/"))


def _way_back(viewer: Viewer, path: str) -> None:
    """Link back to the list, from something that does not exist."""
    section = f"/{path.split('/')[1]}"
    if section in paths.NAVIGATION and viewer.caller.person is None:
        with html.p():
            parts.link(f"Back to {paths.PAGES[section].lower()}", viewer.url(section), "button")


def _alone(error: Exception) -> None:
    with html.main().classes("page"):
        parts.problem(_words(error))
        with html.p():
            html.a("To the first page", href="/")


def broken(error: Exception) -> None:
    """The page for an unexpected error, without its text, which may be what somebody wrote."""
    HEAD = _head("/")  # noqa: N806 - as above
    ui.add_head_html(HEAD)
    _alone(error)


def _told(error: Exception) -> None:
    """Show the error of a handler on the page; py logs it."""
    parts.toast(_words(error), wrong=True)


def _words(error: Exception) -> str:
    if isinstance(error, Problem):
        return error.detail
    return str(error) if isinstance(error, Error) else "Something went wrong in the server. Its log says where."
