"""A layer in one file works everywhere: nothing else names it, and nothing else had to change."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx2
import psycopg
import pytest
from open_questions import KIND, LIST, SCHEMA, OpenQuestions

import erstwhile
from erstwhile import Memory, layers
from erstwhile.base import ids, settings
from erstwhile.base.page import every
from erstwhile.http.app import create_app
from erstwhile.memories import registry
from erstwhile.search.model import Hit
from erstwhile.storage import row_security
from erstwhile.storage.postgres import PostgresDatabase
from erstwhile.tables import rows
from erstwhile.testing import FixedClock
from owner import as_owner

SAID = ("The ferry leaves at nine.", "Who has the tickets?", "I do not know.", "Where do we meet in Busan?")


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the layer for one test."""
    registry.load_all()  # a kind that is registered meanwhile would be forgotten with the layer
    monkeypatch.setattr(layers, "_registered", [])
    for name in ("KINDS", "_entries"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))
    for name in ("KINDS", "PREFIXES"):
        monkeypatch.setattr(ids, name, dict(getattr(ids, name)))
    monkeypatch.setattr(settings, "RETAINED", list(settings.RETAINED))
    layers.register(OpenQuestions)


@pytest.fixture
async def memory(registered: None, database_url: str, clock: FixedClock) -> AsyncIterator[Memory]:
    async with erstwhile.open(database_url, clock=clock, worker=False) as opened:
        database = opened._runtime.database
        await as_owner(database, SCHEMA)
        if isinstance(database, PostgresDatabase):
            async with await psycopg.AsyncConnection.connect(database._url) as connection:
                await row_security.create_policies(connection)
        await opened.channel("trip").add_many([{"role": "user", "text": text, "person": "mina"} for text in SAID])
        await opened.settle()
        yield opened
        await as_owner(database, "DROP TABLE answerers")


@pytest.fixture
async def with_table(memory: Memory) -> Memory:
    """With a channel in which someone else could answer, who is in the layer's table."""
    said = (("bob", "I was in Busan."), ("mina", "Where is the station?"))
    await memory.channel("hall").add_many([{"role": "user", "text": text, "person": person} for person, text in said])
    await memory.settle()
    return memory


async def answerers(memory: Memory, space: str = "default") -> list[tuple[str, str]]:
    rows = await memory._runtime.database.read(space, lambda tx: tx.all(LIST))
    return [(row["channel"], row["person"]) for row in rows]


async def questions(memory: Memory, **given: object) -> list[Hit]:
    return await every(memory.memories.list, kinds=["question"], **given)


async def texts(memory: Memory, **given: object) -> list[str]:
    return sorted(each.text for each in await questions(memory, **given))


BOTH = ["mina asked: Where do we meet in Busan?", "mina asked: Who has the tickets?"]


async def test_it_is_listed_searched_and_has_sources(memory: Memory) -> None:
    assert await texts(memory) == BOTH
    assert await texts(memory, channel="trip", person="mina") == BOTH
    best = (await memory.search("who has the tickets", kinds=["question"]))[0]
    assert (best.kind, best.text, best.person) == ("question", BOTH[1], "mina")
    source = await memory.memories.sources(best.id)
    assert [each.text for each in source.sources] == [SAID[1]]
    found = await memory.memories.browse("busan", kinds=["question"])
    assert [each.text for each in found] == BOTH[:1]


async def test_it_is_edited_deleted_and_restored_with_its_history(memory: Memory) -> None:
    tickets = next(each for each in await questions(memory) if "tickets" in each.text)
    await memory.memories.edit(tickets.id, "Nobody has the tickets.", by="robin")
    assert (await memory.search("nobody", kinds=["question"]))[0].id == tickets.id
    await memory.spaces.rebuild()
    await memory.settle()
    assert await texts(memory) == ["Nobody has the tickets.", BOTH[0]], "an edit outlives a rebuild"
    await memory.memories.delete(tickets.id, by="robin")
    await memory.spaces.rebuild()
    await memory.settle()
    assert await texts(memory) == BOTH[:1], "and so does a deletion"
    await memory.memories.restore(tickets.id, by="robin")
    assert len(await questions(memory)) == 2
    history = await memory.memories.history(tickets.id)
    assert [each.action for each in history][:2] == ["written", "edited"]


