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
from erstwhile.jobs.model import NewJob
from erstwhile.layers.contract import LayerParts
from erstwhile.layers.summaries.model import Chunk, Range
from erstwhile.layers.summaries.tail import OVER
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.storage import Transaction
from erstwhile.writers.port import JointReading, TranscriptLine, WriterRequest
from erstwhile.writers.prompt import Prompt, load
from erstwhile.writers.writers import Writers

BEFORE: Final = 3  # messages
# Facts and memories with types in one answer. It is counted as the task "structure", and written by its model.
BOTH: Final = replace(load("erstwhile.writers", "both"), name="structure")
_OPEN: Final = ("waiting", "running")
# In the key of a prompt's cache.
_CACHED: Final = {"summarise": "summary", "extract": "facts", "structure": "structure"}


def lines(messages: Sequence[Message]) -> list[TranscriptLine]:
    return [TranscriptLine(each.speaker, each.text, each.at, each.role) for each in messages]


@dataclass(frozen=True, slots=True)
class OtherReading:
    """Another job that reads the same messages, and whose half one call may write too."""

    task: str
    job: str


@dataclass(frozen=True, slots=True)
class ChunkMaterial:
    """The messages of a range, who writes, what they read, and the `recipe` of the space."""

    messages: list[Message]
    writers: Writers
    request: WriterRequest
    recipe: str

    def of_task(self, task: str) -> ChunkMaterial:
        """Return the same for a draft of another task."""
        return replace(self, request=WriterRequest(prompts.default(task), self.request.lines))


async def gather(
    parts: LayerParts, space: str, range: Range, task: str, other: OtherReading | None = None
) -> ChunkMaterial:
    """Read what a task needs to read a range. With `other`, one call may write that reading too."""
    writers = await parts.writers.for_space(space)

    async def unit(tx: Transaction) -> ChunkMaterial:
        messages = await _between(tx, range.channel, range.first, range.last)
        if not messages:
            raise NotFound(f"Messages {range.first}–{range.last} of {range.channel!r} are gone.")
        said, chosen, now = lines(messages), writers, parts.clock()
        if range.provisional and min(messages[-1].at, now) + OVER > now:
            chosen = writers.drafting  # the conversation may go on
        # A draft is made from nothing but the lines.
        request = WriterRequest(prompts.default(task), said)
        if not chosen.best.draft:
            request = await _request(tx, range, said, task, other)
        return ChunkMaterial(messages, chosen, request, await parts.recipe(tx))

    return await parts.database.read(space, unit)


async def _request(
    tx: Transaction, range: Range, said: list[TranscriptLine], task: str, other: OtherReading | None
) -> WriterRequest:
    place = range.channel, range.first, range.last
    prompt = await prompts.in_force(tx, task, *place)
    key = f"{_CACHED[task]}:{range.channel}:{range.first}-{range.last}"
    request = WriterRequest(prompts.filled(prompt, said), said, key)
    if prompt.custom or task == "summarise":
        return request
    # The last messages before a range say whom a pronoun means.
    before = lines(await _between(tx, range.channel, max(1, range.first - BEFORE), range.first - 1))
    if other is None or (await prompts.in_force(tx, other.task, *place)).custom:
        return replace(request, before=before)
    state = (await jobs.states(tx, other.job, [range.key])).get(range.key)
    waiting = state is not None and state["state"] in _OPEN
    joint = JointReading(BOTH, f"{tx.space}:{range.key}:{range.last}", waiting)
    return replace(request, before=before, joint=joint)


def chunk_job(parts: LayerParts, kind: str, range: Range, due: datetime | None = None) -> NewJob:
    """Return a job that reads a chunk. Without a model one of them does the work of all (see
    `Chunks.summarise`), so the others wait for it."""
    lane = f"chunk:{range.key}" if writes_drafts(parts) else None
    return NewJob(kind, range.key, range.payload, lane=lane, pace="model", due=due)


def writes_drafts(parts: LayerParts) -> bool:
    """Return whether there is no model, but for spaces with one of their own."""
    return parts.settings.chosen_model == "extractive"


async def _between(tx: Transaction, channel: str, first: int, last: int) -> list[Message]:
    found = await log.between(tx, channel, first, last) if first <= last else []
    return await people.tell_apart(tx, found)


def of_summaries(prompt: Prompt, parts: Sequence[Chunk]) -> WriterRequest:
    """Return the input of a writer for the summaries under a meta."""
    lines = []
    for part in parts:
        days = dict.fromkeys((f"{part.from_at:%Y-%m-%d}", f"{part.to_at:%Y-%m-%d}"))
        lines.append(TranscriptLine(" to ".join(days), part.text, part.from_at, "summary"))
    return WriterRequest(prompt=prompts.filled(prompt, lines, times(parts)), lines=lines)


def times(parts: Sequence[Chunk]) -> tuple[datetime, datetime]:
    return min(part.from_at for part in parts), max(part.to_at for part in parts)
