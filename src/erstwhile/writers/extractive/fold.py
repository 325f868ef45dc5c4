"""The running summary: what was worth keeping so far, and of the new turns, within a cap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from erstwhile.writers.extractive.condense import condense
from erstwhile.writers.extractive.summary import summarise
from erstwhile.writers.port import TranscriptLine

_AT_A_TIME: Final = 10
_SPARE: Final = 20  # tokens for what joining the pieces adds


def fold(lines: Sequence[TranscriptLine], cap: int) -> str:
    kept = [line for line in lines if line.role == "summary"]
    said = [line for line in lines if line.role != "summary"]
    for start in range(0, len(said), _AT_A_TIME):
        group = said[start : start + _AT_A_TIME]
        kept.append(TranscriptLine(speaker="", text=summarise(group), at=group[0].at, role="summary"))
    return condense([line for line in kept if line.text], max(_SPARE, cap - _SPARE))
