"""From a writer's answer to the facts of a reading."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.layers.facts import attribute, bullets
from erstwhile.layers.facts.model import Found, Reading, fact_id
from erstwhile.layers.summaries.model import Range
from erstwhile.log.model import Message
from erstwhile.writers.port import WriterOutput


def read(space: str, range: Range, written: WriterOutput, messages: Sequence[Message]) -> Reading:
    """Each fact once, with the message it leans on most; one that shares no word with any leans on the last."""
    found: dict[str, Found] = {}
    for text in bullets.split(written.text):
        source = attribute.closest(text, messages) or messages[-1]
        id = fact_id(space, (range.channel, range.first, range.last), text)
        found.setdefault(id, Found(id, text, source.seq, source.person, source.at))
    return Reading(range, written, tuple(found.values()))
