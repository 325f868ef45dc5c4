"""Words that point at the past without saying when: last time, 之前, 지난번. A search that meets them
looks further.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from erstwhile.language import languages
from erstwhile.text.when.folding import fold


@cache
def _pattern() -> re.Pattern[str]:
    """Spaced words stand by themselves; those of other scripts anywhere."""
    known = [each.time for each in languages() if each.time]
    latin = [each for each in known if each.script == "latin"]
    spaced = "|".join(
        re.escape(words).replace(r"\ ", "[ '-]{1,2}") for words in _listed(each.pointing for each in latin)
    )
    unspaced = "|".join(map(re.escape, _listed(each.pointing for each in known if each not in latin)))
    alone = "|".join(each.pointing_alone for each in latin if each.pointing_alone)
    other = "|".join(each.not_pointing for each in known if each.not_pointing)
    return re.compile(f"(?P<other>{other})|(?<![a-z])(?:(?:{spaced})(?![a-z])|{alone})|{unspaced}")


def _listed(words: Iterable[str]) -> list[str]:
    found = {each.strip() for listed in words for each in listed.split(",")} - {""}
    return sorted(found, key=lambda each: (-len(each), each))


def refers_back(query: str) -> str:
    """The first words of `query` that point at the past, as they are written there; "" if none
    do."""
    folded = fold(query)
    for match in _pattern().finditer(folded.text):
        if match["other"] is None:
            start, end = folded.origin(match.start(), match.end())
            return query[start:end]
    return ""
