"""Sign in with a key or a link. A link shows a button first: previews don't use it up."""

from __future__ import annotations

import html
from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from erstwhile.api.memory import Memory
from erstwhile.dashboard import paths
from erstwhile.http.authentication import Authenticator
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem
from erstwhile.keys import model
from erstwhile.keys.model import Session

_COOKIE = "erstwhile-session"
_WEEK = 7 * 24 * 3600

_MOST = 4096  # bytes of a form
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)


def token(connection: HTTPConnection) -> str | None:
    return connection.cookies.get(_cookie(connection)) or None


async def session_or_key(
    token: str | None, connection: HTTPConnection, memory: Memory, gate: Authenticator
) -> Caller:
    """Return who asks: a session with its key's rights now, or whoever may without one."""
    session = await memory.keys.sessions.find(token) if token else None
    if session is None:
        return await gate.admit(connection)
    holder = await gate.standing(session.key) if session.key else Caller(name="operator")
    if session.person is not None:
        return Caller(session.key, session.person, session.space, holder.read_only, session.person)
    return holder


def form(request: Request) -> Response:
    asked = request.query_params
    return _form(next=paths.local(asked.get("next", "/")), link=asked.get("link", ""))


async def by_key(request: Request, memory: Memory, gate: Authenticator) -> Response:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST:
            raise Problem(413, "That is too long for a key.")
    given = {name: values[-1] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
    next = paths.local(given.get("next", "/"))
    if link := given.get("link", ""):
        begun = await memory.keys.sessions.follow(link)
        if begun is None:
            used = "That link was used already, or is over."
            advice = "Ask for a new one where you got it, or sign in with a key."
            return _form(f"{used} {advice}", next=next)
        return _signed_in(request, begun, next)
    key = given.get("key", "").strip()
    if model.parse_key(key) is None:
        looks = "A key looks like er_… and is shown once, when it is made."
        return _form(f"{looks} Check that it was copied whole.", next=next)
    try:
        holder = await gate.bearer(key, request.client.host if request.client else "")
    except Problem as problem:
        return _form(problem.detail, next=next, status=problem.status)
    begun = await memory.keys.sessions.begin(Session(holder.key, holder.space))
    return _signed_in(request, begun, next)


def address(connection: HTTPConnection, link: str) -> str:
    """Return the full address of a link, as whoever looks at the page reaches this server."""
    scheme = "https" if _secure(connection) else "http"
    return f"{scheme}://{connection.url.netloc}{paths.url(paths.LOGIN, link=link)}"


async def out(request: Request, memory: Memory) -> Response:
    if request.method != "POST":
        raise Problem(405, "Sign out with POST.", headers={"Allow": "POST"})
    if held := token(request):
        await memory.keys.sessions.end(held)
    answer = RedirectResponse(paths.LOGIN, 303)
    answer.delete_cookie(**_cookie_options(request))
    return answer


def _signed_in(request: Request, token: str, next: str) -> Response:
    answer = RedirectResponse(next, 303)
    answer.set_cookie(value=token, max_age=_WEEK, **_cookie_options(request))
    return answer


def _cookie_options(request: Request) -> dict[str, Any]:
    own = {"key": _cookie(request), "secure": _secure(request)}
    return {**own, "path": "/", "httponly": True, "samesite": "lax"}


def _secure(connection: HTTPConnection) -> bool:
    forwarded = connection.headers.get("x-forwarded-proto")
    return connection.url.scheme in ("https", "wss") or forwarded == "https"


def _cookie(connection: HTTPConnection) -> str:
    """Name the cookie. The prefix keeps other hosts of the domain from setting the cookie; it needs TLS."""
    return f"__Host-{_COOKIE}" if _secure(connection) else _COOKIE


def closed(problem: Problem) -> Response:
    """Return the answer where no page can be made, for example without a database."""
    return _form(problem.detail, next="/", status=problem.status, forms=False)


def _form(
    wrong: str = "", *, next: str, link: str = "", status: int = 0, forms: bool = True
) -> Response:
    page = Template(files("erstwhile.dashboard").joinpath("login.html").read_text(encoding="utf-8"))
    said = {
        "css": paths.static("dashboard.css"),
        "theme": paths.static("theme.js"),
        "mark": paths.static("mark.svg"),
        "wrong": html.escape(wrong),
        "next": html.escape(paths.local(next)),
        "link": html.escape(link),
        "by_key": "hidden" if link or not forms else "",
        "by_link": "" if link and forms else "hidden",
        "title": "Sign in" if forms else "erstwhile",
        "back": "hidden" if forms else "",
    }
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-store"}
    return HTMLResponse(page.substitute(said), status or (401 if wrong else 200), headers)
