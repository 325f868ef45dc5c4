"""Errors as RFC 9457 problem+json: status, what happened, and what to do."""

from __future__ import annotations

import http
import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from erstwhile.base import errors

MEDIA_TYPE = "application/problem+json"

# The id of the current request; every problem contains it.
request_id: ContextVar[str] = ContextVar("request_id", default="")

# The first match counts.
_STATUS: tuple[tuple[type[errors.Error], int], ...] = (
    (errors.InvalidInput, 422),
    (errors.NotFound, 404),
    (errors.ConflictError, 412),
    (errors.SettingsError, 422),
    (errors.StorageFull, 507),
    (errors.StorageError, 503),
    (errors.ModelUnavailable, 503),
    (errors.ModelError, 502),
    (errors.Error, 500),
)


# Paths of the chat protocols, with the function that makes errors in the protocol's own format.
SHAPES: dict[str, Callable[[int, str], dict[str, Any]]] = {}


class Problem(Exception):
    """An error response. `more` are additional members of the document."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.more = status, detail, headers, more


def of(error: errors.Error | HTTPException | Problem) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, HTTPException):
        return Problem(error.status_code, str(error.detail), headers=error.headers)
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    after = getattr(error, "retry_after", None)
    wait = {"Retry-After": str(max(1, round(after or 1)))} if status == 503 else None
    return Problem(status, str(error), headers=wait, error=type(error).__name__)


def document(problem: Problem) -> dict[str, Any]:
    title = http.HTTPStatus(problem.status).phrase
    named = {"request_id": id} if (id := request_id.get()) else {}
    said = {"title": title, "status": problem.status, "detail": problem.detail}
    return {"type": "about:blank", **said, **named, **problem.more}


def response(problem: Problem, path: str = "") -> Response:
    """Render a problem. It is ASCII, because quoted input may not be valid Unicode."""
    if path in SHAPES:
        said = json.dumps(SHAPES[path](problem.status, problem.detail))
        return Response(said, problem.status, problem.headers, "application/json")
    return Response(json.dumps(document(problem)), problem.status, problem.headers, MEDIA_TYPE)


# Replacements for pydantic's messages that speak of Python.
_WHY = {
    "extra_forbidden": "Unknown field",
    "model_attributes_type": "It should be an object, {…}, sent with `Content-Type: application/json`",
}


def _where(steps: tuple[int | str, ...]) -> str:
    """Return the path of an invalid field as the client wrote it, without the tag of the union."""
    tagged = steps[:1] == ("body",) and steps[1:2] in (("one",), ("many",))
    return ".".join(map(str, steps[:1] + steps[2:] if tagged else steps))


def handle(app: FastAPI) -> None:
    @app.exception_handler(Problem)
    @app.exception_handler(errors.Error)
    async def _problem(_request: Request, error: errors.Error | Problem) -> Response:
        return response(of(error))

    @app.exception_handler(RequestValidationError)
    async def _invalid(_request: Request, error: RequestValidationError) -> Response:
        found = error.errors()
        wrong = [{"at": _where(e["loc"]), "why": _WHY.get(e["type"], e["msg"])} for e in found]
        detail = "; ".join(f"{each['at']}: {each['why']}" for each in wrong[:3])
        return response(Problem(422, f"The request is invalid. {detail}.", errors=wrong))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        detail, headers = str(error.detail), dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = allowed(request.app, request.scope)
            detail = f"{request.method} is not allowed on this path. Allowed: {headers['Allow']}."
        elif error.status_code == 404:
            detail = "Unknown path. /docs lists all paths."
        elif error.status_code == 400:
            detail = "The body is not valid JSON in UTF-8, or is nested too deeply."
        return response(Problem(error.status_code, detail, headers=headers))


_KNOWN = ("GET", "POST", "PUT", "PATCH", "DELETE")


class MethodMiddleware:
    """Answer HEAD like GET (the server drops the body), and OPTIONS with the allowed methods."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            as_get = {**scope, "method": "GET"}
            try:
                await self._app(as_get, receive, send)
            finally:
                scope["route"] = as_get.get("route")  # the log names it, not the ids in the path
            return
        asked = scope["type"] == "http" and scope["method"] == "OPTIONS"
        if asked and (found := allowed(scope["app"], scope)):
            await Response(status_code=204, headers={"Allow": found})(scope, receive, send)
            return
        await self._app(scope, receive, send)


def allowed(app: FastAPI, scope: Scope) -> str:
    """Return the methods of all routes that match the path, or ""."""
    found = set[str]()
    for route in iter_route_contexts(app.routes):
        pattern = getattr(route, "path_regex", None)
        if pattern is not None and pattern.match(scope["path"]):
            found.update(getattr(route, "methods", None) or ())
    more = (["HEAD"] if "GET" in found else []) + ["OPTIONS"]
    return ", ".join([*(method for method in _KNOWN if method in found), *more]) if found else ""
