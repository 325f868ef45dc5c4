"""A person's export: whole, nothing of others, readable and inert, and to be imported again."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import erstwhile
from erstwhile.testing import FixedClock


async def seeded(memory: erstwhile.Memory, clock: FixedClock) -> None:
    square = memory.channel("square")
    for number in range(12):
        await square.add(
            "user", f"I live in Busan, <b>number</b> {number}.", person="alice", name="Alice <i>", key=f"a{number}"
        )
        await square.add("user", f"The secret loaf {number} is mine.", person="bob", name="Bob")
    await memory.remember("alice", "likes tea", by="alice")
    await memory.people.add_to_profile("alice", "skills", "Plays <script>alert(1)</script>.", by="alice")
    clock.advance(hours=26)
    await memory.settle()


async def test_an_export_has_all_of_a_person_and_no_word_of_others(
    memory: erstwhile.Memory, clock: FixedClock, tmp_path: Path
) -> None:
    await seeded(memory, clock)
    done = await memory.export(person="alice", to=tmp_path / "alice.zip")
    with zipfile.ZipFile(done.path) as packed:
        read = {name: packed.read(name).decode() for name in packed.namelist()}
    lines = [json.loads(line) for line in read["messages.jsonl"].splitlines()]
    assert [line["key"] for line in lines] == [f"a{number}" for number in range(12)]
    memories = [json.loads(line) for line in read["memories.jsonl"].splitlines()]
    assert {"fact", "told", "profile"} <= {each["kind"] for each in memories}
    assert all(each["person"] == "alice" for each in memories)
    assert any(each["sources"] for each in memories if each["kind"] == "fact")
    assert json.loads(read["person.json"])["told"][0]["text"]
    manifest = json.loads(read["manifest.json"])
    assert (
        manifest["counts"]
        == {"messages": done.messages, "memories": done.memories}
        == {"messages": 12, "memories": len(memories)}
    )
    assert not any("secret loaf" in text for text in read.values())
    assert "default-src 'none'" in read["index.html"]
    assert "<script>" not in read["index.html"]
    assert "<b>" not in read["index.html"]
    assert [each.name for each in tmp_path.glob("*.zip")] == ["alice.zip"]
    assert list(tmp_path.glob(".*part")) == []


async def test_what_was_exported_and_erased_does_not_come_back_by_importing(
    memory: erstwhile.Memory, clock: FixedClock, tmp_path: Path
) -> None:
    await seeded(memory, clock)
    done = await memory.export(person="alice", to=tmp_path / "alice.zip")
    await memory.erase(person="alice")
    with zipfile.ZipFile(done.path) as packed:
        lines = [json.loads(line) for line in packed.read("messages.jsonl").decode().splitlines()]
    square = memory.channel("square")
    again = await square.add_many(
        [{"role": "user", "text": line["text"], "person": "alice", "key": line["key"]} for line in lines]
    )
    assert {message.seq for message in again} == {0}


async def test_a_channel_is_exported_with_everyone_in_it(
    memory: erstwhile.Memory, clock: FixedClock, tmp_path: Path
) -> None:
    await seeded(memory, clock)
    done = await memory.export(channel="square", to=str(tmp_path / "square.zip"))
    assert done.messages == 24
    assert done.memories > 0
    with pytest.raises(erstwhile.NotFound):
        await memory.export(channel="nowhere", to=tmp_path / "no.zip")
    with pytest.raises(erstwhile.NotFound):
        await memory.export(person="nobody", to=tmp_path / "no.zip")
    with pytest.raises(erstwhile.InvalidInput, match="can't be written"):
        await memory.export(person="alice", to=tmp_path / "no" / "where.zip")


async def test_a_large_space_is_read_page_by_page(clock: FixedClock, tmp_path: Path) -> None:
    async with erstwhile.open(str(tmp_path / "large.db"), clock=clock, worker=False) as memory:
        for channel, count in (("hall", 1100), ("<den>", 3)):
            said = [{"role": "user", "text": f"Saying <i>{n}</i>.", "person": "p"} for n in range(count)]
            await memory.channel(channel).add_many(said)
        await memory.export(to=tmp_path / "space.zip")
    with zipfile.ZipFile(tmp_path / "space.zip") as packed:
        index, names = packed.read("index.html").decode(), packed.namelist()
        pages = sorted(name for name in names if name.startswith("pages/"))
        assert pages == ["pages/channel-1-1.html", "pages/channel-2-1.html", "pages/channel-2-2.html"]
        assert all(f'href="{name}"' in index for name in pages)
        assert "&lt;den&gt;" in index
        assert sum(packed.read(name).decode().count("Saying &lt;i&gt;") for name in pages) == 1103
        assert 'href="channel-2-2.html"' in packed.read("pages/channel-2-1.html").decode()
