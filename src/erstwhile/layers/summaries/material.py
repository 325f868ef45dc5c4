"""The input of a writer for a range: its messages and the current prompt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from erstwhile.base.errors import NotFound
from erstwhile.configuration import prompts
from erstwhile.layers.summaries.model import Chunk, Range
from erstwhile.layers.summaries.tail import OVER
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.storage import Database, Transaction
from erstwhile.writers.port import TranscriptLine, WriterRequest
from erstwhile.writers.prompt import Prompt
from erstwhile.writers.writers import Writers


def lines(messages: Sequence[Message]) -> list[TranscriptLine]:
    return [TranscriptLine(each.speaker, each.text, each.at, each.role) for each in messages]


def choose(writers: Writers, range: Range, messages: Sequence[Message], now: datetime) -> Writers:
    """Return who writes: of a conversation that may go on, only drafts are made before its chunk is full."""
    if range.provisional and min(messages[-1].at, now) + OVER > now:
        return writers.drafting
    return writers


async def gather(
    database: Database, space: str, range: Range, task: str, cache_name: str
) -> tuple[list[Message], WriterRequest]:
    async def unit(tx: Transaction) -> tuple[list[Message], Prompt]:
        place = (range.channel, range.first, range.last)
        return await people.tell_apart(tx, await log.between(tx, *place)), await prompts.in_force(tx, task, *place)

    messages, prompt = await database.read(space, unit)
    if not messages:
        raise NotFound(f"Messages {range.first}–{range.last} of {range.channel!r} are gone.")
    said = lines(messages)
    cache_key = f"{cache_name}:{range.channel}:{range.first}-{range.last}"
    prompt = prompts.filled(prompt, said)
    return messages, WriterRequest(prompt=prompt, lines=said, cache_key=cache_key)


def of_summaries(prompt: Prompt, parts: Sequence[Chunk]) -> WriterRequest:
    """Return the input of a writer for the summaries under a meta."""
    lines = [TranscriptLine(_dates(part), part.text, part.from_at, "summary") for part in parts]
    return WriterRequest(prompt=prompts.filled(prompt, lines, times(parts)), lines=lines)


def times(parts: Sequence[Chunk]) -> tuple[datetime, datetime]:
    return min(part.from_at for part in parts), max(part.to_at for part in parts)


def _dates(part: Chunk) -> str:
    first, last = f"{part.from_at:%Y-%m-%d}", f"{part.to_at:%Y-%m-%d}"
    return first if first == last else f"{first} to {last}"
