"""Analyse a question: its words, the people it names, the time it mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.language import languages
from erstwhile.log import store as log
from erstwhile.storage import Transaction
from erstwhile.text import analyse

_TERMS = 64  # of a very long question, the first
_FEW = 3  # terms that are looked for, not asked about
_LONGEST = 2000  # characters that its meaning is read from
_AFTERWARDS = 7 * 86_400 * 1_000_000  # people tell of a day for about a week


@dataclass(frozen=True, slots=True)
class Question:
    """`plain` is the text without the names, which help to find by words and harm finding by meaning. `asks`: it is a
    question, whose answer may be beside its words; one or two words are only searched themselves."""

    text: str
    terms: tuple[str, ...]
    names: frozenset[str]
    people: tuple[str, ...]
    plain: str
    spans: tuple[tuple[int | None, int | None], ...]
    when: str
    back: str
    asks: bool


async def understand(
    tx: Transaction, text: str, now: datetime, asker: str | None = None
) -> tuple[Question, frozenset[str]]:
    """Analyse a question, and return the blocked people too. "Where do I live?" is about the `asker`, unless it names
    someone."""
    from erstwhile.text import when  # its tables of seven languages are only read by whoever asks

    text = text.replace("\0", " ").encode("utf-8", "replace").decode()  # what no database takes
    named, blocked = await log.people_in(tx, text)
    if not named and asker is not None and _asker().search(text):
        named = [(asker, await log.name_of(tx, asker))]
        text = f"{text} {named[0][1]}"
    terms = analyse.query_terms(text)[:_TERMS]
    spans = when.spans(text, now)
    question = Question(
        text=text,
        terms=tuple(terms),
        names=frozenset(term for _, name in named for term in analyse.terms(name)),
        people=tuple(dict.fromkeys(person for person, _ in named)),
        plain=_without(text[:_LONGEST], [name for _, name in named]),
        spans=tuple((_micros(each.first), _later(each.last)) for each in spans),
        when=", ".join(each.text for each in spans),
        back=when.refers_back(text),
        asks=len(terms) > _FEW or text.rstrip().endswith(("?", "？")),
    )
    return question, blocked


@cache
def _asker() -> re.Pattern[str]:
    """Return a pattern of the words by which an asker means themselves."""
    known = [each.pronouns.asker for each in languages() if each.pronouns]
    return re.compile("|".join(filter(None, known)), re.IGNORECASE)


def _without(text: str, names: Sequence[str]) -> str:
    for name in names:
        text = re.sub(rf"{re.escape(name)}(?:['’]s)?", " ", text, flags=re.IGNORECASE)
    return " ".join(text.split())


def _micros(at: datetime | None) -> int | None:
    return None if at is None else micros(at)


def _later(at: datetime | None) -> int | None:
    return None if at is None else micros(at) + _AFTERWARDS
