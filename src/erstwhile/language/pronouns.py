"""How a language says I and they, as patterns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pronouns:
    asker: str = ""
    """A question is about whoever asks it."""
    first_person: str = ""
    """Somebody speaks of themselves."""
    own_start: str = ""
    """A statement begins with whoever makes it."""
    other_start: str = ""
    """A statement begins with somebody who is not named."""
