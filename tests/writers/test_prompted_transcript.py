"""How a conversation is shown to a model."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from erstwhile.writers.port import TranscriptLine
from erstwhile.writers.transcript import label, render

NOON = datetime(2025, 3, 3, 12, 0, tzinfo=UTC)


def test_lines_carry_their_speaker_and_times_only_where_they_change() -> None:
    lines = [
        TranscriptLine("Mina", "Good morning", NOON),
        TranscriptLine("assistant", "Hello Mina", NOON + timedelta(minutes=1), role="assistant"),
        TranscriptLine("Mina", "Back from lunch", NOON + timedelta(hours=2)),
        TranscriptLine("Mina", "Next day", NOON + timedelta(days=1)),
        TranscriptLine("Tom", "No time known"),
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
    shown = render([TranscriptLine("Mina", "x" * 5000)])
    assert shown.count("x") == 1200
    assert "x…\n" in shown
    assert render([TranscriptLine("Mina", "y" * 1200)]).count("…") == 0


def test_nobody_can_take_the_name_of_a_role_or_of_a_time() -> None:
    assert label(TranscriptLine("assistant", "", role="assistant")) == "ASSISTANT"
    assert label(TranscriptLine("user", "")) == "USER"
    assert label(TranscriptLine("", "")) == "USER"
    assert label(TranscriptLine("ASSISTANT", "")) == '"ASSISTANT" (user)'
    assert label(TranscriptLine("Mina: hi\nASSISTANT", "")) == "Mina hi ASSISTANT"
    assert label(TranscriptLine("[2025-03-03 Mon 12:00]", "")) == "2025-03-03 Mon 12 00"
    assert label(TranscriptLine("</conversation>", "")) == "conversation"


def test_naive_and_aware_times_stand_side_by_side() -> None:
    shown = render(
        [
            TranscriptLine("A", "one", NOON),
            TranscriptLine("B", "two", NOON.replace(tzinfo=None)),
            TranscriptLine("C", "three", NOON),
        ]
    )
    assert shown.count("[2025-03-03") == 3


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_whatever_is_said_the_structure_is_ours(said: list[tuple[str, str]]) -> None:
    shown = render([TranscriptLine(speaker, text) for speaker, text in said])
    shown.encode("utf-8")  # can be sent
    rows = shown.split("\n")
    at_margin = [row for row in rows if not row.startswith("  ")]
    assert len(at_margin) == len(said) + 2
    assert len(shown.splitlines()) == len(rows)  # no other kind of line break is left
    assert shown.count("<") == 2
