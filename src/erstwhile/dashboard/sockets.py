"""Guards the sockets of pages: one speaks only for its own page, and for whoever was shown that
page, as long as they may see it. What a handler forgets to check is checked here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qs
from weakref import WeakKeyDictionary

from nicegui import Client, core, ui

from erstwhile.base.errors import Error
from erstwhile.base.logs import Log
from erstwhile.dashboard import paths
from erstwhile.dashboard.viewer import still
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
        asked = {
            name: values[0] for name, values in parse_qs(environ.get("QUERY_STRING", "")).items()
        }
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


def make_room(token: str | None) -> None:
    """Delete the oldest pages of a session that no browser opened: each takes megabytes."""
    waiting = [
        each
        for each in Client.instances.values()
        if not each.has_socket_connection and getattr(each.request.state, "token", None) == token
    ]
    for each in sorted(waiting, key=lambda client: client.created)[:-_WAITING]:
        each.delete()


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
