"""The input of a writer for a range: its messages and the current prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from erstwhile.base.errors import NotFound
from erstwhile.base.records import dataclass
from erstwhile.configuration import prompts
from erstwhile.jobs import store as jobs
from erstwhile.layers.summaries.model import Chunk, Range
from erstwhile.layers.summaries.tail import OVER
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.storage import Database, Transaction
from erstwhile.writers.port import JointReading, TranscriptLine, WriterRequest
from erstwhile.writers.prompt import Prompt, load
from erstwhile.writers.writers import Writers

BEFORE: Final = 3  # messages
# Facts and memories with types in one answer. It is counted as the task "structure", and written by its model.
BOTH: Final = replace(load("erstwhile.writers", "both"), name="structure")
_OPEN: Final = ("waiting", "running")
_CACHED: Final = {
    "summarise": "summary",
    "extract": "facts",
    "structure": "structure",
}  # in the key of a prompt's cache


def lines(messages: Sequence[Message]) -> list[TranscriptLine]:
    return [TranscriptLine(each.speaker, each.text, each.at, each.role) for each in messages]


def choose(writers: Writers, range: Range, messages: Sequence[Message], now: datetime) -> Writers:
    """Return who writes: of a conversation that may go on, only drafts are made before its chunk is full."""
    if range.provisional and min(messages[-1].at, now) + OVER > now:
        return writers.drafting
    return writers


@dataclass(frozen=True, slots=True)
class OtherReading:
    """Another job that reads the same messages, and whose half one call may write too."""

    task: str
    job: str


async def gather(database: Database, space: str, range: Range, task: str) -> tuple[list[Message], WriterRequest]:
    """Return the messages of a range, and what a writer gets to read of them."""
    place = range.channel, range.first, range.last

    async def unit(tx: Transaction) -> tuple[list[Message], Prompt]:
        return await people.tell_apart(tx, await log.between(tx, *place)), await prompts.in_force(tx, task, *place)

    messages, prompt = await database.read(space, unit)
    if not messages:
        raise NotFound(f"Messages {range.first}–{range.last} of {range.channel!r} are gone.")
    said = lines(messages)
    cache_key = f"{_CACHED[task]}:{range.channel}:{range.first}-{range.last}"
    return messages, WriterRequest(prompts.filled(prompt, said), said, cache_key)


async def add_before(database: Database, space: str, range: Range, request: WriterRequest) -> WriterRequest:
    """Show a default prompt the last messages before a range: they say whom a pronoun means."""
    if request.prompt.custom or range.first <= 1:
        return request
    first = max(1, range.first - BEFORE)

    async def unit(tx: Transaction) -> list[Message]:
        return await people.tell_apart(tx, await log.between(tx, range.channel, first, range.first - 1))

    return replace(request, before=lines(await database.read(space, unit)))


async def add_joint(
    database: Database, space: str, range: Range, request: WriterRequest, other: OtherReading
) -> WriterRequest:
    """Let one call write the other reading too, unless a space or person has its own prompt for either."""
    if request.prompt.custom:
        return request
    place = range.channel, range.first, range.last

    async def unit(tx: Transaction) -> tuple[bool, str]:
        state = (await jobs.states(tx, other.job, [range.key])).get(range.key)
        return (await prompts.in_force(tx, other.task, *place)).custom, state["state"] if state else ""

    custom, state = await database.read(space, unit)
    if custom:
        return request
    joint = JointReading(BOTH, f"{space}:{range.key}:{range.last}", state in _OPEN)
    return replace(request, joint=joint)


def of_summaries(prompt: Prompt, parts: Sequence[Chunk]) -> WriterRequest:
    """Return the input of a writer for the summaries under a meta."""
    lines = [TranscriptLine(_dates(part), part.text, part.from_at, "summary") for part in parts]
    return WriterRequest(prompt=prompts.filled(prompt, lines, times(parts)), lines=lines)


def times(parts: Sequence[Chunk]) -> tuple[datetime, datetime]:
    return min(part.from_at for part in parts), max(part.to_at for part in parts)


def _dates(part: Chunk) -> str:
    first, last = f"{part.from_at:%Y-%m-%d}", f"{part.to_at:%Y-%m-%d}"
    return first if first == last else f"{first} to {last}"
