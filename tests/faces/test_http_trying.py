"""Trying a prompt or a model over HTTP: it is paid for, so a key that only reads may not."""

from __future__ import annotations

import httpx2

import erstwhile


async def test_both_need_a_key_that_may_write(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    chat = memory.channel("c")
    await chat.add_many([{"role": "user", "text": f"I have {n} cats"} for n in range(10)])
    await memory.settle()
    reads = (await memory.keys.create(space="default", read_only=True)).key
    writes = (await memory.keys.create(space="default")).key
    trial = {"first": 1, "last": 10, "prompt": "summarise", "instructions": "x"}
    for path, body, wanted in (
        ("channels/c/preview", trial, 422),  # no model
        ("models/try", {"role": "light"}, 200),
    ):
        address = f"/v1/spaces/default/{path}"
        assert (await http.post(address, json=body, headers={"Authorization": f"Bearer {reads}"})).status_code == 403
        answer = await http.post(address, json=body, headers={"Authorization": f"Bearer {writes}"})
        assert answer.status_code == wanted, answer.text


async def test_an_admin_key_that_ends_makes_none_that_outlives_it(
    http: httpx2.AsyncClient, memory: erstwhile.Memory
) -> None:
    own = await memory.keys.create(admin=True, expires="10d")
    http.headers["Authorization"] = f"Bearer {own.key}"
    assert (await http.post("/v1/keys", json={"expires": "11d"})).status_code == 403
    made = await http.post("/v1/keys", json={"space": "s"})
    assert made.status_code == 201
    listed = {each.id: each.expires_at for each in await memory.keys.list(admin=True)}
    assert listed[made.json()["id"]] == own.expires_at
