"""Jobs, making things again, looking back and choosing, over HTTP."""

from __future__ import annotations

import asyncio
import json

import httpx2
from cryptography.fernet import Fernet
from seeded import CHAT, HERE, SPACE, fill, talk

import erstwhile
from erstwhile.http.app import create_app


async def test_what_is_due_is_listed_parked_retried_and_run(http: httpx2.AsyncClient) -> None:
    await http.post(f"{CHAT}/messages", json={"messages": talk()})
    jobs = (await http.get(f"{HERE}/jobs", params={"state": "waiting"})).json()["jobs"]
    assert jobs
    assert (await http.get("/v1/jobs", params={"state": "waiting"})).json()["jobs"] == jobs
    assert (await http.get("/v1/spaces/other/jobs")).json() == {"jobs": [], "next": None, "total": None}
    job, one = f"{HERE}/jobs/{jobs[0]['id']}", {"job": jobs[0]["id"]}
    assert (await http.post(f"/v1/spaces/other/jobs/{jobs[0]['id']}/park", json={})).status_code == 404
    assert (await http.post(f"{job}/park", json={"reason": "not today"})).status_code == 204
    settled = (await http.post("/v1/settle")).json()
    assert (settled["parked"], settled["waiting"]) == (1, 0)
    (parked,) = (await http.get(f"{HERE}/jobs", params={"state": "parked"})).json()["jobs"]
    assert parked["reason"] == "not today"
    assert (await http.post("/v1/spaces/other/jobs/retry")).json() == {"retried": 0}
    assert (await http.post(f"{HERE}/jobs/retry")).json() == {"retried": 1}
    assert (await http.post(f"{HERE}/jobs/retry", json=one)).json() == {"retried": 1}
    assert (await http.post("/v1/settle")).json()["parked"] == 0
    assert (await http.post(f"{HERE}/jobs/retry", json=one)).status_code == 404
    assert (await http.post("/v1/jobs/retry", json={"job": "nothing"})).status_code == 404
    assert (await http.post("/v1/jobs/nothing/park", json={})).status_code == 404
    assert (await http.post("/v1/jobs/retry")).json() == {"retried": 0}
    assert (await http.get(f"{HERE}/jobs", params={"state": "asleep"})).status_code == 422


