"""Try a prompt on a range, and show its output beside what is stored. Only its cost is recorded."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import replace

from erstwhile.base.errors import InvalidInput, NotFound, SettingsError
from erstwhile.base.records import dataclass
from erstwhile.configuration import prompts
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.layers import regenerate
from erstwhile.layers.brief import store as briefs
from erstwhile.layers.brief.steps import Briefs
from erstwhile.layers.brief.turns import group
from erstwhile.layers.facts import reading
from erstwhile.layers.summaries import material
from erstwhile.layers.summaries import store as chunks
from erstwhile.layers.summaries.model import Chunk
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.memories import store as memories
from erstwhile.memories.store import SourceRange
from erstwhile.storage import Database, Transaction
from erstwhile.writers.port import WriterOutput, WriterRequest
from erstwhile.writers.prompt import CUSTOM, Prompt

# The cost has a task of its own, so that it does not count as the cost of memories.
TASK = "preview"
_READ = {"extract": "fact", "structure": "structured"}  # the kind that a prompt reads messages for


@dataclass(frozen=True, slots=True)
class Preview:
    """`text` is the prompt's output, "" for nothing; `stored` is what is there now."""

    prompt: str
    first: int
    last: int
    text: str
    stored: str
    writer: str
    seconds: float
    input_tokens: int
    output_tokens: int
    cached_tokens: int


@dataclass(frozen=True, slots=True)
class PromptTrial:
    """A prompt to try on a range of a channel; without `instructions`, the current one."""

    channel: str
    first: int
    last: int
    prompt: str
    instructions: str | None = None


@dataclass(frozen=True, slots=True)
class _Material:
    messages: list[Message]
    parts: list[Chunk]
    prompt: Prompt
    stored: str


class Previews:
    def __init__(self, database: Database, writers: WriterPool, briefs: Briefs) -> None:
        self._database = database
        self._writers = writers
        self._briefs = briefs

    async def preview(self, space: str, tried: PromptTrial) -> Preview:
        name = prompts.known(tried.prompt)
        if tried.instructions is not None:
            prompts.checked(tried.instructions)
        writers = await self._writers.for_space(space)
        if writers.best.draft:
            raise SettingsError(
                "No model is configured for this space, and the extractive writer reads no prompts."
                " Set a provider's key, or ERSTWHILE_MODEL and ERSTWHILE_BASE_URL;"
                " for this space alone, use `erstwhile spaces set`."
            )
        found = await self._database.read(space, lambda tx: _material(tx, tried))
        started = time.monotonic()
        # The model only: a draft would not show the effect of the prompt.
        ask = getattr(writers.best, "extract_facts" if name == "extract" else name)
        written = await writers.written(self._request(name, found), ask)
        writers.spent(TASK, written)
        return Preview(
            prompt=name,
            first=tried.first,
            last=tried.last,
            text=_lines(reading.split(written.text)) if name == "extract" else _noted(written),
            stored=found.stored,
            writer=written.writer.partition("#")[0],
            seconds=round(time.monotonic() - started, 3),
            input_tokens=written.usage.input_tokens,
            output_tokens=written.usage.output_tokens,
            cached_tokens=written.usage.cached_tokens,
        )

    def _request(self, name: str, found: _Material) -> WriterRequest:
        if name == "condense":
            return material.of_summaries(found.prompt, found.parts)
        if name == "fold":
            turns = group(found.messages)
            if not turns:
                raise InvalidInput("These messages have no turn for a brief. Choose others.")
            return self._briefs.request("", turns, found.prompt)
        said = material.lines(found.messages)
        return WriterRequest(prompt=prompts.filled(found.prompt, said), lines=said)


async def _material(tx: Transaction, tried: PromptTrial) -> _Material:
    what = "meta" if tried.prompt == "condense" else "chunk"
    wanted = regenerate.RegenerateRange(tried.channel, tried.first, tried.last, what)
    regenerate.check_range(wanted)
    chunk = await regenerate.find(tx, wanted)
    await regenerate.check_complete(tx, wanted)
    place = tried.channel, tried.first, tried.last
    parts = await chunks.children(tx, chunk.id) if what == "meta" else []
    if what == "meta" and not parts:
        raise NotFound(f"The summaries under {tried.first}–{tried.last} are gone.")
    messages = await people.tell_apart(tx, await log.between(tx, *place)) if what == "chunk" else []
    return _Material(messages, parts, await _prompt(tx, tried), await _stored(tx, tried, chunk))


async def _prompt(tx: Transaction, tried: PromptTrial) -> Prompt:
    if tried.instructions is None:
        return await prompts.in_force(tx, tried.prompt, tried.channel, tried.first, tried.last)
    ours, text = prompts.default(tried.prompt), prompts.checked(tried.instructions)
    if text == ours.instructions:
        return ours
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return replace(ours, version=f"{CUSTOM}{digest}", instructions=text)


async def _stored(tx: Transaction, tried: PromptTrial, chunk: Chunk) -> str:
    place = tried.channel, tried.first, tried.last
    if tried.prompt in _READ:
        found = await memories.in_place(tx, SourceRange(_READ[tried.prompt], *place))
        typed = tried.prompt == "structure"
        return _lines([f"{each.category}: {each.text}" if typed else each.text for each in found])
    if tried.prompt == "fold":
        brief = await briefs.get(tx, tried.channel)
        return brief.shown if brief is not None else ""
    return chunk.text


def _noted(written: WriterOutput) -> str:
    noted = [f"{each.type}: {each.text}" for each in written.noted]
    return _lines(noted) if noted else written.text


def _lines(texts: Sequence[str]) -> str:
    return "\n".join(f"- {each}" for each in texts)
