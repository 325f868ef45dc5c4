"""What `doctor` returns."""

from __future__ import annotations

from typing import Literal

from erstwhile.base.records import dataclass

Level = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `advice` says what to do, if anything."""

    level: Level
    what: str
    advice: str = ""
