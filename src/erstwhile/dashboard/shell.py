"""The frame of every page: navigation, space, theme and error messages. Guards the sockets of pages."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qs
from weakref import WeakKeyDictionary

from nicegui import Client, app, core, html, ui
from starlette.requests import Request
from starlette.responses import Response

from erstwhile.base.errors import Error
from erstwhile.base.logs import Log
from erstwhile.dashboard import dialogs, parts, paths
from erstwhile.dashboard.parts import tag
from erstwhile.dashboard.viewer import Viewer, still
from erstwhile.http import problems
from erstwhile.http.problems import Problem

log = Log(__name__)

Handler = Callable[..., Any]

_FRESH: Final = 0.5  # seconds that an answer holds, so that typing asks for nothing
_OVER: Final = (401, 403)
_WAITING: Final = 30  # pages of one session that no browser has come back to yet


class _Turn:
    """Handles the messages of one page in order: what was typed before what was pressed."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.asked = -_FRESH


_turns: WeakKeyDictionary[Client, _Turn] = WeakKeyDictionary()


def guard() -> None:
    """Check every message before NiceGUI handles it. Browsers may write nothing to the log."""
    given: dict[str, Handler] = dict(core.sio.handlers["/"])

    async def connect(sid: str, environ: dict[str, Any], auth: object = None) -> bool:
        query = parse_qs(environ.get("QUERY_STRING", ""))
        asked = {name: values[0] for name, values in query.items()}
        # Without the page, NiceGUI refuses in words that make the browser load it again.
        page, at_once = _page(asked), asked.get("implicit_handshake") == "true"
        if page is not None and at_once and not _same_eyes(page, environ):
            return False
        await given["connect"](sid, environ, auth)
        return True

    async def handshake(sid: str, message: object) -> bool:
        if not _same_eyes(_page(message), core.sio.get_environ(sid)):
            return False
        return bool(await given["handshake"](sid, message))

    async def event(sid: str, message: object) -> None:
        client = _own(sid, message)
        if client is None:
            return
        turn = _turns.setdefault(client, _Turn())
        async with turn.lock:
            if await _goes_on(client, turn):
                _take(given["event"], sid, message)

    def passed_on(name: str) -> Handler:
        async def handle(sid: str, message: object) -> None:
            if _own(sid, message) is not None:
                _take(given[name], sid, message)

        return handle

    async def unheard(_sid: str, _message: object) -> None:
        return

    for handler in (connect, handshake, event):
        core.sio.on(handler.__name__, handler)
    for name in ("javascript_response", "ack"):
        core.sio.on(name, passed_on(name))
    core.sio.on("log", unheard)


def _page(message: object) -> Client | None:
    named = message.get("client_id") if isinstance(message, Mapping) else None
    return Client.instances.get(named) if isinstance(named, str) else None


def _own(sid: str, message: object) -> Client | None:
    """Return the page a message names, if this socket was opened for it."""
    client = _page(message)
    return client if client is not None and client.id in core.sio.rooms(sid) else None


def _same_eyes(client: Client | None, environ: Mapping[str, Any] | None) -> bool:
    """Return whether the page was made for whoever opens the socket."""
    shown = getattr(client.request.state, "caller", None) if client is not None else None
    if client is None or shown is None or environ is None:
        return False
    opens: dict[str, Any] = environ["asgi.scope"].get("state", {})
    return (client.request.state.token, shown) == (opens.get("token"), opens.get("caller"))


async def _goes_on(client: Client, turn: _Turn) -> bool:
    """Return whether the session is still valid. Without a database the handlers decide."""
    if time.monotonic() - turn.asked < _FRESH:
        return True
    try:
        await still(client.request)
    except Problem as problem:
        if problem.status not in _OVER:
            return True
        with client:
            ui.navigate.to(paths.LOGIN)
        return False
    except Error:
        return True
    turn.asked = time.monotonic()
    return True


def _take(handler: Handler, sid: str, message: object) -> None:
    try:
        handler(sid, message)
    except (KeyError, TypeError, ValueError, AttributeError) as error:  # no page of ours sent this
        log.debug("dashboard.message_refused", error=type(error).__name__)


_FRAMES: Final = 4
_FAILED: Final = "Something went wrong in the server. Its log says where."


def take_over() -> None:
    async def missing(_request: Request, _error: Exception) -> Response:
        return problems.response(Problem(404, "There is nothing here."))

    async def failed(_request: Request, _error: Exception) -> Response:
        return problems.response(Problem(500, _FAILED))

    app.add_exception_handler(404, missing)
    app.add_exception_handler(Exception, failed)
    logging.getLogger("nicegui").addFilter(_discreet)


def logged(error: BaseException) -> None:
    """Log the type and place of an error; what the user can fix is shown on the page alone."""
    if not isinstance(error, (Error, Problem)):
        frames = traceback.extract_tb(error.__traceback__)
        last = [(each.filename.rpartition("/")[2], each.lineno) for each in frames[-_FRAMES:]]
        at = " < ".join(f"{file}:{line}" for file, line in reversed(last))
        log.error("dashboard.failed", error=type(error).__name__, at=at)


def _discreet(record: logging.LogRecord) -> bool:
    """Let NiceGUI's own messages pass, but not errors."""
    error = record.exc_info[1] if record.exc_info else record.msg
    if not isinstance(error, BaseException):
        return True
    logged(error)
    return False


