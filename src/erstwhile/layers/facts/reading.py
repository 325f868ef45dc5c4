"""Read the facts of a writer's answer."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.layers.facts import attribute, bullets
from erstwhile.layers.facts.model import FoundFact, fact_id
from erstwhile.layers.summaries.model import ChunkReading, Range
from erstwhile.log.model import Message
from erstwhile.writers.grounding import other_script
from erstwhile.writers.port import WriterOutput

FactReading = ChunkReading[FoundFact]


def read(
    space: str, range: Range, written: WriterOutput, messages: Sequence[Message]
) -> FactReading:
    """Return each fact once, with the message it comes from; in doubt, the last message."""
    found: dict[str, FoundFact] = {}
    for text in bullets.split(written.text):
        source = attribute.closest(text, messages) or messages[-1]
        id = fact_id(space, (range.channel, range.first, range.last), text)
        doubted = not written.draft and other_script(text, source.text)
        found.setdefault(
            id, FoundFact(id, text, source.seq, source.person, source.at, unverified=doubted)
        )
    return ChunkReading(range, written, tuple(found.values()))
