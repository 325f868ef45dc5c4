"""How sentences of a language end and join."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sentences:
    abbreviations: str = ""
    """What a full stop is written to without ending a sentence."""
    can_end: str = ""
    """Of these, those that end one after all where a capital follows: "at 5 p.m. We left."."""
    clauses: str = ""
    """A pattern of the words between two clauses."""
    clause_endings: str = ""
    """A pattern of where a clause ends, where that is no word."""
    laughter: str = ""
    """A pattern of the words that only say that someone laughs."""
    laughter_letters: str = ""
    said: str = ""
    """A pattern of what stands before words that are quoted."""
    quoted: str = ""
    """A pattern of what stands after them."""
