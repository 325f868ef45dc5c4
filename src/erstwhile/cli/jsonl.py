"""The jsonl format: one {"channel", "role", "person"?, "name"?, "text", "at"?, "key"?, "model"?, "meta"?} per line."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.cli import output
from erstwhile.log import check
from erstwhile.memory import Memory

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Problem:
    line: int
    reason: str


@dataclass(slots=True)
class Report:
    """`skipped`: lines that were there already, and lines with a problem, also those that are not to be kept."""

    messages: int = 0
    skipped: int = 0
    channels: int = 0
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Read:
    number: int
    end: int
    channel: str
    message: dict[str, Any]


async def load(memory: Memory, file: Path, channel: str | None) -> Report:
    report, channels, problems = Report(), set[str](), list[Problem]()
    batch: list[_Read] = []
    with output.progress() as progress:
        bar = progress.add_task(f"Importing {file.name}", total=file.stat().st_size)

        async def store() -> None:
            for name in dict.fromkeys(each.channel for each in batch):
                problems.extend(await _store(memory, name, [each for each in batch if each.channel == name], report))
                channels.add(name)
            progress.update(bar, completed=batch[-1].end)
            batch.clear()

        for read in _lines(file, channel, memory.settings.message_bytes, problems):
            batch.append(read)
            if len(batch) == _BATCH:
                await store()
        if batch:
            await store()
    report.channels, report.problems = len(channels), sorted(problems, key=lambda problem: problem.line)
    report.skipped += len(problems)
    return report


def why_not_kept(memory: Memory, person: str | None) -> str:
    """Why a message was stored as number 0, which is nowhere."""
    settings = memory.settings
    if settings.spaces and settings.space not in settings.spaces:
        return f"space {settings.space!r} is not among those that are remembered (ERSTWHILE_SPACES)"
    return f"{person!r} is blocked in space {settings.space!r}"


async def _why(memory: Memory, person: str | None) -> str:
    settings = memory.settings
    remembered = not settings.spaces or settings.space in settings.spaces
    if remembered and not any(each.person == person and each.blocked for each in await memory.people()):
        return f"it was erased in space {settings.space!r}"
    return why_not_kept(memory, person)


async def _store(memory: Memory, channel: str, lines: list[_Read], report: Report) -> list[Problem]:
    """Also what was not to be kept."""
    chat = memory.channel(channel)
    before = await chat.size()
    stored = await chat.add_many([line.message for line in lines])
    fresh = len({message.seq for message in stored if message.seq > before})
    unkept = [
        Problem(line.number, f"not kept: {await _why(memory, line.message.get('person'))}")
        for line, message in zip(lines, stored, strict=True)
        if not message.seq
    ]
    report.messages += fresh
    report.skipped += len(lines) - fresh - len(unkept)
    return unkept


def _lines(file: Path, channel: str | None, largest: int, problems: list[Problem]) -> Iterator[_Read]:
    seen: Counter[str] = Counter()
    end = 0
    with file.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            end += len(raw)
            if not raw.strip():
                continue
            try:
                read = _parse(raw, channel, largest)
            except InvalidInput as error:
                problems.append(Problem(number, str(error)))
                continue
            name, message = read
            if message.get("key") is None:
                message["key"] = _key(name, message, seen)
            yield _Read(number, end, name, message)


def _parse(raw: bytes, channel: str | None, largest: int) -> tuple[str, dict[str, Any]]:
    try:
        line = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput("not UTF-8; convert the file first, for example with iconv") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidInput(f"not JSON ({error})") from None
    if not isinstance(line, dict):
        raise InvalidInput("not a JSON object")
    name = line.pop("channel", None) or channel
    if name is None:
        raise InvalidInput("no channel; add one to the line or give --channel")
    for ours in ("id", "seq"):  # of an export: ids are given anew
        line.pop(ours, None)
    check.message(line, largest=largest)
    return check.identifier("channel", name), line


def _key(channel: str, message: dict[str, Any], seen: Counter[str]) -> str:
    """A line without a key gets one from its content, and its place among equal lines: importing it again changes nothing."""
    digest = hashlib.sha256(
        json.dumps([channel, message], sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")
    ).hexdigest()
    seen[digest] += 1
    return f"jsonl:{digest[:32]}:{seen[digest]}"
