"""The days before today as one text. Plain functions, tested without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from erstwhile.language.en.calendar import MONTHS_SHORT
from erstwhile.layers.days import batch
from erstwhile.layers.days.model import Day
from erstwhile.writers import answers, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.port import TranscriptLine, Writer, WriterQuestion, WriterRequest
from erstwhile.writers.prompt import load


def digest(texts: Iterable[str]) -> str:
    """Each is measured first, so that no two lists of texts have the same."""
    return hashlib.sha256("".join(f"{len(text)}:{text}" for text in texts).encode(errors="replace")).hexdigest()


def hash_of(days: Sequence[Day]) -> str:
    return digest(part for day in days for part in (day.day.isoformat(), day.text))


def ask(days: Sequence[Day], name: str, length: int) -> WriterQuestion[str]:
    prompt = load(__package__, "week")
    lines = [TranscriptLine(name, day.text, day.from_at) for day in days]

    async def draft(writer: Writer) -> str:
        return newest((await writer.condense(WriterRequest(prompt, lines))).text, length)

    return WriterQuestion(
        prompt=prompt,
        text=material(days, name, length),
        read=lambda answer: batch.shortened(text_of(answer, "week"), length),
        draft=draft,
        schema=one_text("week"),
    )


def material(days: Sequence[Day], name: str, length: int) -> str:
    rows = [f"<length>about {length} characters</length>", f'<person name="{xml.escape(" ".join(name.split()))}">']
    rows += [f'<day date="{day.day.isoformat()}">{xml.escape(day.text)}</day>' for day in days]
    return "\n".join([*rows, "</person>"])


def alone(day: Day) -> str:
    """A week in which a person was there on one day only: nothing to put together."""
    return dated(day.day, day.text)


def dated(day: date, text: str) -> str:
    """A draft says its date itself, as every summary of the extractive writer does."""
    written = f"{day.day} {MONTHS_SHORT[day.month - 1]}"
    return text if str(day.day) in text[:16] and str(day.year) in text[:16] else f"{written}: {text}"


def newest(text: str, length: int) -> str:
    """A condensed week has a line a day; where it is too long, the oldest go."""
    rows = text.splitlines()
    while len(rows) > 1 and sum(len(row) + 1 for row in rows) > 1.5 * length:
        rows.pop(0)
    return "\n".join(batch.shortened(row, length) for row in rows)


def text_of(answer: str, key: str) -> str:
    """The one text that was asked for; a model that left the JSON away and wrote nothing but the text is understood too."""
    usable = answers.check_usable(answer)
    if usable and not usable.startswith(("{", "[", "```")) and f'"{key}"' not in usable:
        return batch.clean(usable)
    found = answers.json_object(usable, key)[key]
    if not isinstance(found, str) or not found.strip():
        raise MalformedAnswer(f'"{key}" must be a text.')
    return batch.clean(found)


def one_text(key: str) -> dict[str, Any]:
    return {"type": "object", "properties": {key: {"type": "string"}}, "required": [key], "additionalProperties": False}
