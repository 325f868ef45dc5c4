"""ChatGPT's export: the branch the person saw, whatever else is in the file."""

from __future__ import annotations

from typing import Any

import pytest
from entries import found, read, source
from hypothesis import given, settings
from hypothesis import strategies as st
from made import files
from mutated import mutated, written

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.chatgpt import FORMAT


def _message(id: str, role: str, *parts: Any, at: float | None = 1767600000.5, **more: Any) -> dict[str, Any]:
    kind = "text" if all(isinstance(part, str) for part in parts) else "multimodal_text"
    content = more.pop("content", {"content_type": kind, "parts": list(parts)})
    return {"id": id, "author": {"role": role}, "create_time": at, "content": content, "metadata": {}, **more}


def _tree(*messages: dict[str, Any], current: str | None = None, **more: Any) -> dict[str, Any]:
    """Each follows the one before it, unless it says `parent`."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    above = "root"
    for message in messages:
        parent = message.pop("parent", above)
        mapping[message["id"]] = {"id": message["id"], "message": message, "parent": parent, "children": []}
        if parent in mapping:
            mapping[parent]["children"].append(message["id"])
        above = message["id"]
    return {
        "conversation_id": "c1",
        "title": "Bees",
        "create_time": 1767599999.0,
        "mapping": mapping,
        "current_node": current or above,
        **more,
    }


def _files(*conversations: Any) -> dict[str, Any]:
    return {"conversations.json": list(conversations), "user.json": {"id": "user-1"}}


def test_a_made_export_is_read_whole() -> None:
    all_of_it = read(FORMAT, files("chatgpt", 205))
    assert len(set(all_of_it.keys)) == 205
    assert len({line.channel for line in all_of_it.lines}) == 6
    assert (all_of_it.left["other branches"], all_of_it.problems) == (6, [])
    first, second = all_of_it.lines[:2]
    assert (first.message.role, first.message.person, first.message.model) == ("user", "user-7", None)
    assert (second.message.role, second.message.person, second.message.model) == ("assistant", None, "gpt-5")
    assert first.message.meta["title"]


def test_the_branch_that_was_looked_at_last_is_what_was_said() -> None:
    talk = _tree(
        _message("a", "user", "How many hives?"),
        _message("b", "assistant", "Two."),
        _message("c", "assistant", "Three.", parent="a"),
        _message("d", "user", "Thanks"),
        current="b",
    )
    assert read(FORMAT, _files(talk)).texts == ["How many hives?", "Two."]
    assert read(FORMAT, _files({**talk, "current_node": "d"})).texts == ["How many hives?", "Three.", "Thanks"]
    assert read(FORMAT, _files(talk)).left["other branches"] == 2


def test_what_nobody_said_is_left_and_counted() -> None:
    all_of_it = read(
        FORMAT,
        _files(
            _tree(
                _message("s", "system", "You are"),
                _message("i", "user", content={"content_type": "user_editable_context", "user_profile": "I keep bees"}),
                _message("h", "user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
                _message("w", "user", "weightless", weight=0.0),
                _message("q", "user", "Plot it"),
                _message("t", "assistant", content={"content_type": "thoughts", "thoughts": [{"content": "hm"}]}),
                _message("k", "assistant", "let me see", channel="commentary"),
                _message("p", "assistant", content={"content_type": "code", "text": "plot()"}, recipient="python"),
                _message("o", "tool", content={"content_type": "execution_output", "text": "ok"}),
                _message("e", "assistant", ""),
                _message("f", "assistant", "Here it is.", channel="final", recipient="all"),
            )
        ),
    )
    assert all_of_it.texts == ["Plot it", "Here it is."]
    assert sum(all_of_it.left.values()) == 9
    assert all_of_it.left["hidden messages"] == 2
    assert all_of_it.left["thoughts of the assistant"] == 2
    assert any("custom instructions" in reason for reason in all_of_it.left)


def test_pictures_sounds_and_files_are_named() -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f1"}
    heard = {"content_type": "audio_transcription", "text": "Which bee is this?"}
    sound = {"content_type": "audio_asset_pointer"}
    attached = {"attachments": [{"name": "bee.png", "mime_type": "image/png"}, {"name": "hives.csv"}]}
    all_of_it = read(
        FORMAT,
        _files(
            _tree(
                _message("a", "user", picture, "What is it?", metadata=attached),
                _message("b", "user", heard, sound),
                _message("c", "user", sound),
                _message(
                    "d", "assistant", 'A bee from \ue200entity\ue202["city","Lisbon"]\ue201.\ue200cite\ue202turn0\ue201'
                ),
                _message("e", "assistant", content={"content_type": "never_seen", "text": "Still words"}),
            )
        ),
    )
    assert all_of_it.texts == [
        "[image]\nWhat is it?\n[file: hives.csv]",
        "Which bee is this?",
        "[audio]",
        "A bee from Lisbon.",
        "Still words",
    ]


def test_a_message_without_a_time_has_that_of_the_one_before() -> None:
    times = [
        line.message.at.timestamp()  # type: ignore[union-attr]
        for line in read(
            FORMAT,
            _files(
                _tree(
                    _message("a", "user", "one", at=None),
                    _message("b", "user", "two", at=1767600007.25),
                    _message("c", "user", "three", at=None),
                )
            ),
        ).lines
    ]
    assert times == [1767599999.0, 1767600007.25, 1767600007.25]


@pytest.mark.parametrize(
    ("hurt", "texts", "problem"),
    [
        (lambda nodes: nodes["a"].update(parent="c"), ["one", "two", "three"], "in a ring"),
        (lambda nodes: (nodes.pop("a"), nodes["root"]["children"].clear()), ["two", "three"], "missing"),
        (lambda nodes: nodes["b"].update(parent=None), ["one", "two", "three"], ""),
        (lambda nodes: nodes["a"].update(children=["c", "root"]), ["one", "two", "three"], ""),
        (lambda nodes: nodes["b"].update(parent="b"), ["two", "three"], "in a ring"),
    ],
)
def test_a_broken_tree_gives_what_can_be_followed(hurt: Any, texts: list[str], problem: str) -> None:
    talk = _tree(_message("a", "user", "one"), _message("b", "assistant", "two"), _message("c", "user", "three"))
    hurt(talk["mapping"])
    all_of_it = read(FORMAT, _files(talk))
    assert all_of_it.texts == texts
    assert problem in " ".join(each.reason for each in all_of_it.problems)
    assert bool(all_of_it.problems) == bool(problem)


@pytest.mark.parametrize("current", [None, "gone", 7])
def test_without_a_current_message_the_newest_end_is_taken(current: Any) -> None:
    talk = _tree(
        _message("a", "user", "one", at=1.0),
        _message("b", "assistant", "new", at=9.0),
        _message("c", "assistant", "old", at=2.0, parent="a"),
    )
    talk["current_node"] = current
    assert read(FORMAT, _files(talk)).texts == ["one", "new"]


def test_numbered_files_a_renamed_file_and_one_conversation_alone_are_read() -> None:
    talk = _tree(_message("a", "user", "one"))
    parts = {"x/conversations-000.json": [talk], "x/conversations-001.json": [{**talk, "conversation_id": "c2"}]}
    assert [line.channel for line in read(FORMAT, parts).lines] == ["chatgpt:c1", "chatgpt:c2"]
    assert read(FORMAT, {"my old chats.json": [talk]}, name="my old chats.json").texts == ["one"]
    assert read(FORMAT, {"bees.json": talk}).texts == ["one"]


def test_a_damaged_file_gives_what_stands_before_the_damage() -> None:
    whole = files("chatgpt", 80)["conversations.json"]
    all_of_it = read(FORMAT, {"conversations.json": whole[:-100]})
    assert len(all_of_it.lines) == 40
    assert "can't be read" in all_of_it.problems[0].reason


def test_another_kind_of_file_is_refused_clearly() -> None:
    for other in (files("claude", 3), files("telegram", 3), files("jsonl", 3), {"conversations.json": b"\xff\0"}, {}):
        assert not FORMAT.recognises(source(other))
        with pytest.raises(InvalidInput, match="no conversations of ChatGPT"):
            list(FORMAT.read(source(other)))


_SAMPLE = [
    _tree(
        _message(
            "a", "user", {"content_type": "image_asset_pointer"}, "one", metadata={"attachments": [{"name": "a.txt"}]}
        ),
        _message("b", "assistant", "two", weight=1.0, channel="final", recipient="all"),
        _message("c", "assistant", "other", parent="a"),
        current="b",
    )
]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_whatever_stands_anywhere_nothing_breaks(data: st.DataObject) -> None:
    given = {
        "conversations.json": written(data.draw(mutated(_SAMPLE))),
        "user.json": written(data.draw(mutated({"id": "u"}))),
    }
    try:
        found(FORMAT.read(source(given)))
    except InvalidInput:
        assert not FORMAT.recognises(source(given))
