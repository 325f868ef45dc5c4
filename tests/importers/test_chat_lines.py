"""JSON lines as people have them: OpenAI's messages, whole conversations, fine-tuning files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.importers import load
from erstwhile.importers.model import ImportReport


async def imported(
    memory: erstwhile.Memory, file: Path, *lines: object, channel: str | None = None
) -> tuple[ImportReport, dict[str, list[Any]]]:
    file.write_text("\n".join(json.dumps(line) for line in lines))
    report = await load(memory, file, channel=channel)
    shown = [each.channel for each in await memory.channels.list()]
    return report, {name: [each async for each in memory.channel(name).messages()] for name in shown}


async def test_messages_of_openai_go_into_a_channel_with_the_files_name(
    memory: erstwhile.Memory, tmp_path: Path
) -> None:
    report, found = await imported(
        memory,
        tmp_path / "support.jsonl",
        {"role": "user", "content": "I live in Busan.", "user_id": "alice", "timestamp": 1767225600},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Since when?"}, {"type": "image_url"}],
            "mood": "calm",
        },
        {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1"}]},
        {"role": "developer", "content": "Be short."},
    )
    assert report.problems == []
    assert report.left == {"messages without text, such as tool calls": 1}
    first, second, third = found["support"]
    assert (first.text, first.person, first.at) == ("I live in Busan.", "alice", datetime(2026, 1, 1, tzinfo=UTC))
    assert (second.role, second.text, second.meta["fields"]) == ("assistant", "Since when?\n[image]", {"mood": "calm"})
    assert third.role == "system"


async def test_each_conversation_of_a_fine_tuning_file_has_a_channel(memory: erstwhile.Memory, tmp_path: Path) -> None:
    talk = [{"role": "system", "content": "You are Sol."}, {"role": "user", "content": "Hi"}]
    reply = {"role": "assistant", "content": "Hello!", "weight": 1}
    report, found = await imported(
        memory,
        tmp_path / "train.jsonl",
        {"messages": [*talk, reply], "model": "gpt-5-mini"},
        {"messages": [*talk, reply]},
        {"messages": talk, "conversation_id": "c-7", "user": "alice"},
        {"conversations": [{"from": "human", "value": "Bye"}, {"from": "gpt", "value": "See you"}]},
    )
    assert (report.messages, report.problems) == (10, [])
    assert sorted(found) == ["c-7", "train:1", "train:2", "train:4"]
    assert [each.role for each in found["train:4"]] == ["user", "assistant"]
    assert found["train:1"][2].model == "gpt-5-mini"
    assert [each.person for each in found["c-7"]] == [None, "alice"]


async def test_a_channel_may_be_named_by_option_and_a_repeat_changes_nothing(
    memory: erstwhile.Memory, tmp_path: Path
) -> None:
    lines = [{"role": "user", "content": "Tea, please."}, {"messages": [{"role": "user", "content": "Tea!"}]}]
    report, found = await imported(memory, tmp_path / "a.jsonl", *lines, channel="café")
    assert (report.messages, sorted(found)) == (2, ["café", "café:2"])
    again, _ = await imported(memory, tmp_path / "a.jsonl", *lines, channel="café")
    assert (again.messages, again.already) == (0, 2)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"role": "user", "content": 7}, "line 1: the content is int, not text"),
        ({"role": "wizard", "content": "x"}, "line 1: Unknown role 'wizard'"),
        ({"messages": "x"}, "line 1: `messages` is not a list"),
        ({"messages": [1]}, "line 1: message 1 is not a JSON object"),
        ({"messages": [{"role": "nobody", "content": "x"}]}, "line 1, message 1: Unknown role 'nobody'"),
        ({"role": "user", "content": "x", "time": 1e300}, "is not a time in seconds since 1970"),
        ({"role": "user", "text": "x", "mood": "calm"}, "A message has no field 'mood'"),
    ],
)
async def test_what_is_wrong_is_named_by_its_line(
    line: object, told: str, memory: erstwhile.Memory, tmp_path: Path
) -> None:
    report, _ = await imported(memory, tmp_path / "a.jsonl", line)
    assert report.messages == 0
    assert told in f"{report.problems[0].where}: {report.problems[0].reason}"


async def test_a_file_of_any_name_is_recognised_by_its_first_line(memory: erstwhile.Memory, tmp_path: Path) -> None:
    report, found = await imported(memory, tmp_path / "log.txt", {"role": "user", "content": "Hi"})
    assert (report.format, report.messages, list(found)) == ("jsonl", 1, ["log"])


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["chat.json", "chat.jsonl"])
async def test_an_array_is_read_as_lines_are(
    memory: erstwhile.Memory, tmp_path: Path, name: str, indent: int | None
) -> None:
    said = [{"role": "user", "content": "I live in Busan."}, 7, {"role": "assistant", "content": "Since when?"}]
    file = tmp_path / name
    file.write_text(json.dumps(said, indent=indent))
    report = await load(memory, file)
    assert [each.text async for each in memory.channel("chat").messages()] == ["I live in Busan.", "Since when?"]
    assert [(each.where, each.reason) for each in report.problems] == [
        (f"{name}, message 2", "It was left out: it is not an object.")
    ]
    assert (await load(memory, file)).messages == 0, "a repeat changes nothing"


async def test_an_array_of_something_else_is_not_taken_for_a_chat(memory: erstwhile.Memory, tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    file.write_text('[{"a": 1}]')
    with pytest.raises(erstwhile.Error):
        await load(memory, file)
