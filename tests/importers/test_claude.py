"""Claude's export."""

from __future__ import annotations

from typing import Any

import pytest
from entries import found, read, source
from hypothesis import given, settings
from hypothesis import strategies as st
from made import files
from mutated import mutated, written

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.claude import FORMAT

_START = "00000000-0000-4000-8000-000000000000"


def _message(id: str, sender: str, text: str = "", *blocks: Any, **more: Any) -> dict[str, Any]:
    content = list(blocks) or [{"type": "text", "text": text}]
    created = more.pop("at", "2026-03-01T09:30:00.123456Z")
    return {"uuid": id, "sender": sender, "text": text, "content": content, "created_at": created, **more}


def _talk(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"uuid": "c1", "name": "Bees", "account": {"uuid": "p1"}, "chat_messages": list(messages), **more}


def _files(*conversations: Any) -> dict[str, Any]:
    return {"conversations.json": list(conversations), "users.json": [{"uuid": "p1", "full_name": "Robin"}]}


def test_a_made_export_is_read_whole() -> None:
    all_of_it = read(FORMAT, files("claude", 205))
    assert len(set(all_of_it.keys)) == 205
    assert not all_of_it.problems
    first, second = (line.message for line in all_of_it.lines[:2])
    assert (first.role, first.name, second.role, second.name) == ("user", "Mina", "assistant", None)
    assert first.person
    assert str(first.at) == "2024-01-20 00:00:00+00:00"


def test_tools_thoughts_and_texts_of_files_are_left_but_files_are_named() -> None:
    attached = [{"file_name": "hives.csv", "extracted_content": "1,2,3"}]
    all_of_it = read(
        FORMAT,
        {
            **_files(
                _talk(
                    _message("a", "human", "Look", attachments=attached, files=[{"file_name": "bee.png"}]),
                    _message(
                        "b",
                        "assistant",
                        "This block is not supported on your current device yet.",
                        {"type": "thinking", "thinking": "hm"},
                        {"type": "text", "text": "I count."},
                        {"type": "tool_use", "name": "count", "input": {}},
                        {"type": "tool_result", "content": [{"type": "text", "text": "3"}]},
                        {"type": "text", "text": "Three."},
                    ),
                    _message("c", "human", content=[]),
                    _message("d", "human", "from before there were blocks", content=[]),
                    _message("e", "system", "x"),
                ),
                _talk(uuid="c2"),
            ),
            "memories.json": [{"conversations_memory": "Robin keeps bees"}],
            "projects.json": [{"uuid": "1"}, {"uuid": "2"}],
        },
    )
    assert all_of_it.texts == [
        "Look\n\n[file: hives.csv]\n\n[file: bee.png]",
        "I count.\n\nThree.",
        "from before there were blocks",
    ]
    assert all_of_it.left == {
        "texts of attached files": 1,
        "thoughts of the assistant": 1,
        "calls of tools and their results": 2,
        "messages without words": 1,
        "messages of nobody": 1,
        "empty conversations": 1,
        "projects": 2,
        "what Claude remembered itself": 1,
    }


def test_of_branches_the_last_one_is_what_was_said() -> None:
    messages = [
        _message("a", "human", "How many hives?", parent_message_uuid=_START, at="2026-03-01T09:00:00Z"),
        _message("b", "assistant", "Two.", parent_message_uuid="a", at="2026-03-01T09:01:00Z"),
        _message("c", "assistant", "Three.", parent_message_uuid="a", at="2026-03-01T09:02:00Z"),
    ]
    newest = read(FORMAT, _files(_talk(*messages)))
    assert (newest.texts, newest.left["other branches"], newest.problems) == (["How many hives?", "Three."], 1, [])
    assert read(FORMAT, _files(_talk(*messages, current_leaf_message_uuid="b"))).texts == ["How many hives?", "Two."]
    ring = read(FORMAT, _files(_talk({**messages[0], "parent_message_uuid": "c"}, *messages[1:])))
    assert "in a ring" in ring.problems[0].reason
    lost = read(FORMAT, _files(_talk(*messages[1:], _message("d", "human", "ok", parent_message_uuid="c"))))
    assert (lost.texts, "missing" in lost.problems[0].reason) == (["Three.", "ok"], True)


def test_files_of_another_kind_are_refused() -> None:
    for other in (files("chatgpt", 3), files("slack", 3), {"conversations.json": b"[]"}):
        assert not FORMAT.recognises(source(other))
        with pytest.raises(InvalidInput, match="no conversations of Claude"):
            list(FORMAT.read(source(other)))


_SAMPLE = [
    _talk(
        _message(
            "a", "human", "one", parent_message_uuid=_START, attachments=[{"file_name": "a", "extracted_content": "b"}]
        ),
        _message("b", "assistant", "", {"type": "tool_use"}, {"type": "text", "text": "two"}, parent_message_uuid="a"),
        _message("c", "human", "three", parent_message_uuid="b", files=[{"file_name": "x.png"}]),
        current_leaf_message_uuid="c",
    )
]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_whatever_stands_anywhere_nothing_breaks(data: st.DataObject) -> None:
    given = {
        "conversations.json": written(data.draw(mutated(_SAMPLE))),
        "users.json": written(data.draw(mutated([{"uuid": "p1", "full_name": "Robin"}]))),
    }
    try:
        found(FORMAT.read(source(given)))
    except InvalidInput:
        assert not FORMAT.recognises(source(given))
