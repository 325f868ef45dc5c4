"""Every value that can be sent, in every place where one can be sent, is one that a database could choke on; none gives a 5xx."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from fastapi import FastAPI
from seeded import SPACE, fill

import erstwhile

NUL, HUGE = "fct_a\0b", 2**70
PLACES = {"space": SPACE, "channel": "chat", "person": "alice", "job": "j", "name": "summarise"}
ELSEWHERE = ("/events", "/ask", "/backfill", "/keys", "/v1/chat", "/v1/responses", "/v1/messages", "/v1/models")


def filled(path: str, real: dict[str, str], odd: tuple[str, str] | None = None) -> str:
    for name, value in (real | (dict([odd]) if odd else {})).items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return path


def bodies(document: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    """An example of the body, each time with another field spoilt."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if content is None:
        return []
    found = []
    choices = content.get("oneOf") or content.get("anyOf") or [content]
    for each in (choice for choice in choices if "$ref" in choice):  # a body that may be left out is also null
        shape = document["components"]["schemas"][each["$ref"].rpartition("/")[2]]
        example = shape["examples"][0]
        found += [example | {name: wrong} for name in shape["properties"] for wrong in (NUL, HUGE, [NUL], {"a": NUL})]
    return found


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
async def test_no_value_anywhere_breaks_it(
    http: httpx2.AsyncClient, app: FastAPI, memory: erstwhile.Memory, method: str
) -> None:
    chat = await fill(memory)
    real = PLACES | {"id": (await memory.facts.list(chat))[0].id}
    document = app.openapi()
    tried = 0
    for path, methods in document["paths"].items():
        if method not in methods or any(each in path for each in ELSEWHERE):
            continue
        operation = methods[method]
        asked = [each for each in operation.get("parameters", []) if each["in"] == "query"]
        given = bodies(document, operation)
        required = {each["name"]: "x" for each in asked if each["required"]}
        requests: list[tuple[str, dict[str, Any], dict[str, Any] | None]] = [
            *(
                (filled(path, real, (name, wrong)), required, given[0] if given else None)
                for name in real
                if f"{{{name}}}" in path
                for wrong in (NUL, f"job_{HUGE}")
            ),
            *(
                (filled(path, real), required | {each["name"]: wrong}, None)
                for each in asked
                for wrong in (NUL, HUGE, -HUGE)
            ),
            *((filled(path, real), required, body) for body in given),
        ]
        for where, params, body in requests:
            tried += 1
            answer = await http.request(method, where, params=params, json=body)
            assert answer.status_code < 500, (method, where, params, body, answer.text)
    assert tried > 10
