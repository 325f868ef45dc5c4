"""Slack's export: the same channels, keys and people as the live bot has."""

from __future__ import annotations

from typing import Any

import pytest
from entries import found, read, source
from hypothesis import given, settings
from hypothesis import strategies as st
from made import files
from mutated import mutated, written

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.slack import FORMAT
from erstwhile.text import slack as markup

_USERS = [
    {"id": "U1", "name": "robin", "profile": {"display_name": "Robin", "real_name": "Robin Lee"}},
    {"id": "U2", "name": "sam", "deleted": True, "real_name": "Sam Ode", "profile": {"display_name": ""}},
    {"id": "B1", "name": "helper", "is_bot": True, "profile": {}},
]


def _said(ts: str, text: str = "hello", user: str = "U1", **more: Any) -> dict[str, Any]:
    return {"type": "message", "user": user, "text": text, "ts": ts, **more}


def _files(*messages: Any, **more: Any) -> dict[str, Any]:
    lists = {"users.json": _USERS, "channels.json": [{"id": "C1", "name": "kitchen"}]}
    return {**lists, "kitchen/2026-01-05.json": list(messages), **more}


def test_a_made_export_is_read_whole() -> None:
    all_of_it = read(FORMAT, files("slack", 600))
    assert len(set(all_of_it.keys)) == 600
    assert not all_of_it.problems
    threads = [line for line in all_of_it.lines if ":" in line.channel]
    assert len(threads) == 30
    assert {line.message.meta.get("privacy") for line in all_of_it.lines if line.channel.startswith("C001")} == {
        "private"
    }
    for channel in {line.channel for line in all_of_it.lines}:
        times = [line.message.at for line in all_of_it.lines if line.channel == channel]
        assert times == sorted(times)  # type: ignore[type-var]


def test_answers_are_in_their_thread_and_what_they_answer_is_in_the_channel() -> None:
    all_of_it = read(
        FORMAT,
        _files(
            _said("1767600000.000100", "who cooks?", thread_ts="1767600000.000100", reply_count=2),
            _said("1767600060.000300", "me too", thread_ts="1767600000.000100", subtype="thread_broadcast"),
            _said("1767600030.000200", "me", "U2", thread_ts="1767600000.000100"),
        ),
    )
    assert [(line.channel, line.message.key, line.message.name) for line in all_of_it.lines] == [
        ("C1", "slack:C1:1767600000.000100", "Robin"),
        ("C1:1767600000.000100", "slack:C1:1767600030.000200", "Sam Ode"),
        ("C1:1767600000.000100", "slack:C1:1767600060.000300", "Robin"),
    ]


def test_bots_and_notices_are_left_and_counted() -> None:
    all_of_it = read(
        FORMAT,
        _files(
            _said("1.1", subtype="channel_join"),
            _said("2.1", subtype="channel_topic"),
            _said("3.1", subtype="bot_message", bot_id="B9"),
            _said("4.1", "I am a bot", "B1"),
            _said("5.1", "reminder", "USLACKBOT"),
            _said("6.1", "This message was deleted.", subtype="tombstone"),
            _said("7.1", ""),
            _said("8.1", "is cooking", subtype="me_message", edited={"user": "U1", "ts": "9"}),
            _said("9.1", "", subtype="file_share", files=[{"name": "soup.pdf"}, {"mode": "tombstone"}]),
        ),
    )
    assert all_of_it.texts == ["is cooking", "[file: soup.pdf]"]
    assert all_of_it.lines[0].message.meta == {"title": "kitchen", "edited": True}
    assert all_of_it.left == {
        "messages about the channel (joins, topics, pins)": 2,
        "messages of bots": 3,
        "deleted messages": 1,
        "messages without words or files": 1,
    }


@pytest.mark.parametrize(
    ("written_as", "said"),
    [
        ("hi <@U2> and <@U2|sam>", "hi <@U2> and <@U2>"),
        ("see <#C1|kitchen>, <#C1>, <#C9|>", "see #kitchen, #kitchen, #C9"),
        ("<!here> <!subteam^S1|@cooks> <!date^1^{date}|on Friday>", "@here @cooks on Friday"),
        ("<https://a.example/x|the list>", "the list (https://a.example/x)"),
        ("<https://a.example> <http://a.example|a.example>", "https://a.example http://a.example"),
        ("<mailto:r@a.example|r@a.example>", "r@a.example"),
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2, &amp;lt;", "1 < 2 && 3 > 2, &lt;"),
        ("a < b", "a < b"),
    ],
)
def test_marks_become_words_and_people_stay(written_as: str, said: str) -> None:
    assert read(FORMAT, _files(_said("1.1", written_as))).texts == [said]


