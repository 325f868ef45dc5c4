"""An export, imported into an empty space and exported again, says the same, on either database and from one to the other."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from archived import contents, lived_in

import erstwhile
from erstwhile.configuration.encryption import new_secret
from erstwhile.testing import FixedClock
from inside import runtime


async def taken_in(url: str, clock: FixedClock, file: Path, again: Path, **which: Any) -> dict[str, Any]:
    """What the export says after it went through another database."""
    async with erstwhile.open(url, clock=clock, worker=False) as other:
        loaded = await other.archive.load(file)
        assert loaded.whole
        await other.export(to=again, **which)
    return contents(again)


@pytest.mark.parametrize("which", [{}, {"channel": "square"}, {"person": "alice"}], ids=["space", "channel", "person"])
async def test_what_was_exported_comes_back_as_it_was(
    memory: erstwhile.Memory, clock: FixedClock, tmp_path: Path, bare_postgres: str, which: dict[str, str]
) -> None:
    await lived_in(memory, clock)
    first = tmp_path / "first.zip"
    done = await memory.export(to=first, **which)
    said = contents(first)
    assert len(said["tables/messages.jsonl"]) == done.messages > 0
    other, third = tmp_path / "second.zip", tmp_path / "third.zip"
    here, there = str(tmp_path / "other.db"), bare_postgres
    urls = (there, here) if runtime(memory).database.dialect == "sqlite" else (here, there)
    second = await taken_in(urls[0], clock, first, other, **which)
    assert second.keys() == said.keys()
    if which.get("person"):
        _compare_sources(said, second)
    for name in said:
        assert second[name] == said[name], name
    if not which:
        assert await taken_in(urls[1], clock, other, third, **which) == second


def _compare_sources(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Of others' messages, and the notes they are in, a person's export has ids alone, which lead nowhere once it is elsewhere."""
    named = {each["id"]: each.pop("sources") for each in first["memories.jsonl"]}
    own = {line["id"] for line in first["messages.jsonl"]}
    for each in second["memories.jsonl"]:
        assert set(each.pop("sources")) <= set(named[each["id"]]) & own
    for export in (first, second):
        export["person.json"].pop("withheld")  # what was not handed out is not there to be counted
        export["memories.jsonl"].sort(key=lambda each: each["id"])
        for fact in (fact for facts in export["person.json"]["profile"].values() for fact in facts):
            fact.pop("sources")


async def undone(memory: erstwhile.Memory, space: str) -> set[tuple[str, str]]:
    states = ("waiting", "timer", "parked")
    return {(job.kind, job.key) for state in states for job in await memory.jobs.list(space=space, state=state)}


async def test_an_imported_space_finds_works_on_and_remembers_what_was_erased(
    memory: erstwhile.Memory, clock: FixedClock, tmp_path: Path
) -> None:
    await lived_in(memory, clock)
    before = {hit.id for hit in await memory.search("Busan", limit=50)}
    waiting = await undone(memory, "default")
    await memory.export(to=tmp_path / "space.zip")
    loaded = await memory.archive.load(tmp_path / "space.zip", space="copy")
    assert loaded.whole
    assert loaded.messages == (await memory.export(to=tmp_path / "again.zip")).messages
    assert {hit.id for hit in await memory.search("Busan", limit=50, space="copy")} == before
    assert await undone(memory, "copy") == waiting != set()
    assert {each.name: each.value for each in await memory.spaces.configuration(space="copy")}[
        "retention"
    ] == "message=400"
    copy = memory.channel("square", "copy")
    assert (await copy.add("user", "I am only passing through.", person="eve", key="e1")).seq == 0, "it was erased"
    size = await copy.size()
    assert (await copy.add("user", "I moved on.", person="alice")).seq == size + 1
    await memory.settle()
    assert (await memory.jobs.list(space="copy", state="parked")) == []
    await memory.spaces.rebuild(space="copy")
    await memory.settle()
    assert (await memory.jobs.list(space="copy", state="parked")) == []
    assert any(fact.text == "Alice lives in Busan, by hand." for fact in await memory.facts.list(copy))


async def test_into_a_space_with_messages_only_messages_go_and_what_was_erased_stays_away(
    memory: erstwhile.Memory, clock: FixedClock, tmp_path: Path
) -> None:
    await lived_in(memory, clock)
    file = tmp_path / "space.zip"
    done = await memory.export(to=file)
    again = await memory.archive.load(file)
    assert (again.whole, again.messages, again.skipped) == (False, 0, done.messages)
    await memory.erase(person="alice")
    back = await memory.archive.load(file)
    assert (back.whole, back.messages) == (False, 0)
    assert not any(each.person == "alice" for each in await memory.people.list())


async def test_a_person_is_handed_nothing_that_was_said_out_of_their_hearing(
    memory: erstwhile.Memory, clock: FixedClock, tmp_path: Path
) -> None:
    await lived_in(memory, clock)
    await memory.export(person="alice", to=tmp_path / "alice.zip")
    with zipfile.ZipFile(tmp_path / "alice.zip") as packed:
        everything = "\n".join(packed.read(name).decode() for name in packed.namelist())
        known = json.loads(packed.read("person.json"))
    assert "likes tea" in everything
    assert "lamp" not in everything
    assert "loaf" not in everything
    assert known["withheld"] > 0
    await memory.export(to=tmp_path / "space.zip")
    with zipfile.ZipFile(tmp_path / "space.zip") as packed:
        assert "hides a lamp" in packed.read("tables/tellings.jsonl").decode()


async def test_no_key_leaves_with_a_space(database_url: str, clock: FixedClock, tmp_path: Path) -> None:
    sealing = new_secret()
    async with erstwhile.open(database_url, clock=clock, worker=False, secret_key=sealing) as memory:
        await memory.channel("hall").add("user", "Hello there.", person="alice")
        await memory.spaces.configure(model="openai:gpt-5-nano", api_key="sk-canary-canary-canary")
        key = await memory.keys.create()
        await memory.export(to=tmp_path / "space.zip")
        with zipfile.ZipFile(tmp_path / "space.zip") as packed:
            names = packed.namelist()
            everything = "\n".join(packed.read(name).decode() for name in names)
        assert not {"tables/keys.jsonl", "tables/sessions.jsonl"} & set(names)
        assert "api_key" not in everything
        assert key.id not in everything
        assert "openai:gpt-5-nano" in everything
