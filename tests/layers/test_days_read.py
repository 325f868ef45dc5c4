"""What a model's account of a day is taken for. Plain functions."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from erstwhile.layers.days import batch, week
from erstwhile.layers.days.batch import DaySection
from erstwhile.log.model import Message
from erstwhile.writers.answers import MalformedAnswer

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
NAMES = {"u1": "Ann", "u2": "Ben", "u3": "Ben"}


def said(person: str | None, text: str = "hello") -> Message:
    return Message(f"msg_{person}", 1, "user", person, None, text, AT, None, None, {})


def section(*people: str, audience: str = "", **more: Any) -> DaySection:
    return DaySection(audience, tuple(said(person) for person in people), **more)


def entry(person: object = "u1", summary: object = "Ann was glad.", conversation: object = 1) -> dict[str, object]:
    return {"conversation": conversation, "person": person, "summary": summary}


def test_an_answer_is_read_by_conversation_and_id() -> None:
    part = [section("u1", "u2"), section("u1", audience="dm")]
    answer = json.dumps(
        {"days": [entry(), entry(conversation=2, summary="Ann &amp; Ben\n fell out."), entry("u2", "Ben slept.")]}
    )
    assert batch.read(f"Here you are:\n```json\n{answer}\n```", part, NAMES) == {
        ("", "u1"): "Ann was glad.",
        ("dm", "u1"): "Ann & Ben fell out.",
        ("", "u2"): "Ben slept.",
    }


def test_a_name_does_for_an_id_where_only_one_has_it() -> None:
    part = [section("u1", "u2", "u3")]
    found = batch.read(json.dumps({"days": [entry("ann"), entry("Ben", "Ben slept.")]}), part, NAMES)
    assert found == {("", "u1"): "Ann was glad."}


def test_nobody_is_believed_to_have_been_where_they_were_not() -> None:
    part = [section("u1"), section("u2", audience="dm")]
    answer = {"days": [entry(), entry("u2"), entry("u1", conversation=2), entry("u9"), entry("u1", conversation=3)]}
    assert batch.read(json.dumps(answer), part, NAMES) == {("", "u1"): "Ann was glad."}


@pytest.mark.parametrize(
    "answer",
    [
        "Ann was glad.",
        '{"people": {}}',
        '{"days": "Ann was glad."}',
        '{"days": ["Ann was glad."]}',
        '{"days": []}',
        json.dumps({"days": [entry(summary=7)]}),
        json.dumps({"days": [entry("u9")]}),
        json.dumps({"days": [entry(summary="I'm sorry, I can't help with that.")]}),
        json.dumps({"days": [entry()]})[:-3],
    ],
)
def test_another_shape_is_refused_without_quoting_anything(answer: str) -> None:
    with pytest.raises(MalformedAnswer) as refused:
        batch.read(answer, [section("u1")], NAMES)
    assert "Ann" not in str(refused.value)


def test_what_was_declared_private_is_read_apart_and_a_part_holds_so_many_people() -> None:
    crowd = section(*(f"p{n}" for n in range(150)))
    parts = batch.parts([crowd, section("u1", audience="dm"), section("u2", audience="secret", apart=True)])
    assert [[each.audience for each in part] for part in parts] == [[""], ["", "dm"], ["secret"]]
    assert [len(part[0].people) for part in parts] == [100, 50, 1]
    assert batch.parts([DaySection("", (said(None),))]) == [], "nobody to tell of"


def test_a_text_is_cut_at_a_sentence() -> None:
    assert batch.shortened("One. Two.", 50) == "One. Two."
    text = "She went to the gym. Then she went home. Then she slept for a long time."
    assert batch.shortened(text, 30) == "She went to the gym. Then she went home."
    assert batch.shortened("word " * 40, 20) == "word word word word word word…"
    assert len(batch.shortened("字" * 400, 100)) <= 151


def test_one_text_is_read_from_json_or_as_it_stands() -> None:
    assert week.text_of('{"week": "Ann was\\nglad."}', "week") == "Ann was glad."
    assert week.text_of("Ann was glad.", "week") == "Ann was glad."
    for wrong in ('{"week": 7}', '{"summary": "x"}', "[]", '{"week": ""}'):
        with pytest.raises(MalformedAnswer):
            week.text_of(wrong, "week")


def test_the_dates_of_drafts_are_not_said_twice() -> None:
    assert week.dated(date(2026, 3, 2), "2 Mar 2026 — Ann: hello.") == "2 Mar 2026 — Ann: hello."
    assert week.dated(date(2026, 3, 2), "Ann said hello.") == "2 Mar: Ann said hello."
