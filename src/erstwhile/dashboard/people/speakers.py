"""What was said about a person by whom: their own word first, then everyone else's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from erstwhile.dashboard.people.timeline import TimedMemory


@dataclass(frozen=True, slots=True)
class Speaker:
    """What one person said, the latest first. `said_by` None: unknown."""

    said_by: str | None
    own: bool
    held: tuple[TimedMemory, ...]


def by_speaker(person: str, held: Sequence[TimedMemory]) -> list[Speaker]:
    """Group by speaker: the person themselves, then whoever said most."""
    said: dict[str | None, list[TimedMemory]] = {}
    for each in held:
        said.setdefault(each.said_by, []).append(each)
    voices = [
        Speaker(who, who == person, tuple(sorted(those, key=lambda each: each.since, reverse=True)))
        for who, those in said.items()
    ]
    return sorted(voices, key=lambda voice: (not voice.own, -len(voice.held), voice.said_by or ""))
