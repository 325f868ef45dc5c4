"""What people send who mean no good, or no harm: refused with a sentence or kept as it is, never a 5xx.

S9, S11, S12, S14, S15, S22, S28."""

from __future__ import annotations

import gzip
import json
from typing import Any
from urllib.parse import quote

import httpx2
from fastapi import FastAPI
from seeded import CHAT, HERE, SPACE, fill

import erstwhile
from cases import case

MESSAGES = f"{CHAT}/messages"
SAID = {"role": "user", "text": "hello"}


async def with_key(http: httpx2.AsyncClient, memory: erstwhile.Memory, **more: bool) -> None:
    made = await memory.keys.create(space=SPACE, name="mine", **more)
    http.headers["Authorization"] = f"Bearer {made.key}"


NOT_ITS_OWN = [
    ("GET", "/v1/spaces/other/search?q=secret", None),
    ("GET", "/v1/spaces/other/channels/chat/messages", None),
    ("POST", "/v1/spaces/other/channels/chat/messages", SAID),
    ("GET", "/v1/spaces/other/people/alice", None),
    ("PATCH", "/v1/spaces/other/memories/fct_x", {"text": "x"}),
    ("PATCH", f"{HERE}/configuration", {"base_url": "http://169.254.169.254/"}),
    ("PATCH", f"{HERE}/configuration", {"chat_model": "openai:the-dearest"}),  # on the house's account
    ("POST", "/v1/settle", None),
    ("GET", "/v1/jobs", None),
    ("POST", "/v1/jobs/retry", None),
    ("POST", "/v1/jobs/x/park", {"reason": "x"}),
]


