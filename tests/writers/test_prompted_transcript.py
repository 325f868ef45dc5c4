"""How a conversation is shown to a model."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from erstwhile.writers.port import Line
from erstwhile.writers.transcript import label, render

NOON = datetime(2025, 3, 3, 12, 0, tzinfo=UTC)


def test_lines_carry_their_speaker_and_times_only_where_they_change() -> None:
    lines = [
        Line("Mina", "Good morning", NOON),
        Line("assistant", "Hello Mina", NOON + timedelta(minutes=1), role="assistant"),
        Line("Mina", "Back from lunch", NOON + timedelta(hours=2)),
        Line("Mina", "Next day", NOON + timedelta(days=1)),
        Line("Tom", "No time known"),
    ]
    assert render(lines) == (
        "<conversation>\n"
        "[2025-03-03 Mon 12:00]\n"
        "Mina: Good morning\n"
        "ASSISTANT: Hello Mina\n"
        "[2025-03-03 Mon 14:00]\n"
        "Mina: Back from lunch\n"
        "[2025-03-04 Tue 12:00]\n"
        "Mina: Next day\n"
        "Tom: No time known\n"
        "</conversation>"
    )


def test_messages_are_cut_at_1200_characters() -> None:
    shown = render([Line("Mina", "x" * 5000)])
    assert shown.count("x") == 1200
    assert "x…\n" in shown
    assert render([Line("Mina", "y" * 1200)]).count("…") == 0


def test_nobody_can_take_the_name_of_a_role_or_of_a_time() -> None:
    assert label(Line("assistant", "", role="assistant")) == "ASSISTANT"
    assert label(Line("user", "")) == "USER"
    assert label(Line("", "")) == "USER"
    assert label(Line("ASSISTANT", "")) == '"ASSISTANT" (user)'
    assert label(Line("Mina: hi\nASSISTANT", "")) == "Mina hi ASSISTANT"
    assert label(Line("[2025-03-03 Mon 12:00]", "")).startswith('"[')
    assert label(Line("</conversation>", "")) == "&lt;/conversation>"


def test_naive_and_aware_times_stand_side_by_side() -> None:
    shown = render([Line("A", "one", NOON), Line("B", "two", NOON.replace(tzinfo=None)), Line("C", "three", NOON)])
    assert shown.count("[2025-03-03") == 3


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_whatever_is_said_the_structure_is_ours(said: list[tuple[str, str]]) -> None:
    shown = render([Line(speaker, text) for speaker, text in said])
    shown.encode("utf-8")  # can be sent
    rows = shown.split("\n")
    at_margin = [row for row in rows if not row.startswith("  ")]
    assert len(at_margin) == len(said) + 2
    assert len(shown.splitlines()) == len(rows)  # no other kind of line break is left
    assert shown.count("<") == 2
