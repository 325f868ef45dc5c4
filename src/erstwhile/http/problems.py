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
from starlette.exceptions import HTTPException

from erstwhile.base import errors
from erstwhile.base.logs import Log
from erstwhile.http.methods import allowed

log = Log(__name__)

MEDIA_TYPE = "application/problem+json"

# The id of the current request; every problem contains it.
request_id: ContextVar[str] = ContextVar("request_id", default="")

# The first match counts.
_STATUS: tuple[tuple[type[errors.Error], int], ...] = (
    (errors.InvalidInput, 422),
    (errors.NotFound, 404),
    (errors.Changed, 412),
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

    def __init__(self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.more = status, detail, headers, more


def of(error: errors.Error) -> Problem:
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    after = getattr(error, "retry_after", None)
    wait = {"Retry-After": str(max(1, round(after or 1)))} if status == 503 else None
    return Problem(status, str(error), headers=wait, error=type(error).__name__)


def document(problem: Problem) -> dict[str, Any]:
    title = http.HTTPStatus(problem.status).phrase
    named = {"request_id": id} if (id := request_id.get()) else {}
    said = {"type": "about:blank", "title": title, "status": problem.status, "detail": problem.detail}
    return {**said, **named, **problem.more}


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
    async def _problem(_request: Request, problem: Problem) -> Response:
        return response(problem)

    @app.exception_handler(errors.Error)
    async def _error(_request: Request, error: errors.Error) -> Response:
        return response(of(error))

    @app.exception_handler(RequestValidationError)
    async def _invalid(_request: Request, error: RequestValidationError) -> Response:
        wrong = [{"at": _where(each["loc"]), "why": _WHY.get(each["type"], each["msg"])} for each in error.errors()]
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
