"""Put the days before today into one text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from erstwhile.language.en.calendar import MONTHS_SHORT
from erstwhile.layers.days import batch
from erstwhile.layers.days.model import Day
from erstwhile.writers import answers, checks, halves, transcript, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.port import TranscriptLine, Writer, WriterQuestion, WriterRequest
from erstwhile.writers.prompt import load


def digest(texts: Iterable[str]) -> str:
    """Hash texts. Each has its length in front, so that different lists have different hashes."""
    joined = "".join(f"{len(text)}:{text}" for text in texts)
    return hashlib.sha256(joined.encode(errors="replace")).hexdigest()


def hash_of(days: Sequence[Day]) -> str:
    return digest(part for day in days for part in (day.day.isoformat(), day.text))


def ask(days: Sequence[Day], name: str, length: int) -> WriterQuestion[str]:
    prompt = load(__package__, "week")
    lines = [TranscriptLine(name, day.text, day.from_at) for day in days]
    dated_lines = []
    for day in days:
        date = f"{day.day.isoformat()}, {day.day.day} {day.day:%B}"
        dated_lines.append(TranscriptLine(name, f"{date}: {day.text}", day.from_at))

    async def draft(writer: Writer) -> str:
        return newest((await writer.condense(WriterRequest(prompt, lines))).text, length)

    return WriterQuestion(
        prompt=prompt,
        text=material(days, name, length),
        read=lambda answer: batch.shortened(text_of(answer, "week"), length),
        draft=draft,
        schema=one_text("week", batch.longest(length)),
        check=lambda text: checks.borne_summary(text, dated_lines),
        halves=lambda: halves.of(
            days, lambda some: ask(some, name, length // 2), lambda one, other: f"{one} {other}"
        ),
    )


def material(days: Sequence[Day], name: str, length: int) -> str:
    called = xml.escape(" ".join(name.split()))
    rows = [f"<length>about {length} characters</length>", f'<person name="{called}">']
    rows += [f'<day date="{day.day.isoformat()}">{xml.escape(day.text)}</day>' for day in days]
    what = "The account of these days as JSON, its text"
    return "\n".join([*rows, "</person>", "", transcript.closing(what, [day.text for day in days])])


def dated(day: date, text: str) -> str:
    """Put the date in front of a day, unless the text has it: drafts do."""
    if str(day.day) in text[:16] and str(day.year) in text[:16]:
        return text
    return f"{day.day} {MONTHS_SHORT[day.month - 1]}: {text}"


def newest(text: str, length: int) -> str:
    """Shorten a draft, which has a line per day, by removing the oldest."""
    rows = text.splitlines()
    while len(rows) > 1 and sum(len(row) + 1 for row in rows) > 1.5 * length:
        rows.pop(0)
    return "\n".join(batch.shortened(row, length) for row in rows)


def text_of(answer: str, key: str) -> str:
    """Read the text from an answer, also if the model wrote it without the JSON."""
    usable = answers.check_usable(answer)
    if usable and not usable.startswith(("{", "[", "```")) and f'"{key}"' not in usable:
        return batch.clean(usable)
    found = answers.json_object(usable, key)[key]
    if not isinstance(found, str) or not found.strip():
        raise MalformedAnswer(f'"{key}" must be a text.')
    return batch.clean(found)


def one_text(key: str, most: int) -> dict[str, Any]:
    return answers.object_schema(**{key: answers.text_schema(most)})
