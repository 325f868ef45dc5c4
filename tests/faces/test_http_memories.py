"""Memories over HTTP: found, listed, traced, and changed by whoever has seen what they change."""

from __future__ import annotations

import asyncio

import httpx2
from seeded import CHAT, HERE, SPACE, fill

import erstwhile


async def a_fact(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> str:
    await fill(memory)
    facts = (await http.get(f"{CHAT}/facts")).json()["facts"]
    return f"{HERE}/memories/{facts[0]['id']}"


async def test_an_edit_needs_the_tag_of_what_it_changes(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    fact = await a_fact(http, memory)
    seen = await http.get(fact)
    tag = seen.headers["ETag"]
    assert (await http.get(fact, headers={"If-None-Match": tag})).status_code == 304
    assert (await http.get(fact, headers={"If-None-Match": f'"x", W/{tag}'})).status_code == 304
    assert (await http.get(fact, headers={"If-None-Match": "*"})).status_code == 304
    edited = await http.patch(fact, json={"text": "Alice lives by the sea.", "by": "alice"}, headers={"If-Match": tag})
    assert (edited.status_code, edited.json()["action"], edited.json()["by"]) == (200, "edited", "alice")
    late = await http.patch(fact, json={"text": "Alice lives in Seoul."}, headers={"If-Match": tag})
    assert (late.status_code, late.headers["Content-Type"]) == (412, "application/problem+json")
    assert (await http.delete(fact, headers={"If-Match": tag})).status_code == 412
    now = await http.get(fact, headers={"If-None-Match": tag})
    assert (now.status_code, now.json()["text"]) == (200, "Alice lives by the sea.")
    weak = await http.patch(fact, json={"text": "x"}, headers={"If-Match": f"W/{now.headers['ETag']}"})
    assert weak.status_code == 412
    gone = await http.delete(fact, params={"by": "alice"}, headers={"If-Match": now.headers["ETag"]})
    assert (gone.status_code, gone.json()["action"]) == (200, "deleted")
    assert (await http.get(fact)).status_code == 404
    assert (await http.delete(fact, headers={"If-Match": "*"})).status_code == 404
    versions = (await http.get(f"{fact}/history")).json()["versions"]
    assert [each["action"] for each in versions] == ["written", "edited", "deleted"]
    back = await http.post(f"{fact}/restore", json={"by": "alice"})
    assert (back.status_code, back.json()["action"], back.json()["by"]) == (200, "restored", "alice")
    assert (await http.get(fact)).json()["text"] == "Alice lives by the sea."
    again = await http.post(f"{fact}/restore")
    assert (again.status_code, "is not deleted" in again.json()["detail"]) == (422, True)
    assert (await http.post(f"{fact[:-1]}{'1' if fact[-1] == '0' else '0'}/restore")).status_code == 404


async def test_of_many_editors_who_saw_the_same_one_wins(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    fact = await a_fact(http, memory)
    tag = {"If-Match": (await http.get(fact)).headers["ETag"]}
    answers = await asyncio.gather(*(http.patch(fact, json={"text": f"Version {n}."}, headers=tag) for n in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, *[412] * 5]
    (won,) = [answer.json()["text"] for answer in answers if answer.status_code == 200]
    assert (await http.get(fact)).json()["text"] == won
    assert (await http.patch(fact, json={"text": "Anyway."}, headers={"If-Match": "*"})).status_code == 200
    assert (await http.patch(fact, json={"text": "Whatever."})).json()["by"] == "api"


async def test_what_was_made_of_a_channel(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    chat = await fill(memory, 2)
    listed = (await http.get(f"{HERE}/channels")).json()["channels"]
    assert [(each["channel"], each["size"]) for each in listed] == [("chat", 20)]
    summaries = (await http.get(f"{CHAT}/summaries", params={"level": 0})).json()["summaries"]
    assert [(each["first"], each["last"]) for each in summaries] == [(1, 10), (11, 20)]
    assert (await http.get(f"{CHAT}/brief")).json().keys() == {"brief"}
    facts = (await http.get(f"{CHAT}/facts")).json()["facts"]
    assert [each["id"] for each in facts] == [each.id for each in await memory.facts.list(chat)]
    weighty = (await http.get(f"{CHAT}/facts", params={"min_importance": 5})).json()["facts"]
    assert len(weighty) < len(facts)
    assert (await http.get(f"{CHAT}/facts", params={"category": "nonsense"})).status_code == 422
    added = await http.post(f"{CHAT}/facts", json={"text": "Alice hates flying.", "person": "alice"})
    assert (added.status_code, added.json()["edited_by"]) == (201, "api")
    hits = (await http.get(f"{HERE}/search", params={"q": "flying", "kinds": "fact, chunk", "limit": 1})).json()["hits"]
    assert [hit["id"] for hit in hits] == [added.json()["id"]]
    source = (await http.get(f"{HERE}/memories/{summaries[0]['id']}/sources")).json()
    assert source["sources"][0]["kind"] == "message"
    structured = (await http.get(f"{HERE}/structured", params={"valid": "all"})).json()["structured"]
    assert [each["id"] for each in structured] == [
        each.id for each in await memory.facts.structured(space=SPACE, valid="all")
    ]
    assert (await http.get(f"{HERE}/changes", params={"person": "alice"})).json().keys() == {"changes", "next", "total"}


async def test_memories_come_in_pages_newest_first(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    await fill(memory)
    whole = [each.id for each in await memory.memories.list(space=SPACE, limit=500)]
    seen, asked = [], {"limit": "3"}
    while True:
        page = (await http.get(f"{HERE}/memories", params=asked)).json()
        seen += [each["id"] for each in page["memories"]]
        if page["next"] is None:
            break
        asked["cursor"] = page["next"]
    assert (seen, len(set(seen))) == (whole, len(whole))
    only = (await http.get(f"{HERE}/memories", params={"kinds": "chunk"})).json()["memories"]
    assert {each["kind"] for each in only} == {"chunk"}
    assert (await http.get(f"{HERE}/memories", params={"kinds": "chunk", "cursor": asked["cursor"]})).status_code == 422
    assert (await http.get(f"{HERE}/memories", params={"kinds": "nonsense"})).status_code == 422


async def test_a_message_is_a_memory_that_never_changes(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    await fill(memory)
    message = (await http.get(f"{CHAT}/messages", params={"limit": 1})).json()["messages"][0]
    path = f"{HERE}/memories/{message['id']}"
    assert (await http.get(path)).json()["text"] == message["text"]
    assert (await http.get(f"{path}/history")).status_code == 422
    assert (await http.patch(path, json={"text": "I said something else."})).status_code == 422
    assert (await http.get(f"{HERE}/memories/nonsense")).status_code == 422
    assert (await http.get(f"{HERE}/memories/fct_nobody")).status_code == 404
    assert (await http.get(f"/v1/spaces/other/memories/{message['id']}")).status_code == 404