Build = Callable[[Viewer], Awaitable[None]]

# What a section of the dashboard needs besides what all of it does, by the first word of its path.
# Apart, so that
# their words don't meet.
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
    """Return the head. The theme is set before anything is painted; other scripts wait for the page."""
    loaded = [f'<script src="{paths.static("theme.js")}"></script>']
    for name in ("dashboard.css", "dashboard.js", "palette.js", *_OWN[path.split("/")[1]]):
        where = paths.static(name)
        css = f'<link rel="stylesheet" href="{where}">'
        loaded.append(css if name.endswith(".css") else f'<script defer src="{where}"></script>')
    return "\n".join(loaded)


def page(path: str) -> Callable[[Build], Build]:
    """Register a page of paths.PAGES. It is built completely before it is sent."""
    title, HEAD = paths.PAGES[path], _head(path)  # noqa: N806 - as if it were written here

    def register(build: Build) -> Build:
        @ui.page(path, title=f"{title} · erstwhile", response_timeout=30)
        async def shown(request: Request) -> None:
            ui.add_head_html(HEAD)
            ui.on_exception(lambda error: dialogs.toast(_words(error), wrong=True))
            token = request.state.token
            waiting = [each for each in Client.instances.values() if not each.has_socket_connection]
            waiting = [
                each for each in waiting if getattr(each.request.state, "token", None) == token
            ]
            for each in sorted(waiting, key=lambda client: client.created)[:-_WAITING]:
                each.delete()
            try:
                viewer = await Viewer.of(request)
            except (Error, Problem) as error:
                _alone(error)
                return
            ui.query(".q-page").props("role=presentation")  # Quasar's page is a <main> of its own
            _frame(viewer, path)
            with tag("main", "page", id="content", tabindex=-1):
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
    own = viewer.caller.person is not None
    html.a("Skip to content", href="#content").classes("skip")
    with html.header().classes("bar"):
        with html.a(href="/me" if own else viewer.url("/")).classes("brand"):
            html.img(src=paths.static("mark.svg"), alt="", width="24", height="24")
            html.span("erstwhile")
        if not own and len(viewer.spaces) == 1:
            parts.said(viewer.space, "space")
        elif not own:
            spaces = ((each, each) for each in viewer.spaces)
            named: Any = {"data_space_switch": True, "aria_label": "Space"}
            parts.select("", spaces, viewer.space, **named).classes("space")
        html.span().classes("grow")
        parts.badge_if(not viewer.may_write, "read only")
        if not own:
            with parts.control("button find", data_palette=True) as find:
                find.props("aria-keyshortcuts=Control+K")
                parts.icon("search")
                html.span("Find …")
                html.kbd("Ctrl K").props("data-command aria-hidden=true")
        with parts.control("button quiet", data_theme_switch=True, aria_label="Light or dark"):
            parts.icon("theme")
        if viewer.token:
            with html.form(method="post", action=paths.LOGOUT).classes("inline"):
                parts.submit("Sign out", "quiet")
    if not own:
        _navigation(viewer, path)
        _palette(viewer)
    dialogs.toasts()


def _navigation(viewer: Viewer, path: str) -> None:
    def places(those: Sequence[str]) -> None:
        for each in those:
            with parts.link("", viewer.url(each), here="page" if each == here else None):
                parts.icon(paths.PAGES[each].split()[0].lower())
                html.span(paths.PAGES[each])

    here = f"/{path.split('/')[1]}"
    first, rest = paths.NAVIGATION[: paths.FIRST], paths.NAVIGATION[paths.FIRST :]
    with html.nav().classes("navigation").props('aria-label="Pages"'):
        places(first)
        classes = "here" if here in rest else ""
        with parts.control(classes, data_more=True, aria_expanded="false"):
            parts.icon("more")
            html.span("More")
        with html.div().classes("rest"):
            places(rest)
        html.span().classes("zone").props("data-zone-name")


def _palette(viewer: Viewer) -> None:
    places = paths.url(paths.PLACES, space=viewer.space)
    with tag("dialog", "palette", id="palette", aria_label="Find", data_places=places), html.div():
        find = "A page, a conversation, a person …"
        box = html.input_(type="text", placeholder=find, autocomplete="off")
        box.props("dir=auto role=combobox aria-expanded=true aria-controls=places aria-label=Find")
        html.div().props("role=listbox id=places aria-label=Places")


def _way_back(viewer: Viewer, path: str) -> None:
    section = f"/{path.split('/')[1]}"
    if section in paths.NAVIGATION and viewer.caller.person is None:
        with html.p():
            parts.link(f"Back to {paths.PAGES[section].lower()}", viewer.url(section), "button")


def _alone(error: Exception) -> None:
    with html.main().classes("page alone"):
        with html.div().classes("brand"):
            html.img(src=paths.static("mark.svg"), alt="", width="24", height="24")
            html.span("erstwhile")
        parts.problem(_words(error))
        with html.p():
            html.a("To the overview", href="/").classes("button primary")


def broken(error: Exception) -> None:
    """Show the page for an unexpected error, without its text, which may be what somebody wrote."""
    HEAD = _head("/")  # noqa: N806 - as above
    ui.add_head_html(HEAD)
    _alone(error)


def _words(error: Exception) -> str:
    return problems.of(error).detail if isinstance(error, (Error, Problem)) else _FAILED
