"""From a source into the log: counted, once, resumable, and over HTTP too."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from made import MAKERS, PEOPLE, discord, jsonl

import erstwhile
from erstwhile.base.errors import InvalidInput
from erstwhile.importers import ImportReport, load


def numbers(report: ImportReport) -> tuple[Any, ...]:
    found = (report.messages, report.already, report.skipped, report.channels, report.people)
    return *found, report.first, report.last, report.left, report.problems


async def all_texts(memory: erstwhile.Memory, channel: str) -> list[str]:
    return [message.text async for message in memory.channel(channel).messages()]


@pytest.mark.parametrize("format", MAKERS)
async def test_a_source_is_taken_once_and_a_dry_run_says_so_before(
    memory: erstwhile.Memory, tmp_path: Path, format: str
) -> None:
    source = MAKERS[format](tmp_path, 60)
    planned = await load(memory, source, dry_run=True)
    assert (planned.dry_run, planned.format, await memory.channels.list()) == (True, format, [])
    done = await load(memory, source)
    assert numbers(done) == numbers(planned)
    assert done.messages == 60
    assert done.source == f"import:{source.name}"
    again, planned_again = await load(memory, source), await load(memory, source, dry_run=True)
    assert numbers(again) == numbers(planned_again)
    assert (again.messages, again.already, again.skipped) == (0, 60, 60 + sum(again.left.values()))
    for shown in await memory.channels.list():
        async for message in memory.channel(shown.channel).messages():
            assert message.meta["source"] == done.source
    if format != "chatgpt":  # whose export names nobody
        assert PEOPLE[0] in {person.name for person in await memory.people.list()}


async def test_keys_of_lines_without_one_stay_as_they_always_were(memory_on_file: Any, tmp_path: Path) -> None:
    """Or an import over an upgrade would double everything."""
    line = json.dumps({"channel": "c", "role": "user", "text": "the same line twice", "id": "msg_1", "seq": 9})
    (tmp_path / "c.jsonl").write_text(f"{line}\n{line}\n")
    await load(memory_on_file, tmp_path / "c.jsonl")
    keys = [message.key async for message in memory_on_file.channel("c").messages()]
    assert keys == [f"jsonl:abff7531850e5abdfa26afe6c12c6e3d:{number}" for number in (1, 2)]


async def test_what_is_not_kept_is_told_before_and_after(memory: erstwhile.Memory, tmp_path: Path) -> None:
    source = jsonl(tmp_path, 30)
    await memory.channel("c1").add("user", "hello", person="p1", name="Mina")
    await memory.people.block("p1")
    await load(memory, source)
    await memory.erase(channel="c2")
    with source.open("a") as more:
        more.write('{"channel": "c0", "role": "user", "text": "new", "person": "p1", "key": "x"}\nrubbish\n')
    planned, done = await load(memory, source, dry_run=True), await load(memory, source)
    assert numbers(planned) == numbers(done)
    reasons = [problem.reason for problem in done.problems]
    assert reasons.count("not kept: 'p1' is blocked in space 'default'") == 11
    assert reasons.count("not kept: it was erased in space 'default'") == 10
    assert done.problems[-1].where == "line 32"
    assert await memory.channel("c2").size() == 0


async def test_a_source_the_message_names_is_kept(memory_on_file: Any, tmp_path: Path) -> None:
    line = {"channel": "c", "role": "user", "text": "hi", "meta": {"source": "discord", "a": 1}}
    (tmp_path / "c.ndjson").write_text(json.dumps(line))
    await load(memory_on_file, tmp_path / "c.ndjson")
    assert [dict(m.meta) async for m in memory_on_file.channel("c").messages()] == [{"source": "discord", "a": 1}]


async def test_problems_are_counted_beyond_the_first_thousand(memory_on_file: Any, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("rubbish\n" * 25_000 + '{"channel": "c", "role": "user", "text": "hi"}')
    report = await load(memory_on_file, tmp_path / "c.jsonl")
    assert (report.messages, len(report.problems), report.more_problems, report.skipped) == (1, 1000, 24_000, 25_000)


async def test_an_export_is_taken_in_again(memory: erstwhile.Memory, tmp_path: Path) -> None:
    await load(memory, jsonl(tmp_path, 30))
    await memory.export(channel="c1", to=tmp_path / "c1.zip")
    async with erstwhile.open(str(tmp_path / "other.db"), worker=False) as other:
        report = await load(other, tmp_path / "c1.zip")
        assert (report.format, report.messages, report.problems) == ("erstwhile", 10, [])
        assert await all_texts(other, "c1") == await all_texts(memory, "c1")


async def test_a_folder_of_several_kinds_is_imported_kind_by_kind(memory_on_file: Any, tmp_path: Path) -> None:
    both = tmp_path / "both"
    both.mkdir()
    discord(both, 9)
    jsonl(both, 6)
    with pytest.raises(InvalidInput, match=r"several kinds \(discord, jsonl\)"):
        await load(memory_on_file, both)
    assert (await load(memory_on_file, both, format="discord")).messages == 9
    assert (await load(memory_on_file, both, format="jsonl")).messages == 6


async def test_a_bomb_met_on_the_way_ends_it(memory_on_file: Any, tmp_path: Path) -> None:
    """What came before is kept, and the reason is told."""
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.jsonl", '{"channel": "c", "role": "user", "text": "hi"}\n')
        packed.writestr("b.jsonl", bytes(70_000_000))
    with pytest.raises(InvalidInput, match="zip bomb"):
        await load(memory_on_file, tmp_path / "b.zip")
    assert await all_texts(memory_on_file, "c") == ["hi"]


async def test_how_far_it_is(memory_on_file: Any, tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []
    await load(memory_on_file, jsonl(tmp_path, 1300), progress=lambda *far: seen.append(far))
    assert [messages for *_, messages in seen] == [500, 1000, 1300]
    assert seen[-1][0] == seen[-1][1] == (tmp_path / "said.jsonl").stat().st_size
