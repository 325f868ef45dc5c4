"""Find the nouns of a sentence in a script that writes no spaces between words or no capitals, by patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from erstwhile import language
from erstwhile.language.time import TokenKind

_SHORTEST = 2  # characters


def knows(code: str) -> bool:
    """Return whether nouns of a language are found by patterns."""
    return _patterns(code) is not None


def runs(sentence: str, code: str) -> Iterator[str]:
    """Yield the nouns of a sentence, each with what belongs to it; nothing in other languages."""
    patterns = _patterns(code)
    if patterns is None:
        return
    found, idle = patterns
    for match in found.finditer(idle.sub("、", sentence)):
        if len(match[0]) >= _SHORTEST:
            yield match[0]


@cache
def _patterns(code: str) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    known = language.of(code) if code in language.codes() else None
    if known is None or known.nouns is None or not known.nouns.runs:
        return None
    words = known.time.words if known.time else {}
    times = (
        word for word, (kind, _) in words.items() if kind is not TokenKind.UNKNOWN and len(word) > 1
    )
    listed = sorted(map(re.escape, times), key=len, reverse=True)
    idle = "|".join([*listed, known.nouns.idle])
    return re.compile(known.nouns.runs), re.compile(idle)
