"""The OpenAPI document: what FastAPI knows, and what holds of every route and needn't be said at each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from erstwhile.http.caller import OPEN
from erstwhile.http.problems import MEDIA_TYPE
from erstwhile.http.shapes import Problem

TAGS = {
    "channel": "One conversation: messages added and read in pages, its context, questions to a model.",
    "memory": "Search, what is known of people, erasure and export.",
    "memories": "What was made of messages, with its sources; edited, deleted, reviewed and made again.",
    "facts": "Facts, preferences, decisions, todos and entities, and how they changed.",
    "ids": "Ids by their first characters.",
    "notes": "Notes of conversations and the topics of a day.",
    "people": "Who spoke, whether they are remembered, and their profiles.",
    "channels": "Which channels there are, what was made of each, and who may see it.",
    "spaces": "How much a space holds, and its settings.",
    "requests": "What was asked of the memory, why it was answered so, and what the figures say.",
    "jobs": "What is due, and what failed.",
    "prompts": "Prompts of a space or of a person.",
    "archive": "Backups, receipts of erasures, origins of messages, retention.",
    "events": "What changes, as it changes.",
    "chat": "OpenAI's and Anthropic's protocols, with memory behind them.",
    "keys": "Who may call the server.",
    "health": "Whether the server is well, and its figures.",
}

_ABOUT = (
    "Keys go into `Authorization: Bearer er_…`; a server for which none was ever made asks for none, and answers to its own machine alone. "
    "Errors are problems of RFC 9457, whose `detail` says what to do."
)

_TOLD = {
    400: "The body can't be read.",
    401: "There is no key, or one that is not valid.",
    403: "The key does not open this.",
    404: "There is no such thing in this space.",
    412: "It has changed meanwhile: get it again.",
    413: "The body, or the number of messages in it, is too large.",
    422: "Something in the request is not as it should be; `detail` says what.",
    415: "The body is packed in a way that is not taken, or is no JSON.",
    429: "The space has used up what it may take in today; `Retry-After` says when it may again.",
    500: "Something is wrong with the server. Its log says more.",
    502: "The model gave no usable answer.",
    503: "The database or the model can't be reached just now; `Retry-After` says when to try again.",
    507: "The disk is full.",
}
_LOCKED = (401, 403, 429, 503)
_ALWAYS = (*_LOCKED, 422)
_WITH_A_BODY = (400, 413, 415)
_WRITING = (507,)

Responses = dict[int | str, dict[str, Any]]


def told(*statuses: int) -> Responses:
    """What else a route may answer."""
    return {status: {"description": _TOLD[status]} for status in statuses}


def describe(app: FastAPI) -> None:
    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _complete(
                get_openapi(
                    description=_ABOUT,
                    title=app.title,
                    version=app.version,
                    summary=app.summary,
                    routes=app.routes,
                    tags=[{"name": name, "description": about} for name, about in TAGS.items()],
                )
            )
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _complete(document: dict[str, Any]) -> dict[str, Any]:
    parts = document.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    schemas["Problem"] = Problem.model_json_schema()
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    parts.setdefault("securitySchemes", {})["key"] = {
        "type": "http",
        "scheme": "bearer",
        "description": "A key of the space, or an admin key: er_….",
    }
    for path, method, operation in _operations(document):
        if _locked(path):
            operation.setdefault("security", [{"key": []}, {}])  # a server without keys asks for none
        _problems(path, method, operation)
    return document


def _locked(path: str) -> bool:
    return path not in OPEN


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document.get("paths", {}).items():
        for method, operation in methods.items():
            yield path, method, operation


def _problems(path: str, method: str, operation: dict[str, Any]) -> None:
    responses = operation.setdefault("responses", {})
    if operation.get("tags") == ["chat"]:
        return  # other people's protocols have errors of their own shape
    statuses = [
        *(_ALWAYS if path.startswith("/v1/") else _LOCKED if _locked(path) else ()),
        *(_WITH_A_BODY if "requestBody" in operation else ()),
        *(_WRITING if method != "get" else ()),
        *((404,) if path.endswith("}") and "/channels/" not in path and "/prompts/" not in path else ()),
    ]
    for status in statuses:
        responses.setdefault(str(status), {"description": _TOLD[status]})
    for status, response in responses.items():
        wrong = status[0] in "45"
        if wrong and ("content" not in response or "ValidationError" in str(response["content"])):
            response["description"] = _TOLD.get(int(status), response.get("description", ""))
            response["content"] = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
