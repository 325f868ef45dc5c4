"""The part of a text where a search matched, in pieces that match and pieces that don't.

The pieces joined are always a part of the text exactly as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

from erstwhile.text import analyse

SHOWN = 260  # characters of a text
_BEFORE = 60  # of these, before the first word found
_LONGEST = 20_000  # characters that are looked through
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_DENSE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u30ff\u3105-\u312f\u3400-\u9fff\ua960-\ud7fb\uf900-\ufad9\uff66-\uffdc]"
)


class SnippetPart(NamedTuple):
    text: str
    found: bool


def pieces(text: str, terms: Collection[str]) -> list[SnippetPart]:
    """Cut a text into pieces. `terms` are as in the index."""
    wanted = frozenset(terms)
    found = list(_joined(_found(text[:_LONGEST], wanted))) if wanted else []
    start = max(0, found[0][0] - _BEFORE) if found and found[0][1] > SHOWN else 0
    end = min(len(text), start + SHOWN)
    made: list[SnippetPart] = [SnippetPart("… ", False)] if start else []
    at = start
    for first, last in found:
        if last > end:
            break
        made += [SnippetPart(text[at:first], False), SnippetPart(text[first:last], True)]
        at = last
    made.append(SnippetPart(text[at:end], False))
    if end < len(text):
        made.append(SnippetPart(" …", False))
    return [piece for piece in made if piece.text]


def _found(text: str, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    for match in _WORD.finditer(text):
        word, first = match[0], match.start()
        if _DENSE.search(word):
            yield from _pairs(word, first, wanted)
        elif wanted.intersection(analyse.terms(word)):
            yield first, match.end()


def _pairs(run: str, first: int, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    """In scripts without spaces two characters in a row are a term; one where it is alone."""
    if len(run) == 1 and wanted.intersection(analyse.terms(run)):
        yield first, first + 1
    for at, (left, right) in enumerate(pairwise(run), start=first):
        if wanted.intersection(analyse.terms(left + right)):
            yield at, at + 2


def _joined(found: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join matches that touch each other."""
    held: tuple[int, int] | None = None
    for first, last in found:
        if held is not None and first <= held[1]:
            held = (held[0], max(held[1], last))
            continue
        if held is not None:
            yield held
        held = (first, last)
    if held is not None:
        yield held