def test_words_that_are_only_in_blocks_are_found() -> None:
    words = [{"type": "text", "text": "ask "}, {"type": "user", "user_id": "U2"}, {"type": "emoji", "name": "soup"}]
    item = [{"type": "rich_text_section", "elements": [{"type": "link", "url": "https://a.example"}]}]
    rich = {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": words}, {"type": "rich_text_list", "elements": item}],
    }
    assert read(FORMAT, _files(_said("1.1", "", blocks=[rich]))).texts == ["ask <@U2>:soup:\nhttps://a.example"]


def test_folders_of_all_kinds_of_channels_have_their_ids() -> None:
    lists = {
        "groups.json": [{"id": "G1", "name": "plans"}],
        "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
        "mpims.json": [{"id": "G2", "name": "mpdm-robin--sam-1"}],
    }
    folders = {f"{name}/2026-01-05.json": [_said("1.1")] for name in ("plans", "D1", "mpdm-robin--sam-1", "old-name")}
    all_of_it = read(FORMAT, {f"export/{name}": each for name, each in {**_files(), **lists, **folders}.items()})
    assert {line.channel: line.message.meta.get("privacy") for line in all_of_it.lines} == {
        "G1": "private",
        "D1": "direct",
        "G2": "private",
        "old-name": None,
    }
    assert [problem.where for problem in all_of_it.problems] == ["old-name"]


def test_the_words_are_those_that_the_bot_hears() -> None:
    block = {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}],
    }
    said = [
        _said("1.1", "see <#C1|> &amp; <https://a.example|this> <@U1|robin> <!here>"),
        _said("2.1", "", blocks=[block], files=[{"name": "a.pdf"}]),
        _said("3.1", "", attachments=[{"fallback": "shared <https://x.example>"}]),
        _said("4.1", " \0hm\n"),
    ]
    heard = [markup.words(each, lambda id: {"C1": "kitchen"}.get(id, id)) for each in said]
    assert read(FORMAT, _files(*said)).texts == heard
    assert heard[0] == "see #kitchen & this (https://a.example) <@U1> @here"


def test_people_of_other_workspaces_are_named_by_their_messages() -> None:
    all_of_it = read(
        FORMAT, _files(_said("1.1", user="W7", user_profile={"display_name": "Mika"}), _said("2.1", user="W8"))
    )
    assert [(line.message.person, line.message.name) for line in all_of_it.lines] == [("W7", "Mika"), ("W8", None)]


def test_other_files_are_refused_and_a_damaged_day_is_reported() -> None:
    for other in (files("chatgpt", 2), files("discord", 3), {"a/b.json": b"[]"}):
        assert not FORMAT.recognises(source(other))
        with pytest.raises(InvalidInput, match="not an export of Slack"):
            list(FORMAT.read(source(other)))
    alone = read(FORMAT, {"2026-01-05.json": [_said("1.1")]}, name="exports/kitchen")
    assert [line.channel for line in alone.lines] == ["kitchen"]
    hurt = read(
        FORMAT,
        {**_files(_said("1.1")), "kitchen/2026-01-06.json": b'[{"type": "mess', "kitchen/2026-01-07.json": b"{}"},
    )
    assert (hurt.texts, len(hurt.problems)) == (["hello"], 2)


_SECTION = {"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}
_SAMPLE = [
    _said("1.1", "<@U1> hi", thread_ts="1.1", files=[{"name": "x"}]),
    _said("2.1", "", blocks=[{"type": "rich_text", "elements": [_SECTION]}]),
]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_whatever_stands_anywhere_nothing_breaks(data: st.DataObject) -> None:
    files = {
        "users.json": written(data.draw(mutated(_USERS))),
        "channels.json": written(data.draw(mutated([{"id": "C1", "name": "kitchen"}]))),
        "kitchen/2026-01-05.json": written(data.draw(mutated(_SAMPLE))),
    }
    found(FORMAT.read(source(files)))
