"""Whether a summary tells what only a private conversation of the same call says. Plain functions, tested without a model.

A model that reads two conversations can be talked into putting one into the summary of the other, by someone who speaks in that other.
What it puts into words of its own, or into another language, is not found: see `batch.set_apart`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from erstwhile.configuration.visibility import EVERYONE
from erstwhile.layers.days.batch import Section, Summaries
from erstwhile.text import analyse


def without(
    summaries: Summaries, part: Sequence[Section], names: Mapping[str, str], common: Iterable[str]
) -> Summaries:
    """Those that say nothing which is only in a private conversation they are not of. `common` is what the model was told in any case."""
    if len(part) < 2 or not any(section.audience for section in part):
        return summaries
    words = {section.audience: _words(section) for section in part}
    allowed = {term for text in common for term in analyse.terms(text)}
    called = {term for name in (*names, *names.values()) for term in analyse.terms(name) if not term.isdecimal()}
    kept = {}
    for (audience, person), text in summaries.items():
        private = set[str]().union(*(said for other, said in words.items() if other not in (EVERYONE, audience)))
        if private.isdisjoint(_telling(text) - words[audience] - allowed - called):
            kept[audience, person] = text
    return kept


def _words(section: Section) -> set[str]:
    """All of them: a word that is common in one language is telling in another."""
    return {term for message in section.said for term in analyse.terms(message.text)}


def _telling(text: str) -> set[str]:
    return set(analyse.query_terms(text)) | {term for term in analyse.terms(text) if term.isdecimal()}


def told_anyway(day: date, instructions: str) -> tuple[str, ...]:
    return instructions, f"{day:%A}", day.isoformat()
