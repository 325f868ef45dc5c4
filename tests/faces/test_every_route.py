"""Each route there is, as the app has it: nobody without a key, no key in another's space, no reading key where something changes."""

from __future__ import annotations

from typing import Final

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

import erstwhile
from erstwhile.http.caller import OPEN as OPEN_PATHS

OPEN: Final = OPEN_PATHS | {"/docs/guide/{path}"}
_NAMES: Final = {"channel": "chat", "person": "alice", "id": "fct_x", "job": "job_x", "name": "summarise", "model": "m"}
_NAMES |= {"key": "discord:1", "source": "import:a"}
# Routes without a space in their path: the space is the key's own, and another one that a header names is refused.
_BY_HEADER: Final = {
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/messages",
    "/v1/models",
    "/v1/models/{model}",
    "/mcp",
}
# POST that changes nothing when the key may only read: what is asked there is answered and not logged.
_ASKS: Final = {
    "/v1/spaces/{space}/channels/{channel}/context",
    "/v1/spaces/{space}/channels/{channel}/messages/known",
    *_BY_HEADER,
}
_SAID: Final = {"messages": [{"role": "user", "content": "hello"}], "input": "hello"}


@pytest.fixture
def database_url(tmp_path: object) -> str:
    """One database will do: whoever is refused never comes as far."""
    return f"{tmp_path}/test.db"


def routes(app: FastAPI) -> list[tuple[str, str]]:
    """Method and path of each."""
    found = [
        (method, route.path.replace(":id}", "}").replace(":path}", "}"))
        for route in iter_route_contexts(app.routes)
        for method in sorted(route.methods)
        if method != "HEAD"
    ]
    assert len(found) > 75
    return found


def at(path: str, space: str) -> str:
    for name, value in {"space": space, **_NAMES}.items():
        path = path.replace(f"{{{name}}}", value)
    return path


async def called(http: httpx2.AsyncClient, method: str, path: str, key: str = "", **headers: str) -> int:
    given = {**headers, **({"Authorization": f"Bearer {key}"} if key else {})}
    return (await http.request(method, path, headers=given, json=None if method == "GET" else _SAID)).status_code


async def test_without_a_key_only_what_is_open(
    app: FastAPI, http: httpx2.AsyncClient, memory: erstwhile.Memory
) -> None:
    await memory.keys.create(space="mine")
    for method, path in routes(app):
        for each in {method, "HEAD", "OPTIONS"}:
            refused = await called(http, each, at(path, "mine"))
            assert (refused == 401) == (path not in OPEN), (each, path, refused)


@pytest.mark.parametrize(
    "path",
    [
        "/healthz%2F..%2Fv1%2Fjobs",
        "/healthz/../v1/jobs",
        "/docs/guide%2F..%2F..%2Fv1%2Fjobs",
        "/healthz/",
        "//v1/jobs",
        "/v1//jobs",
        "/v1/jobs/",
        "/v1/jobs;/healthz",
        "/v1/jobs%3F",
        "/%76%31/jobs",
        "/docs/../v1/jobs",
        "/V1/jobs",
    ],
)
async def test_no_other_way_of_writing_a_path_leads_in(app: FastAPI, memory: erstwhile.Memory, path: str) -> None:
    """As it comes from the wire: a client would tidy it up first."""
    await memory.keys.create(space="mine")
    sent: list[int] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        sent.extend([message["status"]] if "status" in message else [])

    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http"}
    scope |= {"path": path, "raw_path": path.encode(), "query_string": b"", "root_path": ""}
    scope |= {"headers": [(b"host", b"127.0.0.1")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80)}
    await app(scope, receive, send)  # type: ignore[arg-type]
    assert sent == [401]


async def test_a_key_of_one_space_opens_no_other(
    app: FastAPI, http: httpx2.AsyncClient, memory: erstwhile.Memory
) -> None:
    key = (await memory.keys.create(space="mine")).key
    for method, path in routes(app):
        if path in OPEN:
            continue
        if path in _BY_HEADER:
            refused = await called(http, method, at(path, ""), key, **{"X-Erstwhile-Space": "other"})
        else:  # those of all spaces too
            refused = await called(http, method, at(path, "other"), key, **{"X-Erstwhile-Space": "mine"})
        assert refused == 403, (method, path, refused)


async def test_a_key_that_reads_changes_nothing(
    app: FastAPI, http: httpx2.AsyncClient, memory: erstwhile.Memory
) -> None:
    readers = [
        await memory.keys.create(space="mine", read_only=True),
        await memory.keys.create(admin=True, read_only=True),
    ]
    for method, path in routes(app):
        if method == "GET" or path in OPEN | _ASKS:
            continue
        for reader in readers:
            refused = await called(http, method, at(path, "mine"), reader.key)
            assert refused == 403, (method, path, refused)
    for path in sorted(_ASKS):
        await called(http, "POST", at(path, "mine"), readers[0].key)
    assert await memory.channels.list(space="mine") == []
