"""The OpenAPI document: FastAPI's, with the errors and security that apply to every route."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import Response

from erstwhile.http.caller import OPEN
from erstwhile.http.models import ProblemDocument
from erstwhile.http.problems import MEDIA_TYPE, Problem

TAGS = {
    "channel": "One conversation: add and read messages, build its context, ask a model.",
    "memory": "Search, facts about people, erasure and export.",
    "memories": "Memories with their sources: edit, delete, review, regenerate.",
    "facts": "Facts, preferences, decisions, todos and entities, and how they changed.",
    "ids": "Ids by their first characters.",
    "notes": "Notes of conversations and daily topics.",
    "people": "People, blocking, and profiles.",
    "channels": "Channels, their memories, and their visibility.",
    "spaces": "Counts and settings of a space.",
    "requests": "Recorded requests, explanations, feedback and reports.",
    "jobs": "The job queue.",
    "prompts": "Prompts of a space or of a person.",
    "archive": "Backups, receipts of erasures, origins of messages, retention.",
    "events": "A live stream of changes.",
    "chat": "OpenAI- and Anthropic-compatible chat with memory.",
    "keys": "API keys.",
    "health": "Health and metrics of the server.",
}

_ABOUT = (
    "Send a key as `Authorization: Bearer er_…`. A server without any keys needs none and accepts only local callers. "
    "Errors are RFC 9457 problems; their `detail` says what to do."
)

_TOLD = {
    400: "The body can't be read.",
    401: "The key is missing or invalid.",
    403: "The key has no access.",
    404: "Not found in this space.",
    412: "It was changed meanwhile: get it again.",
    413: "The body, or the number of messages in it, is too large.",
    422: "The request is invalid; `detail` says why.",
    415: "The body is compressed, or not JSON.",
    429: "A limit was exceeded; `Retry-After` says when to try again.",
    500: "Internal error. The server's log has details.",
    502: "The model gave no usable response.",
    503: "The database or the model is unavailable; `Retry-After` says when to try again.",
    507: "The disk is full.",
}
_LOCKED = (401, 403, 429, 503)
_ALWAYS = (*_LOCKED, 422)
_WITH_A_BODY = (400, 413, 415)

Responses = dict[int | str, dict[str, Any]]


def problem_responses(*statuses: int) -> Responses:
    """Describe the error responses of a route."""
    return {status: {"description": _TOLD[status]} for status in statuses}


def describe(app: FastAPI) -> None:
    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            tags = [{"name": name, "description": about} for name, about in TAGS.items()]
            of: Any = {"title": app.title, "version": app.version, "summary": app.summary}
            made = get_openapi(**of, description=_ABOUT, routes=app.routes, tags=tags)
            app.openapi_schema = _complete(made)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _complete(document: dict[str, Any]) -> dict[str, Any]:
    parts = document.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    schemas["Problem"] = ProblemDocument.model_json_schema()
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    parts.setdefault("securitySchemes", {})["key"] = {
        "type": "http",
        "scheme": "bearer",
        "description": "A key of the space, or an admin key: er_….",
    }
    for path, methods in document.get("paths", {}).items():
        for method, operation in methods.items():
            if path not in OPEN:
                # A server without keys needs none.
                operation.setdefault("security", [{"key": []}, {}])
            _problems(path, method, operation)
    return document


def _problems(path: str, method: str, operation: dict[str, Any]) -> None:
    responses = operation.setdefault("responses", {})
    if operation.get("tags") == ["chat"]:
        return  # the chat protocols have their own error format
    one = path.endswith("}") and "/channels/" not in path and "/prompts/" not in path
    statuses = [
        *(_ALWAYS if path.startswith("/v1/") else _LOCKED if path not in OPEN else ()),
        *(_WITH_A_BODY if "requestBody" in operation else ()),
        *((507,) if method != "get" else ()),
        *((404,) if one else ()),
    ]
    for status in statuses:
        responses.setdefault(str(status), {"description": _TOLD[status]})
    for status, response in responses.items():
        wrong = status[0] in "45"
        if wrong and ("content" not in response or "ValidationError" in str(response["content"])):
            response["description"] = _TOLD.get(int(status), response.get("description", ""))
            response["content"] = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}


router = APIRouter(include_in_schema=False)

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


@router.get("/")
async def first() -> Response:
    """Explain why there is no dashboard. Where it is served, it handles this path."""
    why = (
        "The dashboard needs a server with one process. Start another server on the same database:"
    )
    raise Problem(404, f"{why} `erstwhile serve --port 8766 --no-worker`.")


@router.get("/docs")
@router.get("/docs.js")
@router.get("/docs.css")
async def page(request: Request) -> Response:
    name, _, suffix = request.scope["path"].removeprefix("/").partition(".")
    suffix = suffix or "html"
    text = files("erstwhile.http").joinpath("page", f"{name}.{suffix}").read_text(encoding="utf-8")
    media_type = "text/javascript" if suffix == "js" else f"text/{suffix}"
    return Response(text, media_type=media_type, headers={"Content-Security-Policy": _POLICY})
