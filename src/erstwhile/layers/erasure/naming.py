"""Find the names of an erased person in recorded questions, feedback and titles of channels.

A name is found in every form: its first name alone, other case or width, other spaces. In Chinese, Japanese
and Korean it is found anywhere, else as a word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from erstwhile.layers.erasure.listing import queries
from erstwhile.storage import Transaction, column
from erstwhile.storage.queries import Query
from erstwhile.text.labels import folded

_PAGE = 1000
_SEARCHED = {
    "requests": queries.requests_after,
    "complaints": queries.complaints_after,
    "titles": queries.titles_after,
}


async def names_of(tx: Transaction, person: str) -> list[str]:
    """Return the person's id and all their names."""
    return [person, *await column(tx, queries.names, person=person)]


def pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of these names in a folded text."""
    forms = {form for name in names for form in _forms(folded(name))}
    words = sorted((form for form in forms if not _unspaced(form)), key=len, reverse=True)
    others = sorted((form for form in forms if _unspaced(form)), key=len, reverse=True)
    parts = [rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)"] if words else []
    return re.compile("|".join([*parts, *map(re.escape, others)]) or r"(?!)")


async def find(tx: Transaction, named: re.Pattern[str]) -> dict[str, list[str]]:
    """Return the ids of questions, feedback and channels whose text has a name."""
    found: dict[str, list[str]] = {}
    for what, query in _SEARCHED.items():
        found[what], last = [], ""
        while rows := await tx.all(query, id=last, limit=_PAGE):
            found[what] += [row["id"] for row in rows if named.search(folded(row["text"]))]
            last = rows[-1]["id"]
    return found


async def drop(tx: Transaction, query: Query, ids: Sequence[str]) -> int:
    pages = [ids[start : start + _PAGE] for start in range(0, len(ids), _PAGE)]
    return sum([await tx.run(query, ids=json.dumps(page)) for page in pages])


def _forms(name: str) -> set[str]:
    """Return the name and its words; of a name in Chinese characters or Hangul also what follows the
    family name. A single letter is no name."""
    forms = {name, *name.split()}
    forms |= {form[1:] for form in forms if _unspaced(form) and 3 <= len(form) <= 4}
    return {form for form in forms if len(form) > 1}


def _unspaced(form: str) -> bool:
    """Return whether a name is written without spaces around it."""
    return not form.isascii() and not any(letter.isalpha() and letter < "\u2e80" for letter in form)
