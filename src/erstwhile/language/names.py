"""What a language writes to a name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Names:
    possessive: str = ""
    """A pattern: what makes something the named one's."""
    particles: str = ""
    """Characters that may follow a name without a space."""
    subject_particles: str = ""
    """Of these, those after whom a sentence is about."""
    endings: str = ""
    """A pattern of what a name may be called without."""
