"""What models say in a language when they found nothing, or refuse."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    nothing: str = ""
    """What the fact prompt asks for when there is nothing to record."""
    refusal: str = ""
    """A pattern of how a refusal starts."""