async def test_it_has_a_part_of_a_context(memory: Memory) -> None:
    context = await memory.channel("trip").context("When does the ferry leave?", person="mina")
    assert "=== Open Questions ===\n- mina asked: Who has the tickets?" in context.text
    (first, _) = [each for each in context.sources if each.kind == "question"]
    said = [message async for message in memory.channel("trip").messages()]
    assert first.messages == (said[1].id,)


async def test_it_is_rebuilt_from_the_log(memory: Memory) -> None:
    before = await questions(memory)
    await memory.spaces.rebuild()
    assert await questions(memory) == []
    await memory.settle()
    assert {each.id for each in await questions(memory)} == {each.id for each in before}


async def test_events_say_that_it_was_made(memory: Memory) -> None:
    seen = []
    async with asyncio.timeout(60):
        async for event in memory.events.watch(after="0"):
            seen.append(event)
            if sum(each.kind == "question" for each in seen) == 2:
                break


async def test_it_goes_when_its_message_is_erased(memory: Memory) -> None:
    asked = [message async for message in memory.channel("trip").messages()][1]
    receipt = await memory.erase(message=asked.id)
    assert receipt.counts["open questions"] == 1
    assert await texts(memory) == BOTH[:1]
    await memory.erase(person="mina")
    assert await questions(memory) == []


async def test_it_is_exported_and_imported(memory: Memory, tmp_path: Path) -> None:
    before = await questions(memory)
    await memory.export(to=tmp_path / "space.zip")
    await memory.archive.load(tmp_path / "space.zip", space="copy")
    assert [each.id for each in await questions(memory, space="copy")] == [each.id for each in before]


async def test_its_table_is_exported_and_imported(with_table: Memory, tmp_path: Path) -> None:
    assert await answerers(with_table) == [("hall", "bob")]
    await with_table.export(to=tmp_path / "space.zip")
    await with_table.archive.load(tmp_path / "space.zip", space="copy")
    assert await answerers(with_table, "copy") == [("hall", "bob")]
    for name, given in (("bob", {"person": "bob"}), ("hall", {"channel": "hall"})):
        await with_table.export(to=tmp_path / f"{name}.zip", **given)
        written = ZipFile(tmp_path / f"{name}.zip").read("tables/answerers.jsonl").decode()
        assert '"person":"bob"' in written


@pytest.mark.parametrize("subject", [{"person": "bob"}, {"channel": "hall"}, {"person": "mina"}, {"everything": True}])
async def test_its_table_is_erased(with_table: Memory, subject: dict[str, Any]) -> None:
    receipt = await with_table.erase(**subject)
    assert receipt.checked
    assert receipt.counts["answerers"] == 1
    assert await answerers(with_table) == []


async def test_a_receipt_says_what_its_table_has_left(with_table: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(*_given: object) -> Counter[str]:
        return Counter()

    monkeypatch.setattr(rows, "erase", nothing)
    receipt = await with_table.erase(person="bob")
    assert not receipt.checked
    assert await answerers(with_table) == [("hall", "bob")]


async def test_it_expires(memory: Memory, clock: FixedClock) -> None:
    await memory.spaces.configure(retention="question=7")
    clock.advance(days=8)
    assert (await memory.archive.expiring()).by_kind["question"] == 2
    assert (await memory.archive.expire()).by_kind["question"] == 2
    assert await questions(memory) == []
    assert await memory.channel("trip").size() == 4


async def test_http_lists_it(memory: Memory) -> None:
    transport = httpx2.ASGITransport(app=create_app(memory))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        answer = await http.get("/v1/spaces/default/memories", params={"kinds": KIND.name})
        assert sorted(each["text"] for each in answer.json()["memories"]) == BOTH
        wrong = await http.get("/v1/spaces/default/memories", params={"kinds": "questoin"})
        assert wrong.status_code == 422
        assert "question" in wrong.text
