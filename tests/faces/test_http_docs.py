"""docs/reference/http.md is true: its examples are asked of the app, one after the other, and every verb of the API has its route."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import httpx2
from fastapi import FastAPI

import erstwhile
from erstwhile.api.resource import RESOURCES
from erstwhile.api.verb import verbs

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "http.md"
# Done where the database is.
ELSEWHERE = {"memory_work", "archive_restore", "archive_load"}
OWNERS = {"memory": erstwhile.Memory, "channel": erstwhile.Channel, **RESOURCES}


def commands() -> list[list[str]]:
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    return [shlex.split(line) for block in blocks for line in re.split(r"\n(?=curl)", block.replace("\\\n", " "))]


async def asked(http: httpx2.AsyncClient, words: list[str]) -> httpx2.Response:
    """What curl would do with these words."""
    url, method, headers, body = "", None, {}, None
    given = iter(words[1:])
    for word in given:
        if word == "-X":
            method = next(given)
        elif word == "-H":
            name, _, value = next(given).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = next(given)
        elif word != "-s":
            url = word
    path = url.removeprefix("http://127.0.0.1:8765")
    return await http.request(method or ("POST" if body else "GET"), path, headers=headers, content=body)


async def test_the_examples_work(http: httpx2.AsyncClient) -> None:
    examples = commands()
    assert len(examples) > 12
    for words in examples:
        answer = await asked(http, words)
        assert answer.status_code < 300, (words, answer.text)
    again = await asked(http, examples[1])
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (200, "true")


async def test_every_verb_has_a_route_that_is_described(app: FastAPI) -> None:
    operations = [each for methods in app.openapi()["paths"].values() for each in methods.values()]
    named = {each["operationId"] for each in operations}
    assert len(named) == len(operations)
    declared = {f"{tag}_{each.name}" for tag, owner in OWNERS.items() for each in verbs(owner)}
    iterating = {"channel_add", "channel_messages", "channel_ask", "events_watch"}
    assert (declared | iterating) - named == ELSEWHERE
    for each in operations:
        assert each["summary"], each["operationId"]
        assert each["description"], each["operationId"]
        wrong = [response for status, response in each["responses"].items() if status[0] in "45"]
        kind = "application/json" if each["tags"] == ["chat"] else "application/problem+json"
        assert all(kind in response["content"] for response in wrong), each["operationId"]
    assert app.openapi()["openapi"].startswith("3.1")


async def test_the_document_says_where_a_key_is_needed(app: FastAPI) -> None:
    document = app.openapi()
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    free = {path for path, methods in document["paths"].items() for each in methods.values() if "security" not in each}
    assert free == {"/healthz", "/readyz"}
    told = {each["name"] for each in document["tags"]}
    assert {tag for methods in document["paths"].values() for each in methods.values() for tag in each["tags"]} == told


async def test_what_is_wrong_is_named_as_the_client_wrote_it(http: httpx2.AsyncClient) -> None:
    at = "/v1/spaces/s/channels/c/messages"
    one = (await http.post(at, json={"role": "user", "txt": "x"})).json()["errors"]
    assert [(each["at"], each["why"]) for each in one] == [
        ("body.text", "Field required"),
        ("body.txt", "Unknown field"),
    ]
    many = (await http.post(at, json={"messages": [{"role": "user"}]})).json()["errors"]
    assert [each["at"] for each in many] == ["body.messages.0.text"]
    assert "an object" in (await http.post(at, json=["x"])).json()["detail"]


async def test_a_feed_of_something_unknown_would_be_silent_for_ever(http: httpx2.AsyncClient) -> None:
    refused = await http.get("/v1/spaces/s/events?kinds=message,facts")
    assert refused.status_code == 422
    assert "'facts'" in refused.json()["detail"]
