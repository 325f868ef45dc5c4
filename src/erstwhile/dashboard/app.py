"""The HTTP app with the dashboard, whose paths come before the API. NiceGUI is imported with the first page."""

from __future__ import annotations

import asyncio
import mimetypes
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote, urlsplit

from fastapi import FastAPI
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error
from erstwhile.dashboard import login, paths
from erstwhile.http import problems
from erstwhile.http.app import create_app as create_api
from erstwhile.http.authentication import Authenticator
from erstwhile.http.problems import Problem
from erstwhile.http.request_checks import same_site
from erstwhile.keys.model import Session

if TYPE_CHECKING:
    from erstwhile.dashboard.pages import Pages

_FOREVER = "public, max-age=31536000, immutable"
_POLICY_VIOLATION: Final = 1008


class DashboardMiddleware:
    def __init__(self, app: ASGIApp, memory: Memory, gate: Authenticator) -> None:
        self._app, self._memory, self._gate = app, memory, gate
        self._pages: Pages | None = None
        self._loading = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or not paths.ours(scope["path"]):
            page = _as_page(scope, receive, send) if _for_a_browser(scope) else send
            await self._app(scope, receive, page)
            return
        try:
            path, connection = scope["path"], HTTPConnection(scope)
            other = path.startswith(paths.SOCKET) and _of_others(connection)
            if other or not same_site(scope, connection.headers):
                raise Problem(403, "A web page of another origin may not do this.")
            if path.startswith(paths.STATIC):
                stamp, _, name = path.removeprefix(paths.STATIC).partition("/")
                file = files("erstwhile.dashboard").joinpath("static", name)
                if stamp != paths.STAMP or "/" in name or not file.is_file():
                    raise Problem(404, f"There is no {quote(name)} here.")
                kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
                await Response(
                    file.read_bytes(), media_type=kind, headers={"Cache-Control": _FOREVER}
                )(scope, receive, send)
            elif path in (paths.LOGIN, paths.LOGOUT):
                await (await self._sign(Request(scope, receive)))(scope, receive, send)
            elif path.startswith(paths.NICEGUI) or path == "/favicon.ico":
                await (await self._loaded(scope))(scope, receive, send)
            else:
                await self._page(scope, receive, send)
        except (Problem, Error) as error:
            await _refused(problems.of(error), scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection, path = HTTPConnection(scope), scope["path"]
        token = login.token(connection)
        a_page = scope["type"] == "http" and path in paths.PAGES
        if a_page and scope["method"] not in ("GET", "HEAD"):
            raise Problem(405, "A page can only be looked at.", headers={"Allow": "GET, HEAD"})
        try:
            caller = await login.session_or_key(token, connection, self._memory, self._gate)
        except Problem as problem:
            if not a_page or problem.status != 401:
                raise
            query = scope["query_string"].decode("latin-1")
            asked = paths.local(f"{path}?{query}" if query else path)
            await RedirectResponse(paths.url(paths.LOGIN, next=asked), 303)(scope, receive, send)
            return
        if caller.person is not None and path not in paths.OWN:
            if path in paths.PAGES:
                await RedirectResponse("/me", 303)(scope, receive, send)
                return
            if not path.startswith(paths.SOCKET):
                raise Problem(403, "This link shows what is known about you, and nothing else.")
        scope["state"] |= {"caller": caller, "token": token, "nonce": secrets.token_urlsafe(16)}
        await (await self._loaded(scope))(scope, receive, send)

    async def _sign(self, request: Request) -> Response:
        if request.method not in ("GET", "HEAD", "POST"):
            raise Problem(405, "Sign in with GET or POST.", headers={"Allow": "GET, HEAD, POST"})
        if request.url.path == paths.LOGOUT:
            return await login.out(request, self._memory)
        if request.method == "POST":
            return await login.by_key(request, self._memory, self._gate)
        return login.form(request)

    async def _loaded(self, scope: Scope) -> ASGIApp:
        async with self._loading:
            if self._pages is None:
                try:
                    import nicegui  # noqa: F401
                except ModuleNotFoundError:
                    raise Problem(
                        404, "The dashboard needs NiceGUI: pip install 'erstwhile[server]'."
                    ) from None
                from erstwhile.dashboard.pages import Pages

                self._pages = scope["app"].state.pages = await Pages.started(
                    self._memory, self._gate
                )
        return self._pages.app


def _for_a_browser(scope: Scope) -> bool:
    """Return whether somebody typed an address, or followed a link, that is not the API's."""
    if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith("/v1"):
        return False
    return "text/html" in HTTPConnection(scope).headers.get("accept", "")


def _as_page(scope: Scope, receive: Receive, send: Send) -> Send:
    """Answer 404 with a page, and everything else as it is."""
    missing = False

    async def sent(message: Message) -> None:
        nonlocal missing
        if message["type"] == "http.response.start" and message["status"] == 404:
            missing = True
            problem = Problem(404, f"There is no page {unquote(scope['path'])} here.")
            await login.closed(problem)(scope, receive, send)
        elif not missing:
            await send(message)

    return sent


def _of_others(connection: HTTPConnection) -> bool:
    """Return whether another origin's page opens a socket, which NiceGUI would let read the answers."""
    origin = connection.headers.get("origin")
    site = connection.headers.get("sec-fetch-site", "same-origin")
    return site not in ("same-origin", "none") or (
        origin is not None and urlsplit(origin).netloc != connection.headers.get("host")
    )


async def _refused(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Explain a refusal on a page, where a page was asked for."""
    if scope["type"] == "http":
        answer = login.closed if scope["path"] in paths.PAGES else problems.response
        await answer(problem)(scope, receive, send)
    else:
        reason = problem.detail[:100]
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": reason})


def create_app(memory: Memory) -> FastAPI:
    app = create_api(memory, front=DashboardMiddleware)
    app.state.websockets = True
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with inner(app):
            yield
            if app.state.pages is not None:
                await app.state.pages.close()

    app.state.pages = None
    app.router.lifespan_context = lifespan
    return app


_MINUTES = 15


async def welcome_line(memory: Memory, where: str, *, terminal: bool) -> str:
    """Write the welcome, with a link that signs in once. Whoever reads this terminal may make a key as well.

    Logs get no link, unless no key was ever made and the machine is open anyway.
    """
    if not terminal and await memory.keys.store.any():
        return f"The dashboard: {where}/"
    token = await memory.keys.sessions.link(Session(), timedelta(minutes=_MINUTES))
    return f"The dashboard: {where}{paths.url(paths.LOGIN, link=token)} (signs in once, for {_MINUTES} minutes)"
