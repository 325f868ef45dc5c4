"""Read the facts of a writer's answer, whatever its formatting."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from erstwhile.layers.facts.model import KIND, fact_id
from erstwhile.layers.summaries.model import ChunkReading, Range, found_in
from erstwhile.log.model import Message
from erstwhile.memories import attribute, classify
from erstwhile.memories.model import StoredMemory
from erstwhile.writers.port import WriterOutput

_BULLET = re.compile(r"^\s{0,8}(?:[-*•·‣▪–—]|\d{1,3}[.)])\s+")
_FENCE = re.compile(r"^\s*```")


def read(
    space: str, range: Range, written: WriterOutput, messages: Sequence[Message]
) -> ChunkReading:
    """Return each fact once, with the message it comes from; in doubt, the last message."""
    found: dict[str, StoredMemory] = {}
    for text in split(written.text):
        said = attribute.closest(text, messages) or messages[-1]
        id = fact_id(space, (range.channel, range.first, range.last), text)
        fact = found_in(range, written, said, text, id=id, kind=KIND.name, person=said.person)
        found.setdefault(id, described(fact))
    return ChunkReading(range, written, tuple(found.values()))


def described(memory: StoredMemory) -> StoredMemory:
    """Return the fact with its category and importance."""
    text = memory.text
    return replace(memory, category=classify.category(text), importance=classify.importance(text))


def split(answer: str) -> list[str]:
    """Return one fact per bullet, with the lines that belong to it; without bullets, per paragraph."""
    rows = [row.rstrip() for row in answer.splitlines() if not _FENCE.match(row)]
    if any(_BULLET.match(row) for row in rows):
        facts = _bulleted(rows)
    else:
        facts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", "\n".join(rows))]
    return list(dict.fromkeys(fact for fact in facts if fact))


def _bulleted(rows: list[str]) -> list[str]:
    facts: list[str] = []
    inside = False
    for row in rows:
        bullet = _BULLET.match(row)
        if bullet:
            facts.append(row[bullet.end() :].strip())
        elif not row.strip():
            inside = False
            continue
        elif inside:
            facts[-1] += " " + row.strip()
        elif not row.rstrip().endswith((":", "：")):  # "Here are the facts:" is not a fact
            facts.append(row.strip())
        inside = bool(facts)
    return facts
