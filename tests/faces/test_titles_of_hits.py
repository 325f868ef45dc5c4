"""A conversation that was imported is known by its title, not by its id: in Python, over HTTP, MCP and in the terminal."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
from test_cli import Shell
from test_mcp import call, said, visiting

import erstwhile

CHANNEL, TITLE = "chatgpt:8f14e45f-ceea-467f-9575", "Plan a trip to Porto"
IMPORTED = {"title": TITLE, "source": "import:talk.zip"}


@pytest.fixture
async def memory(memory: erstwhile.Memory) -> erstwhile.Memory:
    chat = memory.channel(CHANNEL)
    for number in range(10):
        text = f"I live in Valencia, and day {number} in Porto is for the museum."
        await chat.add("user", text, person="ann", meta=IMPORTED)
    await memory.channel("yard").add("user", "Porto is on the coast.", person="ann")
    await memory.settle()
    return memory


async def test_every_hit_has_the_title_of_its_channel(memory: erstwhile.Memory) -> None:
    hits = await memory.search("Porto museum Valencia", limit=30)
    assert {"message", "chunk", "fact"} <= {hit.kind for hit in hits}
    listed = await memory.memories.list(limit=50)
    browsed = await memory.memories.browse("Porto")
    mine = await memory.people.messages("ann")
    for hit in (*hits, *listed, *browsed, *mine):
        assert hit.title == {CHANNEL: TITLE}.get(hit.channel, ""), hit
    assert {hit.channel for hit in mine} == {CHANNEL, "yard"}
    fact = next(hit for hit in hits if hit.kind == "fact")
    shown = await memory.memories.get(fact.id)
    assert (shown.title, shown.sources[0].title) == (TITLE, TITLE)
    assert (await memory.memories.sources(fact.id)).sources[0].title == TITLE


async def test_requests_have_it_too(memory: erstwhile.Memory) -> None:
    await memory.channel(CHANNEL).context("Porto", person="ann")
    await memory.search("Porto")
    searched, asked = await memory.requests.list()
    assert (searched.channel, searched.title) == (None, "")
    assert (asked.channel, asked.title) == (CHANNEL, TITLE)
    assert (await memory.requests.explain(asked.id)).request.title == TITLE


async def test_over_http_and_from_afar(memory: erstwhile.Memory, server: str) -> None:
    async with httpx2.AsyncClient(base_url=server) as http:
        found = (await http.get("/v1/spaces/default/search", params={"q": "Porto museum"})).json()
        assert TITLE in {hit["title"] for hit in found["hits"]}
    async with erstwhile.connect(server) as remote:
        assert TITLE in {hit.title for hit in await remote.search("Porto museum")}


async def test_an_agent_sees_it(memory: erstwhile.Memory, server: str) -> None:
    async with visiting(server) as client:
        found = (await call(client, "search_memory", query="Porto museum"))["memories"]
        assert {each["title"] for each in found if each["channel"] == CHANNEL} == {TITLE}
        text = await said(client, "search_memory", query="Porto museum")
        assert f"in {TITLE} ({CHANNEL})" in text
        assert f"in {TITLE} ({CHANNEL})" in await said(client, "get_memory", id=found[0]["id"])


def test_the_terminal_shows_it(cli_url: str, tmp_path: Path) -> None:
    shell = Shell(cli_url, tmp_path)
    with erstwhile.open_sync(shell.environment["ERSTWHILE_DATABASE"], worker=False) as memory:
        for number in range(10):
            text = f"The museum in Porto has {number} rooms, and I like all of them."
            memory.channel(CHANNEL).add("user", text, person="ann", meta=IMPORTED)
        memory.settle()
    assert shell.json("search", "museum in Porto")[0]["title"] == TITLE
    shell.run("context", CHANNEL, "Porto")
    id = shell.json("search", "museum in Porto")[0]["id"]
    for command in (["search", "museum"], ["memories", "list"], ["requests", "list"], ["memories", "show", id]):
        shown = shell.run(*command).stdout
        assert "Plan a trip" in shown, command
        assert "8f14e45f" not in shown, command
