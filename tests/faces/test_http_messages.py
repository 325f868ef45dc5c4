"""Messages over HTTP: put in once however often they are sent, read in pages that stay put."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from seeded import CHAT, HERE, SPACE, fill, talk

import erstwhile
from cases import case
from erstwhile.http.app import create_app
from erstwhile.testing import ModelServer

MESSAGES = f"{CHAT}/messages"


async def test_one_message_or_many(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    one = await http.post(MESSAGES, json={"role": "user", "text": "I moved to Busan", "person": "alice"})
    assert (one.status_code, one.json()["seq"], one.json()["person"]) == (201, 1, "alice")
    many = await http.post(MESSAGES, json={"messages": talk()})
    assert (many.status_code, [each["seq"] for each in many.json()["messages"]]) == (201, list(range(2, 12)))
    stored = [each.id async for each in memory.channel("chat", SPACE).messages()]
    assert stored == [one.json()["id"], *(each["id"] for each in many.json()["messages"])]
    assert (await http.get(CHAT)).json() == {"size": 11}
    assert (await http.post(MESSAGES, json={"messages": []})).json() == {"messages": []}


async def test_a_plain_request_is_answered_as_any_other(http: httpx2.AsyncClient) -> None:
    """With a charset, FastAPI reads the body; without one, we do."""
    plain, other = {"Content-Type": "application/json"}, {"Content-Type": "application/json; charset=utf-8"}
    one = {
        "role": "user",
        "text": "안녕 ☕",
        "person": "alice",
        "at": "2026-03-01T09:30:00.5+09:00",
        "meta": {"a": [1, 1e3]},
    }
    for body in (one, {"messages": [one, {"role": "tool", "text": "x", "key": "k"}]}, {"messages": []}):
        first, second = [await http.post(MESSAGES, content=json.dumps(body), headers=each) for each in (plain, other)]
        assert (first.status_code, first.headers["Content-Type"]) == (
            second.status_code,
            second.headers["Content-Type"],
        )
        assert set(first.headers) == set(second.headers)
        assert _without_place(first.json()) == _without_place(second.json())
    wrong = [{**one, "role": "nobody"}, {**one, "text": 5}, {"messages": [one, {}]}, {"messages": 1}, [], 7, "\ud800"]
    for body in (*wrong, {**one, "text": "\ud800"}, {**one, "channel": "another"}):
        first, second = [await http.post(MESSAGES, content=json.dumps(body), headers=each) for each in (plain, other)]
        assert (first.status_code, first.json() | {"request_id": ""}) == (422, second.json() | {"request_id": ""})


def _without_place(answer: dict[str, Any]) -> list[dict[str, Any]]:
    found = answer.get("messages", [answer])
    return [{name: value for name, value in each.items() if name not in ("id", "seq", "at")} for each in found]


async def test_a_repeat_gives_what_was_stored_then(http: httpx2.AsyncClient) -> None:
    said, again = {"role": "user", "text": "hello"}, {"Idempotency-Key": "k-1"}
    first, second = [await http.post(MESSAGES, json=said, headers=again) for _ in range(2)]
    assert (first.status_code, second.status_code) == (201, 200)
    assert (first.headers.get("Idempotent-Replayed"), second.headers["Idempotent-Replayed"]) == (None, "true")
    assert first.json() == second.json()
    batch = {"messages": talk()}
    first, second = [await http.post(MESSAGES, json=batch, headers={"Idempotency-Key": "k-2"}) for _ in range(2)]
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert [each["key"] for each in first.json()["messages"]] == [f"k-2/{number}" for number in range(10)]
    assert (await http.get(CHAT)).json()["size"] == 11
    other = await http.post(MESSAGES, json={**said, "text": "something else"}, headers=again)
    assert (other.status_code, "different text" in other.json()["detail"]) == (422, True)
    assert (await http.get(CHAT)).json()["size"] == 11


async def test_of_a_request_that_is_refused_nothing_is_stored(http: httpx2.AsyncClient) -> None:
    """The key is that of an earlier request; the first of its messages is as it was, the second is not, and the third is new."""
    again = {"Idempotency-Key": "k"}

    async def post(*texts: str) -> int:
        batch = {"messages": [{"role": "user", "text": text} for text in texts]}
        return (await http.post(MESSAGES, json=batch, headers=again)).status_code

    assert [await post("one", "two"), await post("one", "other", "three"), await post("one", "two")] == [201, 422, 200]
    assert [each["text"] for each in (await http.get(MESSAGES)).json()["messages"]] == ["one", "two"]


async def test_a_messages_own_key_wins_and_gives_back_what_was_stored(http: httpx2.AsyncClient) -> None:
    first = await http.post(MESSAGES, json={"role": "user", "text": "one", "key": "mine"})
    again = await http.post(
        MESSAGES, json={"role": "user", "text": "two", "key": "mine"}, headers={"Idempotency-Key": "request"}
    )
    assert (again.status_code, again.json()) == (200, first.json())


async def test_the_same_request_many_times_at_once_is_stored_once(http: httpx2.AsyncClient) -> None:
    batch, headers = {"messages": talk()}, {"Idempotency-Key": "once"}
    answers = await asyncio.gather(*(http.post(MESSAGES, json=batch, headers=headers) for _ in range(8)))
    assert len({answer.text for answer in answers}) == 1
    assert (await http.get(CHAT)).json()["size"] == 10


async def test_what_a_blocked_person_says_is_taken_and_kept_nowhere(http: httpx2.AsyncClient) -> None:
    assert (await http.put(f"{HERE}/people/mallory/blocked")).status_code == 204
    said = await http.post(MESSAGES, json={"role": "user", "text": "hello", "person": "mallory"})
    assert (said.status_code, said.json()["seq"]) == (202, 0)
    assert (await http.get(MESSAGES)).json() == {"messages": [], "next": None}
    await http.delete(f"{HERE}/people/mallory/blocked")
    assert (await http.post(MESSAGES, json={"role": "user", "text": "hi", "person": "mallory"})).status_code == 201


async def test_too_many_at_once_are_refused(database_url: str) -> None:
    async with erstwhile.open(database_url, worker=False) as memory:
        transport = httpx2.ASGITransport(app=create_app(memory))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            refused = await http.post(MESSAGES, json={"messages": talk() * 101})
            assert (refused.status_code, refused.headers["Content-Type"]) == (413, "application/problem+json")
            assert "1,010 messages" in refused.json()["detail"]
            assert (await http.get(CHAT)).json()["size"] == 0


async def test_a_space_takes_in_so_much_a_day(database_url: str) -> None:
    async with erstwhile.open(database_url, worker=False, limits={"tokens_per_day": 30}) as memory:
        transport = httpx2.ASGITransport(app=create_app(memory))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            assert (await http.post(MESSAGES, json={"role": "user", "text": "I moved to Busan."})).status_code == 201
            refused = await http.post(MESSAGES, json={"messages": talk()})
            assert (refused.status_code, int(refused.headers["Retry-After"]) > 0) == (429, True)
            assert (await http.post(f"{CHAT}/context", json={"query": "sea " * 99})).status_code == 429
            assert (await http.get(CHAT)).json()["size"] == 1


async def test_pages_miss_and_repeat_nothing_while_more_is_said(http: httpx2.AsyncClient) -> None:
    await http.post(MESSAGES, json={"messages": talk(3)})
    seen, cursor = [], None
    while True:
        page = (await http.get(MESSAGES, params={"limit": 7} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [each["seq"] for each in page["messages"]]
        if len(seen) < 20:
            await http.post(MESSAGES, json={"role": "user", "text": "one more"})
        if (cursor := page["next"]) is None:
            break
    assert seen == list(range(1, 33))
    later = (await http.get(MESSAGES, params={"after": 30})).json()
    assert ([each["seq"] for each in later["messages"]], later["next"]) == ([31, 32], None)


async def test_a_cursor_is_for_its_own_list(http: httpx2.AsyncClient) -> None:
    await http.post(MESSAGES, json={"messages": talk()})
    cursor = (await http.get(MESSAGES, params={"limit": 1})).json()["next"]
    elsewhere = f"{HERE}/channels/other/messages"
    for path, asked in [
        (elsewhere, {"cursor": cursor}),
        (MESSAGES, {"cursor": cursor, "after": 1}),
        *((MESSAGES, {"cursor": wrong}) for wrong in ("", "x", "!!", "ü", cursor[:-2], "bnVsbA", "W10", "a" * 5000)),
        (f"{HERE}/memories", {"cursor": cursor}),
    ]:
        refused = await http.get(path, params=asked)
        assert refused.status_code == 422, (path, asked)
        assert "cursor" in refused.json()["detail"]


WRONG = [
    ({"role": "user"}, "text"),
    ({"role": "robot", "text": "hello"}, "role"),
    ({"role": "user", "text": ""}, "text"),
    ({"role": "user", "text": "hello", "persn": "alice"}, "persn"),
    ({"role": "user", "text": "hello", "channel": "other"}, "belongs to channel"),
    ({"role": "user", "text": "a\0b"}, "NUL"),
    ({"messages": [{"role": "user", "text": "fine"}, {"role": "user"}]}, "text"),
    ({"messages": [], "message": 1}, "message"),
    ([], "body"),
    ("hello", "body"),
]


async def test_what_is_wrong_is_said(http: httpx2.AsyncClient) -> None:
    for body, why in WRONG:
        with case(body):
            refused = await http.post(MESSAGES, json=body)
            assert (refused.status_code, refused.headers["Content-Type"]) == (422, "application/problem+json")
            assert why in refused.json()["detail"]
            assert (await http.get(CHAT)).json()["size"] == 0


async def test_context_by_address_and_by_body(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    chat = await fill(memory)
    asked = {"query": "Where does alice live?", "person": "alice", "budget": 500, "recipe": "full"}
    answer = (await http.get(f"{CHAT}/context", params=asked)).json()
    made = await chat.context(**asked)  # type: ignore[arg-type]
    assert (answer["text"], answer["tokens"]) == (made.text, made.tokens)
    assert "Busan" in answer["text"]
    assert [part["text"] for part in answer["parts"]] == [part.text for part in made.parts]
    assert answer["sources"][0].keys() == {"id", "kind", "messages"}
    long = {**asked, "query": "Where does alice live? " * 5000}
    assert (await http.post(f"{CHAT}/context", json=asked)).json()["text"] == made.text
    assert (await http.post(f"{CHAT}/context", json=long)).status_code == 200
    why = await http.get(f"{HERE}/requests/{answer['request']}")
    assert why.json()["request"]["query"] == asked["query"]
    assert (await http.get(f"{CHAT}/context", params={"budget": 5})).status_code == 422
    assert (await http.get(f"{CHAT}/context", params={"qeury": "x"})).status_code == 422


@pytest.fixture
async def talking(prompted: erstwhile.Memory) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=create_app(prompted))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


def events(text: str) -> list[tuple[str, dict[str, str]]]:
    blocks = [dict(line.split(": ", 1) for line in block.split("\n")) for block in text.strip().split("\n\n")]
    return [(block["event"], json.loads(block["data"])) for block in blocks]


async def test_a_question_is_answered_in_pieces_and_logged(
    talking: httpx2.AsyncClient, prompted: erstwhile.Memory, model_server: ModelServer
) -> None:
    answer = await talking.post(f"{CHAT}/ask", json={"query": "Where do I live?", "person": "alice", "key": "q1"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
    told = events(answer.text)
    assert told[-1] == ("done", {})
    assert {name for name, _ in told[:-1]} == {"piece"}
    logged = [each async for each in prompted.channel("chat", SPACE).messages()]
    assert [each.role for each in logged] == ["user", "assistant"]
    assert logged[1].text == "".join(data["text"] for _, data in told[:-1])
    refused = await talking.post(f"{CHAT}/ask", json={"query": "hello", "budget": 3})
    assert (refused.status_code, refused.headers["Content-Type"]) == (422, "application/problem+json")


async def test_without_a_chat_model_asking_is_a_problem(http: httpx2.AsyncClient) -> None:
    refused = await http.post(f"{CHAT}/ask", json={"query": "hello"})
    assert (refused.status_code, "ERSTWHILE_CHAT_MODEL" in refused.json()["detail"]) == (422, True)
