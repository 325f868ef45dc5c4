"""Summaries of summaries, and what hostile lines cost."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

import pytest

from erstwhile.writers.extractive import ExtractiveWriter
from erstwhile.writers.extractive.dates import day
from erstwhile.writers.port import TranscriptLine, WriterRequest
from erstwhile.writers.prompt import Prompt

MONDAY = datetime(2025, 3, 3, 18, 0, tzinfo=UTC)
PROMPT = Prompt(name="meta", version="1", role="light", instructions="Condense.")


async def test_condensing_keeps_dates_and_something_of_every_summary() -> None:
    said = ["I moved to Busan for a job.", "I adopted a dog named Biscuit.", "I ran my first marathon in 4 hours."]
    days = [MONDAY + timedelta(days=7 * n) for n in range(3)]
    writer = ExtractiveWriter()
    lines = [
        TranscriptLine(
            "summary", (await writer.summarise(WriterRequest(PROMPT, [TranscriptLine("Mina", text, at)]))).text
        )
        for text, at in zip(said, days, strict=True)
    ]
    written = (await writer.condense(WriterRequest(PROMPT, lines))).text
    assert written.splitlines() == [f"{day(at)} — Mina: {text}" for text, at in zip(said, days, strict=True)]


async def test_condensing_long_summaries_stays_within_its_budget_and_in_order() -> None:
    lines = [
        TranscriptLine(
            "summary", " ".join(f"Mina visited town number {n * 10 + k} with friend {k}." for k in range(12)), MONDAY
        )
        for n in range(10)
    ]
    written = (await ExtractiveWriter().condense(WriterRequest(PROMPT, lines))).text
    assert 40 <= len(written.split()) <= 170
    towns = [int(number) for number in re.findall(r"town number (\d+)", written)]
    assert towns == sorted(towns)
    assert {town // 10 for town in towns} >= set(range(8))


HOSTILE = [
    "I I'm my ",
    "so ",
    "ha",
    "ㅋ",
    "🐟",
    "我以前",
    "나 이제 ",
    "1. ",
    "[a](",
    "`",
    "<b",
    "if i ",
    "~!",
    "\u0301",
    "\ud800",
    "\n- ",
]


@pytest.mark.parametrize("piece", HOSTILE, ids=ascii)
async def test_hostile_lines_stay_cheap(piece: str) -> None:
    started = time.process_time()
    request = WriterRequest(PROMPT, [TranscriptLine("x", piece * 20_000, MONDAY)] * 10)
    for verb in (ExtractiveWriter().summarise, ExtractiveWriter().condense, ExtractiveWriter().extract_facts):
        (await verb(request)).text.encode()
    assert time.process_time() - started < 3
