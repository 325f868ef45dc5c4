"""Whatever one message repeats, its cost grows with its length and no faster.

Each part that reads text of people is given a long run of each unit at two sizes, the second four times as long.
CPU time is compared, not a clock. `make soak` uses runs of 1 MB, the largest message.
"""

from __future__ import annotations

import contextlib
import importlib
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from erstwhile.base.errors import BadAnswer
from erstwhile.log.model import Message
from erstwhile.writers.port import TranscriptLine
from soak.size import SOAK
from support.long_runs import FLOOR, LARGE, LIMIT, SMALL, UNITS, run

STOPPED = 60.0 if SOAK else 3.0
NOW = datetime(2026, 3, 3, 12, tzinfo=UTC)


def message(text: str) -> Message:
    return Message("msg_1", 1, "user", "mina", "Mina", text, NOW, None, None, {})


def named(path: str, *more: Any, **given: Any) -> Callable[[str], object]:
    """A function of the package, by its path; it is imported when it is used."""

    def call(text: str) -> object:
        module, name = path.split(":")
        return getattr(importlib.import_module(f"erstwhile.{module}"), name)(text, *more, **given)

    return call


def extractive(path: str) -> Callable[[str], object]:
    def call(text: str) -> object:
        module, name = path.split(":")
        lines = [TranscriptLine("Mina", text, NOW), TranscriptLine("Jun", "I moved to Busan.", NOW)]
        return getattr(importlib.import_module(f"erstwhile.writers.extractive.{module}"), name)(lines)

    return call


def whatsapp(text: str) -> object:
    from erstwhile.importers import whatsapp

    return whatsapp.read(text, iphone=True), whatsapp.read(text, iphone=False)


def turn(text: str) -> object:
    from erstwhile.layers.brief.turns import Turn, render

    return render(Turn((message(text),), ()), several=True)


def note_title(text: str) -> object:
    from erstwhile.layers.notes import titles

    return titles.title([TranscriptLine("Mina", text, NOW)])


def told(text: str) -> object:
    from erstwhile.layers.remembered import lines, route
    from erstwhile.text.labels import label

    return route.route(f"remember that {text}"), route.route(text), lines.parse(text), label(text)


def transcript(text: str) -> object:
    from erstwhile.writers import transcript, xml

    line = TranscriptLine(text, text, NOW)
    return transcript.render([line]), xml.messages([message(text)], {"mina": text}), xml.named(text, {"a": "b"})


def model_answer(text: str) -> object:
    """A model may repeat what it was given."""
    from erstwhile.layers.facts import reading
    from erstwhile.writers import answers

    for read in (answers.read_facts, answers.read_summary, answers.extract_fact_lines, reading.split):
        with contextlib.suppress(BadAnswer):
            read(text)
    return answers.as_json(text)


def claim(text: str) -> object:
    """A model's memory of a message, compared with it."""
    from erstwhile.writers.grounding import CitedMessages, unborne

    said = CitedMessages([TranscriptLine("Mina", text, NOW)])
    return unborne("Mina moved to Busan in March 2026.", said)


def slack(text: str) -> object:
    from erstwhile.text import slack

    return slack.plain(text), slack.written(text), slack.mentioned(text)


def bot(text: str) -> object:
    from erstwhile.bots import replies
    from erstwhile.bots.discord import events

    cleaned = replies.strip_mention(text, "7"), replies.strip_mention(text, ""), replies.use_names(text, {}, "7")
    return cleaned, replies.disable_pings(text), replies.split(text, 2000), events.readable(text, None)


def rendered(text: str) -> object:
    from erstwhile.context import render

    return render.message(message(text))


def snippet(text: str) -> object:
    from erstwhile.dashboard.pages.search import pieces

    return pieces(text, ["busan"])


PARTS: dict[str, Callable[[str], object]] = {
    "terms": named("text.analyse:terms"),
    "question terms": named("text.analyse:query_terms"),
    "language": lambda text: named("text.detection:dominant")([text]),  # type: ignore[arg-type]
    "sentences": named("text.sentences:split"),
    "suspicious": named("text.suspect:reasons"),
    "suspicious places": named("text.suspect:spans"),
    "tokens": named("text.tokens:count"),
    "cut": named("text.tokens:cut", 500),
    "one line": named("text.lines:one_line"),
    "flat": named("text.lines:flat"),
    "times": named("text.when:spans", NOW),
    "times of messages": named("text.when:happened", NOW),
    "refers back": named("text.when:refers_back"),
    "category": named("memories.classify:category"),
    "section": named("layers.profiles.by_hand:guess"),
    "slot": named("layers.threads:slot"),
    "route": told,
    "turn": turn,
    "title": note_title,
    "transcript": transcript,
    "answer": model_answer,
    "claim": claim,
    "slack": slack,
    "bot": bot,
    "whatsapp": whatsapp,
    "rendered": rendered,
    "snippet": snippet,
    "summary": extractive("summary:summarise"),
    "facts": extractive("facts:extract"),
    "structure": extractive("structure:note"),
}
_tries = count()


class Stopped(Exception):
    """It took too long."""


def cost(work: Callable[[str], object], unit: str, size: int) -> float:
    """CPU seconds. No text is used twice: some results are kept."""
    text = run(unit, size, next(_tries))
    start = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, STOPPED)
    try:
        work(text)
    except Stopped:
        return STOPPED
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - start


def is_linear(work: Callable[[str], object], unit: str) -> bool:
    for _ in range(3):
        spent = cost(work, unit, LARGE)
        if spent < FLOOR or spent < LIMIT * max(FLOOR, cost(work, unit, SMALL)):
            return True
    return False


@pytest.fixture(autouse=True)
def stopping() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Stopped

    kept = signal.signal(signal.SIGVTALRM, stop)
    yield
    signal.signal(signal.SIGVTALRM, kept)


def test_there_are_enough_units() -> None:
    assert len(set(UNITS)) >= 60


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.timeout(3600 if SOAK else 600)
def test_no_run_is_worse_than_linear(part: str) -> None:
    PARTS[part]("I moved to Busan.")  # loads its words
    slow = [unit for unit in UNITS if not is_linear(PARTS[part], unit)]
    assert not slow
