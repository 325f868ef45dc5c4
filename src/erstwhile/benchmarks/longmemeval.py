"""LongMemEval (Wu et al., ICLR 2025): each question has its own history of up to hundreds of chats
with an assistant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.benchmarks import locomo
from erstwhile.benchmarks.model import BenchmarkCase, BenchmarkQuestion, BenchmarkTurn

PERSON = "user"

_ONE = "conversation"
_NOW = "now"
_ABSTAIN = "_abs"  # questions about what was never said
_TIME = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})\D*?(\d{1,2}):(\d{2})")
_PAUSE = timedelta(seconds=5)


def cases(file: Path, *, one_channel: bool = False) -> Iterator[BenchmarkCase]:
    """Yield cases: a channel per session and one for the question, or one for all."""
    for entry in locomo.elements(file):
        try:
            yield _case(entry, one_channel)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(
                f"{file.name} is not LongMemEval's format ({type(error).__name__}: {error}). Expected are question_id, question_type, "
                "question, answer, question_date, haystack_session_ids, haystack_dates, haystack_sessions, answer_session_ids."
            ) from None


def _case(entry: Mapping[str, Any], one_channel: bool) -> BenchmarkCase:
    columns = ("haystack_session_ids", "haystack_dates", "haystack_sessions")
    history = zip(*(entry[name] for name in columns), strict=True)
    sessions = sorted(
        ((_time(date), id, said) for id, date, said in history), key=lambda each: each[0]
    )
    turns: list[BenchmarkTurn] = []
    evidence: set[str] = set()
    for number, (at, id, said) in enumerate(sessions):
        channel = _ONE if one_channel else f"session-{number}"
        for place, each in enumerate(said):
            said_at, role, text = at + place * _PAUSE, each["role"], each["content"]
            turn = BenchmarkTurn(f"{number}:{place}", channel, id, role, PERSON, text, said_at)
            if turn.text.strip():  # a few turns of the data set are empty
                turns.append(turn)
                evidence |= {turn.key} if each.get("has_answer") else set()
    if not turns:
        raise ValueError("a question without a history")
    id, kind = entry["question_id"], entry["question_type"]
    never_said = id.endswith(_ABSTAIN)
    # What comes near such a question is no evidence.
    answering = frozenset() if never_said else frozenset(entry["answer_session_ids"])
    known = answering & {turn.session for turn in turns}
    told = frozenset() if never_said else frozenset(evidence)
    asked = entry["question"], str(entry["answer"]), kind, told, known, never_said
    content = tuple(turns), (BenchmarkQuestion(id, *asked),), _time(entry["question_date"])
    channel = _ONE if one_channel else _NOW
    return BenchmarkCase(id, *content, channel, PERSON, len(answering - known))


def _time(written: str) -> datetime:
    """Parse "2023/05/20 (Sat) 02:21"."""
    match = _TIME.match(written)
    if match is None:
        raise ValueError(f"{written!r} is not a time")
    year, month, day, hour, minute = map(int, match.groups())
    return datetime(year, month, day, hour, minute, tzinfo=UTC)
