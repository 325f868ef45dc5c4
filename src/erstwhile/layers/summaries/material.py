"""The input of a writer for a range: its messages and the current prompt."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base.errors import NotFound
from erstwhile.configuration import prompts
from erstwhile.layers.summaries.model import Range
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.storage import Database, Transaction
from erstwhile.writers.port import TranscriptLine, WriterRequest
from erstwhile.writers.prompt import Prompt


def lines(messages: Sequence[Message]) -> list[TranscriptLine]:
    return [TranscriptLine(each.speaker, each.text, each.at, each.role) for each in messages]


async def gather(
    database: Database, space: str, range: Range, task: str, cache_name: str
) -> tuple[list[Message], WriterRequest]:
    async def unit(tx: Transaction) -> tuple[list[Message], Prompt]:
        place = (range.channel, range.first, range.last)
        return await log.between(tx, *place), await prompts.in_force(tx, task, *place)

    messages, prompt = await database.read(space, unit)
    if not messages:
        raise NotFound(f"Messages {range.first}–{range.last} of {range.channel!r} are gone.")
    said = lines(messages)
    cache_key = f"{cache_name}:{range.channel}:{range.first}-{range.last}"
    prompt = prompts.filled(prompt, said)
    return messages, WriterRequest(prompt=prompt, lines=said, cache_key=cache_key)
