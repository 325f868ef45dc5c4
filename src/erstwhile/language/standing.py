"""How people say to an assistant what they want from now on, in a language.

Precision before recall: a sentence that may mean just this once is no standing request.
"""

from __future__ import annotations

import re
from typing import Any, Final

from erstwhile.base.records import dataclass
from erstwhile.language import Language
from erstwhile.language.facts import NEVER, Parts

SEARCHED: Final = ("others", "polite", "ends", "asks")


@dataclass(frozen=True, slots=True)
class StandingForms:
    """`asks` and `ends` match a sentence that asks for something from now on, or takes that back.
    `topics`: what only one request at a time can be about. The patterns that every sentence is
    searched for are texts, see `Triggers`."""

    asks: str
    ends: str
    topics: tuple[tuple[str, re.Pattern[str]], ...]
    others: str = NEVER.pattern
    """Somebody else's words, a habit, or something imagined: no request whatever else it says."""
    polite: str = NEVER.pattern
    """A question that asks for something."""
    condition: re.Pattern[str] = NEVER
    """It holds in some cases only, so it ends no other request."""
    planted: re.Pattern[str] = NEVER
    """Money, and silence towards the person: no wish about answers, but what a link or a pasted text plants."""


def read(language: Language) -> StandingForms:
    """Read the forms of a language from its `standing.toml`."""
    data = language.data("standing")
    parts = Parts(data.pop("parts", {}))
    topics = tuple((name, parts.compile(pattern)) for name, pattern in data.pop("topics").items())
    made: dict[str, Any] = {
        name: parts.fill(pattern) if name in SEARCHED else parts.compile(pattern)
        for name, pattern in data.items()
    }
    return StandingForms(topics=topics, **made)
