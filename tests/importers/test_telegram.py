"""Telegram's result.json: one chat, or all of an account."""

from __future__ import annotations

from typing import Any

import pytest
from entries import found, read, source
from hypothesis import given, settings
from made import files
from mutated import mutated, written

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.telegram import FORMAT


def _said(id: int, text: Any = "hello", **more: Any) -> dict[str, Any]:
    who = {"from": "Robin", "from_id": "user1"}
    return {
        "id": id,
        "type": "message",
        "date": "2026-01-05T08:00:00",
        "date_unixtime": "1767600000",
        **who,
        "text": text,
        **more,
    }


def _chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"name": "Allotment", "type": "private_group", "id": 77, "messages": list(messages), **more}


def test_a_made_export_is_read_whole() -> None:
    all_of_it = read(FORMAT, files("telegram", 300))
    assert len(set(all_of_it.keys)) == 300
    assert (dict(all_of_it.left), all_of_it.problems) == ({"service messages (joins, calls, pins)": 1}, [])
    first = all_of_it.lines[0]
    assert (first.channel, first.message.key, first.message.person) == ("telegram:4711", "telegram:4711:1", "user100")
    assert first.message.meta == {"title": "The house", "privacy": "private"}


def test_pieces_media_answers_and_forwards_become_words() -> None:
    link = {"type": "text_link", "text": "this", "href": "https://a.example"}
    absent = "(File not included. Change data exporting settings to download.)"
    all_of_it = read(
        FORMAT,
        {
            "result.json": _chat(
                _said(1, ["see ", link, {"type": "bold", "text": "!"}], edited="2026-01-05T08:01:00"),
                _said(2, "the garden", photo=absent, reply_to_message_id=1),
                _said(3, "", media_type="sticker", sticker_emoji="🐝", file=absent),
                _said(4, "", file="files/plan.pdf"),
                _said(5, "", file=absent),
                _said(6, "not mine", forwarded_from="Mika"),
                _said(7, "", poll={"question": "When?", "answers": [{"text": "Friday"}, {"text": "Sunday"}]}),
                _said(8, "", media_type="voice_message", file="voice/1.ogg"),
                _said(9, ""),
            )
        },
    )
    assert all_of_it.texts == [
        "see this (https://a.example)!",
        "[photo]\nthe garden",
        "[sticker 🐝]",
        "[file: plan.pdf]",
        "[file]",
        "[forwarded from Mika]\nnot mine",
        "[poll] When? (Friday, Sunday)",
        "[voice message]",
    ]
    metas = [line.message.meta for line in all_of_it.lines]
    assert (metas[0]["edited"], metas[1]["reply_to"], metas[5]["forwarded_from"]) == (True, "telegram:77:1", "Mika")
    assert all_of_it.left["messages without words or files"] == 1


def test_an_account_has_its_chats_and_those_that_were_left() -> None:
    account = {
        "about": "Here is the data you requested.",
        "personal_information": {"user_id": 1},
        "contacts": {"list": [{"first_name": "Mika"}]},
        "chats": {"about": "", "list": [_chat(_said(1)), 7, _chat(_said(1), id=78, type="personal_chat", name=None)]},
        "left_chats": {"list": [_chat(_said(1), id=79, type="public_supergroup")]},
    }
    all_of_it = read(FORMAT, {"DataExport/result.json": account})
    assert {line.channel: line.message.meta.get("privacy") for line in all_of_it.lines} == {
        "telegram:77": "private",
        "telegram:78": "direct",
        "telegram:79": None,
    }


def test_what_lacks_something_is_a_problem_and_other_files_are_refused() -> None:
    bad = [_said(1, from_id=None), _said(2, date_unixtime="x", date="y"), {**_said(3), "id": None}, 4]
    all_of_it = read(FORMAT, {"result.json": _chat(*bad, _said(5, from_id=7))})
    assert (len(all_of_it.problems), all_of_it.keys) == (4, ["telegram:77:5"])
    assert all_of_it.lines[0].message.person == "user7"  # as it was written until 2021
    for other in (files("discord", 4), files("chatgpt", 4), {"result.json": b"{}"}, {"result.json": b"\xff"}):
        assert not FORMAT.recognises(source(other))
        with pytest.raises(InvalidInput, match=r"no result\.json"):
            list(FORMAT.read(source(other)))


def test_chats_in_chats_in_chats_do_not_go_deep() -> None:
    nested = b'{"personal_information": {}, ' + b'"chats": {"list": [{' * 3000 + b"}]}" * 3000 + b"}"
    assert not read(FORMAT, {"result.json": nested}).lines


_PIECES = ["a", {"type": "text_link", "text": "b", "href": "c"}]
_POLL = {"question": "q", "answers": [{"text": "a"}]}
_SAMPLE = {
    "personal_information": {},
    "chats": {
        "list": [
            _chat(
                _said(1, _PIECES, photo="x", poll=_POLL),
                _said(2, reply_to_message_id=1, forwarded_from="x", media_type="sticker", file="y"),
            )
        ]
    },
}


@given(mutated(_SAMPLE))
@settings(max_examples=150, deadline=None)
def test_whatever_stands_anywhere_nothing_breaks(sample: Any) -> None:
    given = source({"result.json": written(sample)})
    try:
        found(FORMAT.read(given))
    except InvalidInput:
        assert not FORMAT.recognises(given)
