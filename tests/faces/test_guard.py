"""What the server lets near: hosts, web pages, bodies; and what it tells of itself when something goes wrong."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI, WebSocket
from fastapi.responses import StreamingResponse

import erstwhile
from erstwhile.base.settings import load
from erstwhile.http.app import create_app
from erstwhile.http.host_checks import Hosts
from inside import runtime

MESSAGES = "/v1/spaces/s/channels/c/messages"
SAID = {"role": "user", "text": "hello"}
EVIL = "https://evil.example"


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    """One database will do: nothing here is about them."""
    return str(tmp_path / "test.db")


@asynccontextmanager
async def calling(database_url: str, **settings: Any) -> AsyncIterator[tuple[httpx2.AsyncClient, FastAPI]]:
    """The app with settings of its own."""
    async with erstwhile.open(database_url, worker=False, **settings) as memory:
        app = create_app(memory)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
            yield client, app


async def stored(http: httpx2.AsyncClient) -> int:
    return len((await http.get(MESSAGES)).json()["messages"])


# Hosts


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/docs", "/openapi.json", MESSAGES, "/nowhere", "/mcp"])
async def test_no_route_answers_to_a_strange_name(http: httpx2.AsyncClient, path: str) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "", "127.0.0.1:x"):
        refused = await http.get(path, headers={"Host": host})
        assert (refused.status_code, refused.headers["content-type"]) == (421, "application/problem+json")
        assert "ERSTWHILE_HOSTS" in refused.json()["detail"]


async def test_of_two_names_neither_counts(http: httpx2.AsyncClient) -> None:
    asked = http.build_request("GET", "/healthz", headers=[("Host", "localhost"), ("Host", "evil.example")])
    assert (await http.send(asked)).status_code == 421


def test_the_names_it_answers_to() -> None:
    own = Hosts(load())
    assert all(host in own for host in ("localhost", "LOCALHOST:8765", "127.0.0.1:1", "[::1]:8765", "localhost."))
    assert not any(host in own for host in ("192.0.2.1", "example.com", "[::2]", "a b", "localhost:8765:1"))
    named = Hosts(load(hosts="memory.example,*.inside.example", host="192.0.2.1"))
    assert all(host in named for host in ("memory.example:443", "a.inside.example", "192.0.2.1", "192.0.2.9"))
    assert not any(host in named for host in ("inside.example.com", "evilinside.example", "other.example"))
    assert "anything" in Hosts(load(hosts="*"))


# Web pages


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site", "Origin": EVIL},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": EVIL},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": EVIL, "Authorization": "Basic dXNlcjpwYXNz"},
    ],
)
async def test_a_page_of_another_origin_writes_nothing(http: httpx2.AsyncClient, headers: dict[str, str]) -> None:
    for kind in ("application/json", "text/plain"):
        sent = await http.post(MESSAGES, content=json.dumps(SAID), headers={**headers, "Content-Type": kind})
        assert sent.status_code == 403
    assert (await http.delete("/v1/keys/x", headers=headers)).status_code == 403
    assert await stored(http) == 0


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Origin": "http://127.0.0.1"}, {}]
)
async def test_a_page_of_ours_and_other_programs_do(http: httpx2.AsyncClient, headers: dict[str, str]) -> None:
    assert (await http.post(MESSAGES, json=SAID, headers=headers)).status_code == 201


async def test_who_brings_a_key_comes_of_their_own_will(memory: erstwhile.Memory, http: httpx2.AsyncClient) -> None:
    key = (await memory.keys.create(space="s")).key
    pages = {"Sec-Fetch-Site": "cross-site", "Origin": EVIL}
    for given in ({"Authorization": f"Bearer {key}"}, {"x-api-key": key}):
        assert (await http.post(MESSAGES, json=SAID, headers={**pages, **given})).status_code == 201


async def test_a_form_is_no_message(http: httpx2.AsyncClient) -> None:
    """As `curl -d` sends it by itself: the answer says what is missing."""
    refused = await http.post(MESSAGES, data=SAID)
    assert refused.status_code == 415
    assert "Content-Type: application/json" in refused.json()["detail"]
    plain = await http.post(MESSAGES, content=json.dumps(SAID), headers={"Content-Type": "text/plain"})
    assert plain.status_code == 415


async def test_other_origins_are_told_nothing_unless_they_are_named(database_url: str) -> None:
    asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    async with calling(database_url) as (http, _):
        answer = await http.get("/healthz", headers=asked)
        assert "access-control-allow-origin" not in answer.headers
        assert "access-control-allow-origin" not in (await http.options(MESSAGES, headers=asked)).headers
    async with calling(database_url, origins=["https://app.example"]) as (http, app):
        await app.state.memory.keys.create(space="s")
        allowed = await http.options(MESSAGES, headers=asked)
        assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://app.example")
        assert "access-control-allow-credentials" not in allowed.headers
        refused = await http.get(MESSAGES, headers=asked)
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, "https://app.example")
        other = await http.get("/healthz", headers={"Origin": EVIL})
        assert "access-control-allow-origin" not in other.headers
        assert (await http.options(MESSAGES, headers={**asked, "Host": "evil.example"})).status_code == 421


# Websockets


@pytest.mark.parametrize(
    ("headers", "heard"),
    [
        ({"host": "127.0.0.1"}, "websocket.accept"),
        ({"host": "127.0.0.1", "origin": "http://127.0.0.1"}, "websocket.accept"),
        ({"host": "127.0.0.1", "origin": EVIL}, "websocket.close"),
        ({"host": "evil.example", "origin": "http://evil.example"}, "websocket.close"),
    ],
)
async def test_websockets_are_guarded_too(app: FastAPI, headers: dict[str, str], heard: str) -> None:
    @app.websocket("/live")
    async def live(socket: WebSocket) -> None:
        await socket.accept()
        await socket.close()

    said: list[str] = []

    async def send(message: Any) -> None:
        said.append(message["type"])

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    scope = {
        "type": "websocket",
        "path": "/live",
        "raw_path": b"/live",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "subprotocols": [],
    }
    await app(scope, receive, send)
    assert said[0] == heard


# Bodies


async def test_a_body_is_no_larger_than_it_may_be(database_url: str, serving: Callable[[FastAPI], str]) -> None:
    async def in_pieces(size: int) -> AsyncIterator[bytes]:
        for _ in range(size // 1000):
            yield b"x" * 1000

    async with calling(database_url, limits={"body_bytes": 10_000}) as (http, app):
        fits = {"role": "user", "text": "x" * 9_900}
        assert (await http.post(MESSAGES, json=fits)).status_code == 201
        too_large = await http.post(MESSAGES, json={"role": "user", "text": "x" * 10_000})
        assert (too_large.status_code, "ERSTWHILE_LIMITS__BODY_BYTES" in too_large.json()["detail"]) == (413, True)
        async with httpx2.AsyncClient(base_url=serving(app)) as wire:
            for kind in ("application/json", "text/plain"):
                answer = await wire.post(MESSAGES, content=in_pieces(2_000_000), headers={"Content-Type": kind})
                assert answer.status_code == 413
            assert (await wire.post(MESSAGES, content=b"x" * 10_000_000)).status_code == 413
            assert (await wire.get("/healthz")).status_code == 200
        assert await stored(http) == 1


async def test_a_length_that_is_no_number_is_refused(http: httpx2.AsyncClient) -> None:
    answer = await http.post(MESSAGES, content=b"{}", headers={"Content-Length": "1e9"})
    assert answer.status_code == 400


async def test_packed_bodies_are_not_taken(http: httpx2.AsyncClient) -> None:
    import gzip

    bomb = gzip.compress(json.dumps({"role": "user", "text": "x" * 1_000_000}).encode())
    answer = await http.post(
        MESSAGES, content=bomb, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"}
    )
    assert answer.status_code == 415


STRANGE = {
    "10,000 levels": b"[" * 10_000 + b"]" * 10_000,
    "levels in a message": b'{"role":"user","text":"x","meta":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}",
    "NaN": b'{"role":"user","text":"x","meta":{"a":NaN}}',
    "Infinity": b'{"role":"user","text":"x","meta":{"a":-Infinity}}',
    "1e400": b'{"role":"user","text":"x","meta":{"a":1e400}}',
    "5,000 digits": b'{"role":"user","text":"x","meta":{"a":' + b"9" * 5_000 + b"}}",
    "the same name twice": b'{"role":"user","text":"x","text":"y"}',
    "UTF-16": '{"role":"user","text":"x"}'.encode("utf-16"),
    "UTF-16 without a mark": '{"role":"user","text":"x"}'.encode("utf-16-le"),
    "Latin-1": '{"role":"user","text":"ü"}'.encode("latin-1"),
    "half a surrogate pair": b'{"role":"user","text":"\\ud800"}',
    "half a pair as a name": b'{"role":"user","text":"x","\\ud800":1}',
    "NUL": b'{"role":"user","text":"\\u0000"}',
    "nothing": b"",
    "no object": b'"x"',
    "half": b'{"role":',
    "CSV": b"role,text\nuser,x\n",
}


@pytest.mark.parametrize("body", STRANGE.values(), ids=STRANGE.keys())
async def test_strange_json_is_refused_with_a_reason(http: httpx2.AsyncClient, body: bytes) -> None:
    answer = await http.post(MESSAGES, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"]
    assert await stored(http) == 0


# What it tells


async def test_every_answer_carries_its_id_and_the_headers_of_a_careful_server(http: httpx2.AsyncClient) -> None:
    answers = [
        await http.get(MESSAGES, headers={"X-Request-Id": "from-me.1"}),
        await http.get("/nowhere", headers={"X-Request-Id": "from-me.1"}),
        await http.get(MESSAGES, headers={"X-Request-Id": "a b\r\nc" * 100}),
        await http.get("/healthz", headers={"Host": "evil.example"}),
    ]
    assert [each.headers["x-request-id"] for each in answers[:2]] == ["from-me.1"] * 2
    assert answers[1].json()["request_id"] == "from-me.1"
    assert len(answers[2].headers["x-request-id"]) == 16
    assert answers[3].json()["request_id"] == answers[3].headers["x-request-id"]
    for each in answers:
        assert each.headers["x-content-type-options"] == "nosniff"
        assert each.headers["referrer-policy"] == "no-referrer"
        assert each.headers["cross-origin-opener-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in each.headers["content-security-policy"]
    assert answers[0].headers["cache-control"] == "no-store"


async def test_docs_need_nothing_from_elsewhere(http: httpx2.AsyncClient) -> None:
    for path in ("/docs", "/docs.js", "/docs.css"):
        page = await http.get(path)
        assert page.status_code == 200
        assert "//" not in page.text.replace("http://www.w3.org", "")
        assert page.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in page.headers["content-security-policy"]
    assert "<script src=" in (await http.get("/docs")).text
    assert (await http.get("/docs/../../app.py")).status_code in (401, 404)


async def test_a_fault_of_ours_tells_the_client_nothing_and_the_log_where(
    app: FastAPI, http: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    @app.get("/v1/broken")
    async def broken(said: str) -> None:
        raise RuntimeError(f"canary {said}")

    @app.get("/v1/broken-later")
    async def broken_later() -> StreamingResponse:
        async def pieces() -> AsyncIterator[str]:
            yield "one"
            raise RuntimeError("canary")

        return StreamingResponse(pieces())

    answer = await http.get("/v1/broken", params={"said": "canary"})
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert "canary" not in answer.text
    with pytest.raises(AssertionError):  # the transport misses the end of the answer, as a client would
        await http.get("/v1/broken-later")
    ours = "\n".join(
        record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "asyncio"))
    )
    assert "canary" not in ours
    assert f"request={answer.json()['request_id']}" in ours
    assert "error=RuntimeError" in ours
    assert "test_guard.py:" in ours


async def test_the_log_has_a_line_for_each_request_and_nobodys_words(
    memory: erstwhile.Memory, http: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="erstwhile")
    key = await memory.keys.create(space="s")
    await http.get(
        "/v1/spaces/s/search?limit=7&q=canary", headers={"Authorization": f"Bearer {key.key}", "X-Request-Id": "mine"}
    )
    await http.post(
        MESSAGES, json={"role": "user", "text": "canary", "person": "canary"}, headers={"x-api-key": key.key}
    )
    lines = [record.getMessage() for record in caplog.records if "event=request " in record.getMessage()]
    assert len(lines) == 2
    assert "method=GET path=/v1/spaces/{space}/search status=200 ms=" in lines[0]
    assert f"key={key.id} request=mine" in lines[0]
    assert "canary" not in caplog.text
    assert key.key not in caplog.text


async def test_head_is_logged_by_its_route_too(http: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="erstwhile")
    assert (await http.head("/v1/spaces/s/people/canary/remembered")).status_code == 200
    assert "method=HEAD path=/v1/spaces/{space}/people/{person}/remembered status=200" in caplog.text
    assert "canary" not in caplog.text


def test_no_setting_opens_it_to_every_page() -> None:
    with pytest.raises(erstwhile.SettingsError, match="name the pages"):
        load(origins="https://app.example,*")


async def test_ready_means_the_database_and_its_structure(
    memory: erstwhile.Memory, app: FastAPI, http: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await http.get("/readyz")).json() == {"status": "ready"}

    async def older() -> int:
        return 0

    with monkeypatch.context() as patched:
        patched.setattr(runtime(memory).database, "version", older)
        not_ready = await http.get("/readyz")
        assert (not_ready.status_code, "schema 0" in not_ready.json()["detail"]) == (503, True)
    app.state.closing.set()
    closing = await http.get("/readyz")
    assert (closing.status_code, closing.headers["retry-after"]) == (503, "1")
    assert (await http.get("/healthz")).status_code == 200


async def test_nothing_is_acknowledged_and_nothing_is_ready_once_the_database_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    async with erstwhile.open(str(path), worker=False) as memory:
        transport = httpx2.ASGITransport(app=create_app(memory))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            message = {"role": "user", "text": "hello"}
            assert (await http.post(MESSAGES, json=message)).status_code == 201
            path.rename(tmp_path / "away.db")
            for answer in (await http.post(MESSAGES, json=message), await http.get("/readyz")):
                assert (answer.status_code, "removed or replaced" in answer.json()["detail"]) == (503, True)
            (tmp_path / "away.db").rename(path)
            assert (await http.get("/readyz")).status_code == 200
            assert (await http.post(MESSAGES, json=message)).status_code == 201
