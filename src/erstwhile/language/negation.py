"""How a language says that something is not so, as patterns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Negation:
    denial: str = ""
    """With one of these a sentence of a profile is not the same as without: "does not", "no longer", "used to"."""
    negated: str = ""
    """What was told is denied, or disliked."""
    negator: str = ""
    """The words that deny, and nothing else: without them the sentence says the opposite."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """What stays of a word that denies: can't → can."""
    ending: str = ""
    """A pattern of the end of a word that denies: n't."""