async def test_s9_a_key_opens_its_own_space_and_no_other(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    await with_key(http, memory)
    for method, path, body in NOT_ITS_OWN:
        with case(method, path):
            refused = await http.request(
                method, path, json=body, headers={"X-Space": "other", "X-Erstwhile-Space": "other"}
            )
            assert (refused.status_code, refused.headers["Content-Type"]) == (403, "application/problem+json")


async def test_s9_what_a_body_says_of_spaces_is_refused_or_means_nothing(
    http: httpx2.AsyncClient, memory: erstwhile.Memory
) -> None:
    await memory.channel("chat", "other").add("user", "the secret is swordfish", person="alice")
    await with_key(http, memory)
    assert (await http.post(MESSAGES, json={**SAID, "space": "other"})).status_code == 422
    assert (await http.get(f"{HERE}/search", params={"q": "swordfish", "space": "other"})).status_code == 422
    assert (await http.get(f"{HERE}/search", params={"q": "swordfish"}, headers={"X-Space": "other"})).json() == {
        "hits": []
    }


async def test_s9_a_reading_key_writes_nothing(
    http: httpx2.AsyncClient, app: FastAPI, memory: erstwhile.Memory
) -> None:
    await fill(memory)
    await with_key(http, memory, read_only=True)
    document = app.openapi()["paths"]
    writing = [
        (method, path)
        for path, methods in document.items()
        for method in methods
        if path.startswith("/v1/spaces/") and method != "get" and not path.endswith("/context")
    ]
    assert len(writing) > 20
    for method, path in writing:
        for name, id in {"space": SPACE, "channel": "chat", "person": "alice", "id": "fct_x", "job": "j"}.items():
            path = path.replace(f"{{{name}}}", id)
        refused = await http.request(method, path.replace("{name}", "summarise"), json={})
        assert refused.status_code in (403, 422), (method, path)
    assert (await http.post(f"{CHAT}/context", json={"query": "Busan"})).status_code == 200
    assert (await http.get(f"{HERE}/memories")).status_code == 200


INJECTIONS = [
    '{"$or": [{}]}',
    "' OR 1=1--",
    '"; DROP TABLE messages; --',
    '" NEAR( * ^ col:',
    "AND OR NOT (",
    "%_%",
    "$..*",
    "MATCH (n) RETURN n",
    "{{7*7}} ${jndi:x}",
    "\\",
    "'",
]


async def test_s11_a_filter_is_text(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    await memory.channel("chat", SPACE).add("user", "I moved to Busan.", person="alice")
    for text in INJECTIONS:
        with case(text):
            for path, asked in [
                ("search", {"q": text}),
                ("search", {"q": "Busan", "person": text}),
                ("search", {"q": "Busan", "channel": text}),
                ("search", {"q": "Busan", "kinds": text}),
                ("memories", {"person": text, "channel": text}),
                ("notes", {"person": text}),
                ("structured", {"person": text}),
                ("structured", {"valid": text}),
                ("requests", {"channel": text}),
                ("channels/chat/context", {"query": text, "person": text}),
            ]:
                answer = await http.get(f"{HERE}/{path}", params=asked)
                assert answer.status_code in (200, 422), (path, asked)
                if "Busan" in asked.values() and answer.status_code == 200:
                    assert answer.json() == {"hits": []}
            assert (await http.get(CHAT)).json()["size"] == 1


BODIES = {
    "10 MB": b'{"role": "user", "text": "' + b"x" * 10_000_000 + b'"}',
    "deep": b'{"role": "user", "text": "x", "meta": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001,
    "deep for an answer": b'{"role": "user", "text": "x", "meta": ' + b'{"a":' * 254 + b"1" + b"}" * 255,
    "deep for meta": b'{"role": "user", "text": "x", "meta": ' + b'{"a":' * 33 + b"1" + b"}" * 34,
    "deep list": b"[" * 100_000,
    "NaN": b'{"role": "user", "text": "x", "meta": {"a": NaN}}',
    "infinite": b'{"role": "user", "text": "x", "meta": {"a": 1e999}}',
    "huge number": b'{"role": "user", "text": "x", "meta": {"a": ' + b"9" * 5000 + b"}}",
    "cut off": b'{"role": "user", "te',
    "empty": b"",
    "no JSON": b"role,text\nuser,hello\n",
    "half a character": b'{"role": "user", "text": "\\ud800"}',
    "half a name": b'{"role": "user", "text": "x", "\\ud800": 1}',
    "half in meta": b'{"role": "user", "text": "x", "meta": {"\\udfff": 1}}',
    "no UTF-8": b'{"role": "user", "text": "\xff\xfe"}',
    "UTF-16": '{"role": "user", "text": 5}'.encode("utf-16"),
    "NUL": b'{"role": "user", "text": "a\\u0000b"}',
    "gzip": gzip.compress(b"0" * 1_000_000),
    "null": b"null",
    "twice": b'{"role": "user", "text": "one", "text": "two"}',
}


async def test_s12_a_body_that_is_too_much_or_no_json(http: httpx2.AsyncClient) -> None:
    for name, body in BODIES.items():
        with case(name):
            refused = await http.post(MESSAGES, content=body, headers={"Content-Type": "application/json"})
            assert refused.status_code in (400, 413, 415, 422)
            assert refused.headers["Content-Type"] == "application/problem+json"
            assert refused.json()["detail"].endswith(".")
            assert len(refused.content) < 10_000
            assert (await http.get(CHAT)).json()["size"] == 0


async def test_s12_meta_as_deep_as_is_taken_can_be_read(http: httpx2.AsyncClient) -> None:
    meta = json.loads('{"a":' * 32 + "1" + "}" * 32)
    assert (await http.post(MESSAGES, json={**SAID, "meta": meta})).status_code == 201
    assert (await http.get(MESSAGES)).json()["messages"][0]["meta"] == meta


async def test_s12_more_messages_than_a_request_may_have(http: httpx2.AsyncClient) -> None:
    many = 1001
    facts = {"facts": [f"Likes number {number}." for number in range(many)], "by": "alice"}
    refused = await http.post(f"{HERE}/people/alice/profile/import", json=facts)
    assert (refused.status_code, "1,001 facts" in refused.json()["detail"]) == (413, True)
    refused = await http.post(MESSAGES, json={"messages": [SAID] * many})
    assert (refused.status_code, refused.headers["Content-Type"]) == (413, "application/problem+json")


IDS = [
    *("guild/general", "..", "../../etc/passwd", "%2e%2e", "한국어 ü 🧵", "' OR 1=1--", "a b", "?x=1#y", "\\", "*"),
    *("__proto__", "null", "0", "-1", "\u202e\u200b"),
]


async def test_s14_an_id_is_whatever_it_is(http: httpx2.AsyncClient) -> None:
    for id in IDS:
        with case(id):
            part = quote(id, safe="").replace(".", "%2E")
            here = f"/v1/spaces/{part}"
            stored = await http.post(f"{here}/channels/{part}/messages", json={**SAID, "person": id, "key": id})
            assert (stored.status_code, stored.json()["person"]) == (201, id)
            assert [each["channel"] for each in (await http.get(f"{here}/channels")).json()["channels"]] == [id]
            assert (await http.get(f"{here}/people/{part}")).json()["person"] == id
            assert (await http.get(f"{here}/memories/{part}")).status_code == 422
            for path in (f"{here}/requests/{part}", f"{here}/jobs/{part}/park"):
                answer = await (http.post if path.endswith("park") else http.get)(path)
                assert answer.status_code == 404


NO_IDS = ["%20", "x" * 10_000, "%00", "a%00b", "%ff", "%ED%A0%80", "ü" * 300]


async def test_s14_what_can_be_no_id_is_refused(http: httpx2.AsyncClient) -> None:
    for id in NO_IDS:
        with case(id):
            for path in (
                f"/v1/spaces/{id}/channels/chat/messages",
                f"/v1/spaces/{id}/jobs",
                f"/v1/spaces/{id}/people",
                f"{HERE}/channels/{id}/messages",
                f"{HERE}/people/{id}/remembered",
                f"{HERE}/memories/{id}",
                f"{HERE}/memories/{id}/history",
                f"{HERE}/requests/{id}",
            ):
                refused = await http.get(path)
                assert refused.status_code in (404, 422), path
                assert refused.headers["Content-Type"] == "application/problem+json"
            assert (await http.post(f"{HERE}/jobs/{id}/park", json={"reason": "\0"})).status_code in (404, 422)


TIMES = [
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
    ("2036-01-01T00:00:00+09:00", "2035-12-31T15:00:00Z"),
    ("2026-03-01T09:30:00.123456789Z", "2026-03-01T09:30:00.123456Z"),
    ("0001-01-01T00:00:00+01:00", None),
    ("9999-12-31T23:59:59-01:00", None),
    ("2026-03-01T09:30:00", None),
    ("2026-02-30T00:00:00Z", None),
    ("1772357400", None),
    ("1772357400000", None),
    ("yesterday", None),
    ("", None),
    (1772357400, None),
    (1e308, None),
]


async def test_s15_a_time_is_kept_exactly_or_refused(http: httpx2.AsyncClient) -> None:
    for number, (at, kept) in enumerate(TIMES):
        with case(at):
            chat = f"{HERE}/channels/{number}"
            answer = await http.post(f"{chat}/messages", json={**SAID, "at": at})
            if kept is None:
                assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
                continue
            assert (answer.status_code, answer.json()["at"]) == (201, kept)
            await http.post(f"{chat}/messages", json={**SAID, "at": "2020-01-01T00:00:00Z"})
            page = (await http.get(f"{chat}/messages")).json()["messages"]
            assert [each["seq"] for each in page] == [1, 2]
            assert (await http.get(f"{chat}/context", params={"query": "hello"})).status_code == 200


INWARD = [
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://metadata.google.internal/",
    "http://localhost:5432/",
    "http://127.0.0.1:8765/v1",
    "http://0x7f000001/",
]
NO_SERVER = [
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "ftp://127.0.0.1/",
    "http://",
    "http://models.example\r\nX-Evil: 1/",
    "http://user:password@models.example/",
    "http://models.example/?redirect=http://169.254.169.254/",
    "//169.254.169.254/",
]


async def test_s22_a_key_of_a_space_cannot_send_the_server_anywhere(
    http: httpx2.AsyncClient, memory: erstwhile.Memory
) -> None:
    """Only who runs the server says which address it calls; and what is no address of a server, nobody."""
    await with_key(http, memory)
    for address in [*INWARD, *NO_SERVER]:
        with case(address):
            refused = await http.patch(f"{HERE}/configuration", json={"base_url": address, "api_key": "sk-mine"})
            assert refused.status_code in (403, 422)
    admin = await memory.keys.create(admin=True)
    http.headers["Authorization"] = f"Bearer {admin.key}"
    for address in NO_SERVER:
        with case(address):
            assert (await http.patch(f"{HERE}/configuration", json={"base_url": address})).status_code == 422


async def test_s28_scores_and_order_tell_nothing_about_another_space(
    http: httpx2.AsyncClient, memory: erstwhile.Memory
) -> None:
    """What another tenant says must not move a score: not how many messages there are, nor how rare a word is."""
    chat = memory.channel("chat", SPACE)
    await chat.add_many({"role": "user", "person": "alice", "text": f"lantern {n} from the market"} for n in range(30))
    await chat.add("user", "the swordfish lantern", person="alice")
    await with_key(http, memory)

    async def asked() -> list[tuple[str, float]]:
        answers = [await http.get(f"{HERE}/search", params={"q": q}) for q in ("swordfish", "lantern", "merger")]
        return [(hit["id"], hit["score"]) for answer in answers for hit in answer.json()["hits"]]

    before = await asked()
    assert before
    other = memory.channel("chat", "other")
    await other.add_many({"role": "user", "text": f"the merger of swordfish and lantern, {n}"} for n in range(200))
    assert await asked() == before


async def test_s28_a_key_of_a_space_sees_ranks_and_an_admin_key_scores(
    http: httpx2.AsyncClient, memory: erstwhile.Memory
) -> None:
    """A score tells how rare a word is in the whole space, also where the caller may not look."""
    chat = memory.channel("chat", SPACE)
    await chat.add_many(
        {"role": "user", "person": "alice", "text": f"lantern {n} from the market of swordfish"} for n in range(30)
    )
    await memory.settle()
    asked = (await chat.context("Which lantern is from the market?", budget=300)).request
    own = await memory.search("market lantern", space=SPACE, limit=5)

    async def given() -> tuple[list[float], list[float], list[float], list[dict[str, Any]]]:
        words = {"q": "market lantern", "limit": 5}
        search = (await http.get(f"{HERE}/search", params=words)).json()
        assert [hit["id"] for hit in search["hits"]] == [hit.id for hit in own], "the order is the same for all"
        first = (await http.get(f"{HERE}/browse", params=words)).json()
        browsed = (await http.get(f"{HERE}/browse", params={**words, "cursor": first["next"]})).json()
        listed = (await http.get(f"{HERE}/memories")).json()
        why = (await http.get(f"{HERE}/requests/{asked}")).json()
        assert [each["candidate"] for each in why["seen"]] == why["request"]["candidates"]
        shown = [[hit["score"] for hit in hits] for hits in (search["hits"], browsed["hits"], listed["memories"])]
        return (*shown, why["request"]["candidates"])

    admin = await memory.keys.create(admin=True)
    http.headers["Authorization"] = f"Bearer {admin.key}"
    scores, browsed, listed, candidates = await given()
    assert scores == [hit.score for hit in own]
    assert listed
    assert set(listed) == {0.0}
    assert all(each["parts"] for each in candidates)
    for more in ({}, {"read_only": True}):
        await with_key(http, memory, **more)
        ranks, pages, still, explained = await given()
        assert ranks == [1.0, 0.5, 0.333333, 0.25, 0.2] != scores
        assert pages == ranks != browsed
        assert still == listed
        assert [each["score"] for each in explained[:3]] == [1.0, 0.5, 0.333333]
        assert [{**each, "score": 0, "parts": {}} for each in candidates] == [
            {**each, "score": 0} for each in explained
        ], "all but the scores"
