from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Exported:
    """Where the zip is, and how many messages and memories are in it."""

    path: Path
    messages: int
    memories: int
