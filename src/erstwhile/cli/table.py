"""Lay out a table in the width of the terminal. Rich does so too, but takes 46 modules for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

_GAP = 2
_INDENT = 4
_READABLE = 40  # columns of the terminal; in fewer, a long text is a tower of single words
# A terminal would obey them. A line break stays, a tab becomes a space.
_CONTROLS = dict.fromkeys([*range(10), *range(11, 32), *range(127, 160)]) | {9: " "}


def lines(columns: Sequence[str], rows: Sequence[Sequence[object]], width: int) -> Iterator[str]:
    """Return the header and the rows as lines. Long cells are wrapped; an id is never broken.

    A last column that would be too narrow for its texts is below its row instead.
    """
    texts = [list(columns), *([str(cell).translate(_CONTROLS) for cell in row] for row in rows)]
    widths = _widths(columns, texts, width - _GAP * (len(columns) - 1))
    below = len(columns) > 1 and widths[-1] < min(_READABLE, _longest(texts, len(columns) - 1))
    if below:
        widths = _widths(columns[:-1], texts, width - _GAP * (len(columns) - 2))
    for row in texts:
        shown = row[:-1] if below else row
        wrapped = [wrap(cell, at_most) for cell, at_most in zip(shown, widths, strict=True)]
        for number in range(max(map(len, wrapped))):
            pieces = [cell[number] if number < len(cell) else "" for cell in wrapped]
            padded = (
                piece + " " * (size - _cells(piece))
                for piece, size in zip(pieces, widths, strict=True)
            )
            yield (" " * _GAP).join(padded).rstrip()
        if below and row[-1]:
            yield from (" " * _INDENT + line for line in wrap(row[-1], width - _INDENT))


def _widths(columns: Sequence[str], texts: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the width of each column: its widest line. If that is too much, the widest columns shrink."""
    longest = [_longest(texts, at) for at in range(len(columns))]
    widths = [min(size, max(room, 1)) for size in longest]
    may_shrink = [at for at, column in enumerate(columns) if column != "id"]
    while sum(widths) > room and may_shrink:
        widest = max(may_shrink, key=widths.__getitem__)
        if widths[widest] <= 2:  # one character of Chinese
            break
        widths[widest] -= 1
    return [longest[at] if column == "id" else widths[at] for at, column in enumerate(columns)]


def _longest(texts: Sequence[Sequence[str]], at: int) -> int:
    return max(_cells(line) for row in texts for line in row[at].splitlines() or [""])


def wrap(text: str, width: int) -> list[str]:
    """Break a text between words, and a word that is too long anywhere."""
    made: list[str] = []
    for line in text.splitlines():
        start = len(made)
        for word in line.split(" "):
            if len(made) > start and _cells(made[-1]) + 1 + _cells(word) <= width:
                made[-1] += f" {word}"
            else:
                made += _broken(word, width)
    return made or [""]


def _broken(word: str, width: int) -> list[str]:
    pieces, used = [""], 0
    for character in word:
        size = _cells(character)
        if used + size > width and pieces[-1]:
            pieces.append("")
            used = 0
        pieces[-1] += character
        used += size
    return pieces


def _cells(text: str) -> int:
    """Return how many columns of a terminal a text takes: a Chinese, Japanese or Korean character takes two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text
    )
