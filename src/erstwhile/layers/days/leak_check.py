"""Find summaries that repeat what only a private conversation of the same call says.

Someone can talk a model into putting a private conversation into the summary of another one. Words
that the model paraphrased or translated are not found; `batch.set_apart` covers those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from erstwhile.configuration.visibility import EVERYONE
from erstwhile.layers.days.batch import DaySection, Summaries
from erstwhile.text import analyse


def without_leaks(
    summaries: Summaries, part: Sequence[DaySection], names: Mapping[str, str], common: Iterable[str]
) -> Summaries:
    """Return the summaries without private words of another conversation. Words of the `common`
    texts, which the model gets in any case, are allowed."""
    if len(part) < 2 or not any(section.audience for section in part):
        return summaries
    words = {section.audience: _words(section) for section in part}
    allowed = {term for text in common for term in analyse.terms(text)}
    known = {term for name in (*names, *names.values()) for term in analyse.terms(name)}
    allowed |= {term for term in known if not term.isdecimal()}
    kept = {}
    for (audience, person), text in summaries.items():
        others = (said for other, said in words.items() if other not in (EVERYONE, audience))
        private = set[str]().union(*others)
        if private.isdisjoint(_telling(text) - words[audience] - allowed):
            kept[audience, person] = text
    return kept


def _words(section: DaySection) -> set[str]:
    """Return all words: a stop word of one language has a meaning in another."""
    return {term for message in section.said for term in analyse.terms(message.text)}


def _telling(text: str) -> set[str]:
    numbers = {term for term in analyse.terms(text) if term.isdecimal()}
    return numbers.union(analyse.query_terms(text))


def public_texts(day: date, instructions: str) -> tuple[str, ...]:
    return instructions, f"{day:%A}", day.isoformat()
