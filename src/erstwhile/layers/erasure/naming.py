"""Find the names of an erased person in recorded questions, feedback and titles of channels.

A name is found in every form: its first name alone, other case or width, other spaces. In Chinese, Japanese
and Korean it is found anywhere, else as a word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from erstwhile.log import people
from erstwhile.storage import Transaction
from erstwhile.tables.model import Erasing
from erstwhile.tables.owner import Texts
from erstwhile.text.labels import folded

_PAGE = 1000


async def names_of(tx: Transaction, person: str) -> list[str]:
    """Return the person's id and all their names."""
    return [person, *await people.all_names(tx, person)]


def pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of these names in a folded text."""
    forms = {form for name in names for form in _forms(folded(name))}
    words = sorted((form for form in forms if not _unspaced(form)), key=len, reverse=True)
    others = sorted((form for form in forms if _unspaced(form)), key=len, reverse=True)
    parts = [rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)"] if words else []
    return re.compile("|".join([*parts, *map(re.escape, others)]) or r"(?!)")


async def find(
    tx: Transaction, searched: Iterable[Texts], named: re.Pattern[str]
) -> dict[str, list[str]]:
    """Return the ids of questions, feedback and channels whose text has a name."""
    found: dict[str, list[str]] = {}
    for texts in searched:
        found[texts.name], last = [], ""
        while rows := await tx.all(texts.page, id=last, limit=_PAGE):
            found[texts.name] += [row["id"] for row in rows if named.search(folded(row["text"]))]
            last = rows[-1]["id"]
    return found


async def erase(tx: Transaction, searched: Sequence[Texts], person: str, erasing: Erasing) -> None:
    """Delete texts that name the person."""
    found = await find(tx, searched, pattern(await names_of(tx, person)))
    for texts in searched:
        ids = found[texts.name]
        for start in range(0, len(ids), _PAGE):
            page = json.dumps(ids[start : start + _PAGE])
            erasing.counts[texts.name] += await tx.run(texts.erase, ids=page)


def _forms(name: str) -> set[str]:
    """Return the name and its words; of a name in Chinese characters or Hangul also what follows the
    family name. A single letter is no name."""
    forms = {name, *name.split()}
    forms |= {form[1:] for form in forms if _unspaced(form) and 3 <= len(form) <= 4}
    return {form for form in forms if len(form) > 1}


def _unspaced(form: str) -> bool:
    """Return whether a name is written without spaces around it."""
    return not form.isascii() and not any(letter.isalpha() and letter < "\u2e80" for letter in form)
