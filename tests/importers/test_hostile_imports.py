"""Sources made to do harm: nothing crashes, nothing goes on for ever, nothing is held whole, and what can't be taken is named."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made import MAKERS, discord_file, discord_message

from erstwhile.base.errors import InvalidInput
from erstwhile.importers import load
from erstwhile.importers.loading import named, read_batches
from erstwhile.importers.model import ImportedMessage, ImportProblem, ReadItem, SkippedItems
from erstwhile.importers.sources import open_source

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, 10**400, "", "\ud800", "\0", "x" * 600, "9" * 30, [], {}, [[]], {"": None}, ["a"], "2024-13-40",
)  # fmt: skip


def read(path: Path, format: str) -> list[ReadItem]:
    with open_source(path) as source:
        chosen = named(format)
        chosen.recognises(source.source)
        return list(chosen.read(source.source))


def taken(path: Path, format: str) -> list[str]:
    """Whatever comes of it, it goes through the checks as an import does."""
    try:
        with open_source(path) as source:
            batches = list(read_batches(iter(named(format).read(source.source))))
    except InvalidInput as error:
        return [str(error)]
    found = [each for batch in batches for channel in batch.channels.values() for each in channel]
    for each in found:
        try:
            each.checked("import:x", 1_000_000, third_party=False)
        except InvalidInput:
            continue
    return [each.where for each in found]


def files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())


@pytest.mark.parametrize("format", MAKERS)
def test_bytes_that_were_changed(tmp_path: Path, format: str) -> None:
    """Cut off, flipped, written over: some of it is read, or it is refused."""
    source, chance = MAKERS[format](tmp_path, 40), random.Random(3)
    whole = len(taken(source, format))
    assert whole >= 40
    for file in files(source):
        good = file.read_bytes()
        for number in range(60):
            data, at = bytearray(good), chance.randrange(len(good))
            if number % 3 == 0:
                del data[at:]
            elif number % 3 == 1:
                data[at] ^= 1 << chance.randrange(8)
            else:
                data[at : at + 5] = chance.choice(
                    (b"\xff\xfe\xfd", b"\0\0", b'"}]', b"\xf0\x9f", b"\\ud800", b"1e999999")
                )
            file.write_bytes(data or b" ")
            assert len(taken(source, format)) <= whole + 5
        file.write_bytes(good)


def _twisted(value: Any, chance: random.Random) -> Any:
    """One or more places hold something of another kind."""
    if chance.random() < 0.03:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {name: _twisted(each, chance) for name, each in value.items() if chance.random() > 0.01}
    if isinstance(value, list):
        return [_twisted(each, chance) for each in value]
    return value


@pytest.mark.parametrize("format", MAKERS)
def test_wrong_kinds_everywhere(tmp_path: Path, format: str) -> None:
    source, chance = MAKERS[format](tmp_path, 30), random.Random(5)
    for file in files(source):
        if file.suffix not in (".json", ".jsonl"):
            continue
        good = file.read_text(encoding="utf-8")
        for _ in range(40):
            texts = good.splitlines() if file.suffix == ".jsonl" else [good]
            file.write_text("\n".join(json.dumps(_twisted(json.loads(text), chance)) for text in texts))
            taken(source, format)
        file.write_text(good, encoding="utf-8")


def hostile() -> Iterator[tuple[str, str]]:
    """A value of a message's text, and a word of why it is not taken."""
    yield '"half \\ud800 of one"', "surrogate"
    yield '"a \\u0000 b"', "NUL"
    yield "[" * 100_000 + "]" * 100_000, "not JSON|damaged|no good JSON|deep"
    yield "1" * 5_000, "."
    yield "NaN", "."
    yield '"' + "long " * 2_100_000 + '"', "bytes"


@pytest.mark.parametrize(
    ("value", "why"), list(hostile()), ids=["surrogate", "NUL", "nested", "number", "nan", "10 MB"]
)
async def test_a_value_that_is_no_text(memory_on_file: Any, tmp_path: Path, value: str, why: str) -> None:
    """The one message is named; those around it are imported."""
    import re

    lines = [json.dumps({"channel": "c", "role": "user", "text": text}) for text in ("before", "@", "after")]
    (tmp_path / "c.jsonl").write_text("\n".join(lines).replace('"@"', value))
    report = await load(memory_on_file, tmp_path / "c.jsonl")
    assert (report.messages, [each.where for each in report.problems]) == (2, ["line 2"])
    assert re.search(why, report.problems[0].reason)

    messages = iter([discord_message(1), discord_message(2, content="@"), discord_message(3)])
    discord_file(tmp_path / "d.json", {"id": "7", "name": "general"}, messages)
    text = (tmp_path / "d.json").read_text()
    (tmp_path / "d.json").write_text(text.replace('"@"', value))
    report = await load(memory_on_file, tmp_path / "d.json")
    assert report.messages >= 1
    assert report.skipped >= 1


def test_a_line_without_an_end_is_not_held(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    with file.open("wb") as written:
        for _ in range(80):
            written.write(b"x" * 1_000_000)
        written.write(b'\n{"channel": "c", "role": "user", "text": "after it"}\n')
    tracemalloc.start()
    found = read(file, "jsonl")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(found[0], ImportProblem)
    assert "longer than" in found[0].reason
    assert isinstance(found[1], ImportedMessage)
    assert peak < 75_000_000


def test_a_message_without_an_end_is_not_held(tmp_path: Path) -> None:
    file = discord_file(tmp_path / "long.json", {"id": "7"}, iter([discord_message(1)]))
    head = file.read_bytes().partition(b'"messageCount"')[0].rpartition(b"]")[0]
    with file.open("wb") as written:
        written.write(head + b', {"id": "')
        for _ in range(90):
            written.write(b"9" * 1_000_000)
    tracemalloc.start()
    found = read(file, "discord")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [type(each) for each in found] == [ImportedMessage, ImportProblem]
    assert peak < 250_000_000


def test_names_twice_in_an_object_and_other_kinds_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text('{"channel": "c", "role": "user", "text": "one", "text": "two"}\n\n  \n7\n"x"\nnull\n')
    found = read(file, "jsonl")
    assert [type(each) for each in found] == [ImportedMessage, ImportProblem, ImportProblem, ImportProblem]
    assert isinstance(found[0], ImportedMessage)
    assert found[0].message.text == "two"
    assert not [each for each in found if isinstance(each, SkippedItems)]
