"""A query as the grammar reads it: composed, lower case, Latin letters without their accents,
nothing invisible; and where each character of that came from.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from erstwhile.base.records import dataclass

LONGEST: Final = 2_000
# More marks than any language puts on a letter; ordering them all would take quadratic time.
_MARKS: Final = 4
_LATIN_END: Final = "\u024f"


@dataclass(frozen=True, slots=True)
class FoldedText:
    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the query that `text[start:end]` was made from."""
        return self.starts[start], self.ends[end - 1]


@lru_cache(maxsize=64)  # the same question is read for its times and for words that point back
def fold(query: str) -> FoldedText:
    query = query[:LONGEST]
    if query.isascii():
        return FoldedText(query.lower(), range(len(query)), range(1, len(query) + 1))
    text: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(query):
        end = _cluster_end(query, at)
        plain = _plain(query[at : min(end, at + 1 + _MARKS)])
        text.append(plain)
        starts.extend([at] * len(plain))
        ends.extend([end] * len(plain))
        at = end
    return FoldedText("".join(text), tuple(starts), tuple(ends))


def _cluster_end(query: str, at: int) -> int:
    """Past a character and what belongs on it: marks, and the vowel and final of a Hangul syllable
    in pieces."""
    at += 1
    while at < len(query) and query[at] > _LATIN_END:
        if not unicodedata.combining(query[at]) and not _joins(query[at]):
            break
        at += 1
    return at


def _joins(character: str) -> bool:
    return "\u1161" <= character <= "\u1175" or "\u11a8" <= character <= "\u11c2"


def _plain(cluster: str) -> str:
    if cluster.isascii():
        return cluster.lower()
    cluster = unicodedata.normalize("NFKC", cluster).lower()
    if cluster[:1] <= _LATIN_END or "\u1e00" <= cluster[:1] <= "\u1eff":
        cluster = unicodedata.normalize("NFD", cluster)
        cluster = "".join(each for each in cluster if not unicodedata.combining(each))
    cluster = cluster.replace("\u2019", "'").replace("\u02bc", "'")
    return "".join(each for each in cluster if unicodedata.category(each) != "Cf")