async def test_making_things_again(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    chat = await fill(memory)
    made = await http.post(f"{CHAT}/regenerate", json={"first": 1, "last": 10, "what": "facts"})
    assert made.status_code == 200
    assert made.json()["replaced"] == [each.id for each in await memory.facts.list(chat)]
    assert (await http.post(f"{CHAT}/regenerate", json={"first": 2, "last": 1})).status_code == 422
    assert (await http.post(f"{CHAT}/regenerate", json={"first": 11, "last": 20})).status_code == 404
    assert (await http.post(f"{CHAT}/realign")).json() == {"realigned": 0}
    before = await memory.facts.list(chat)
    assert (await http.post(f"{HERE}/rebuild")).status_code == 202
    assert await memory.facts.list(chat) == []
    await http.post("/v1/settle")
    assert await memory.facts.list(chat) == before
    lines = (await http.post(f"{HERE}/backfill")).text.strip().split("\n")
    assert json.loads(lines[-1])["backfilled"] == {"processed": 0, "created": 0, "skipped": 1, "errors": 0}
    assert all(json.loads(line).keys() == {"done", "total"} for line in lines[:-1])
    assert (await http.post(f"{HERE}/expire")).json()["message"] == 0


async def test_looking_back(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    await fill(memory)
    await http.get(f"{HERE}/search", params={"q": "sea"})
    (asked,) = (await http.get(f"{HERE}/requests", params={"limit": 5})).json()["requests"]
    assert (asked["op"], asked["query"]) == ("search", "sea")
    request = f"{HERE}/requests/{asked['id']}"
    assert (await http.post(f"{request}/feedback", json={"note": "it forgot"})).status_code == 204
    why = (await http.get(request)).json()
    assert (why["request"]["feedback"], why["seen"][0]["candidate"]["fate"]) == ("it forgot", "kept")
    report = (await http.get(f"{HERE}/report", params={"days": 1})).json()
    assert (report["space"], report["requests"], report["feedback"]) == (SPACE, 1, 1)
    assert {"metric", "threshold", "action"} <= (await http.get(f"{HERE}/recommendations")).json()["recommendations"][
        0
    ].keys()
    assert (await http.get(f"{HERE}/doctor")).json()["findings"]
    assert (await http.get(f"{HERE}/requests/req_nobody")).status_code == 404
    assert (await http.post(f"{HERE}/requests/req_nobody/feedback", json={})).status_code == 404
    assert (await http.get(f"{HERE}/report", params={"days": 0})).status_code == 422


async def test_choosing(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    ours = {each["name"]: each for each in (await http.get(f"{HERE}/prompts")).json()["prompts"]}
    mine = {"instructions": "Summarise in Korean."}
    assert (await http.put(f"{HERE}/prompts/summarise", json=mine)).status_code == 204
    now = {each["name"]: each for each in (await http.get(f"{HERE}/prompts")).json()["prompts"]}
    assert (now["summarise"]["instructions"], now["summarise"]["whose"]) == ("Summarise in Korean.", "space")
    assert (await http.delete(f"{HERE}/prompts/summarise")).json() == {"reset": True}
    assert (await http.get(f"{HERE}/prompts")).json()["prompts"] == list(ours.values())
    assert (await http.put(f"{HERE}/prompts/nonsense", json=mine)).status_code == 422
    assert (await http.patch(f"{HERE}/configuration", json={"recipe": "dual"})).status_code == 204
    chosen = {each["name"]: each for each in (await http.get(f"{HERE}/configuration")).json()["configuration"]}
    assert (chosen["recipe"]["value"], chosen["recipe"]["whose"]) == ("dual", "space")
    assert (await http.patch(f"{HERE}/configuration", json={"recipe": ""})).status_code == 204
    assert (await http.patch(f"{HERE}/configuration", json={"recipes": "dual"})).status_code == 422
    refused = await http.patch(f"{HERE}/configuration", json={"base_url": "file:///etc/passwd"})
    assert (refused.status_code, "base_url" in refused.json()["detail"]) == (422, True)


async def test_whoever_brings_a_key_chooses_the_model(database_url: str) -> None:
    """An admin too; with a key of the space alone, the house would pay."""
    async with erstwhile.open(database_url, worker=False, secret_key=Fernet.generate_key().decode()) as memory:
        key = await memory.keys.create(space="s")
        transport, bearer = httpx2.ASGITransport(app=create_app(memory)), {"Authorization": f"Bearer {key.key}"}
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=bearer) as http:
            path = "/v1/spaces/s/configuration"
            assert (await http.patch(path, json={"model": "openai:gpt-5"})).status_code == 403
            assert (await http.patch(path, json={"model": "openai:gpt-5", "api_key": "k"})).status_code == 204
            assert (await http.patch(path, json={"chat_model": "openai:gpt-5-mini"})).status_code == 204
            assert (await http.patch(path, json={"chat_model": "openai:gpt-5", "api_key": ""})).status_code == 403
            assert (await http.patch(path, json={"model": "", "chat_model": "", "api_key": ""})).status_code == 204


async def test_a_model_chosen_with_an_own_key_is_never_paid_with_the_houses(database_url: str) -> None:
    """Neither when the key is taken away afterwards, nor when both happen at the same time."""
    async with erstwhile.open(database_url, worker=False, secret_key=Fernet.generate_key().decode()) as memory:
        key = await memory.keys.create(space="s")
        transport, bearer = httpx2.ASGITransport(app=create_app(memory)), {"Authorization": f"Bearer {key.key}"}
        path = "/v1/spaces/s/configuration"

        async def own() -> set[str]:
            return {each.name for each in await memory.spaces.configuration(space="s") if each.whose == "space"}

        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=bearer) as http:
            for model in ("model", "model_strong", "chat_model"):
                chosen = {model: "openai:gpt-5", "api_key": "k"}
                assert (await http.patch(path, json=chosen)).status_code == 204
                assert (await http.patch(path, json={"api_key": ""})).status_code == 403
                assert (await http.patch(path, json={"api_key": " ", "recipe": "dual"})).status_code == 403
                assert await own() == {model, "api_key"}
                assert (await http.patch(path, json={model: "", "api_key": ""})).status_code == 204
            for _ in range(8):
                await http.patch(path, json={"model": "", "chat_model": "", "api_key": "k"})
                both = ({"chat_model": "openai:gpt-5"}, {"api_key": ""})
                await asyncio.gather(*(http.patch(path, json=each) for each in both))
                assert await own() in ({"chat_model", "api_key"}, set()), "one of them came too late"
            await memory.spaces.configure(model="openai:gpt-5", api_key="", space="s")  # the operator pays
            assert (await http.patch(path, json={"api_key": "", "recipe": ""})).status_code == 204
            assert (await http.patch(path, json={"model": ""})).status_code == 204


async def test_every_path_answers_head_options_and_what_it_does_not_take(http: httpx2.AsyncClient) -> None:
    path = f"{HERE}/memories/fct_nobody"
    refused = await http.post(path)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, PATCH, DELETE, HEAD, OPTIONS")
    assert refused.json()["detail"] == "POST is not allowed on this path. Allowed: GET, PATCH, DELETE, HEAD, OPTIONS."
    asked = await http.options(path)
    assert (asked.status_code, asked.headers["Allow"], asked.content) == (204, "GET, PATCH, DELETE, HEAD, OPTIONS", b"")
    assert (await http.head(f"{HERE}/people")).status_code == 200
    assert (await http.head(path)).status_code == 404
    for nowhere in ("/nowhere", "/v1/nothing", "/v1/spaces//channels", "/v1/spaces/x/nothing"):
        missing = await http.get(nowhere)
        assert (missing.status_code, missing.headers["Content-Type"]) == (404, "application/problem+json")
        assert (await http.options(nowhere)).status_code in (404, 405)
