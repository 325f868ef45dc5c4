"""Printing. Rich is imported only when something is really to be drawn."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from erstwhile.base import ids
from erstwhile.base.page import Page
from erstwhile.base.records import dataclass

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table: its columns, its rows, and what is said where there are none."""

    columns: str
    rows: Iterable[Sequence[object]]
    empty: str = ""

    @classmethod
    def of(
        cls, found: Iterable[Any], columns: str, empty: str = "", **cells: Callable[[Any], object]
    ) -> TableRows:
        """Name the attributes to show: "id, date=at" shows `at` under another heading. `cells` make
        what no attribute is."""
        named = {
            heading: attribute or heading
            for heading, _, attribute in (each.partition("=") for each in columns.split(", "))
        }
        shown = [(each, cells.get(name) or attrgetter(name)) for each, name in named.items()]
        rows = ([_cell(heading, get(item)) for heading, get in shown] for item in found)
        return cls(", ".join(named), rows, empty)


def _cell(heading: str, value: object) -> object:
    """Format a cell. A time in UTC is shown whole, any other as its day."""
    match value:
        case None | False:
            return ""
        case True:
            return "yes"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M}" if heading.endswith("(UTC)") else f"{value:%Y-%m-%d}"
        case tuple() | list():
            return ", ".join(map(str, value))
        case str() if heading == "id":
            return ids.abbreviated(value)
    return value


Shown = str | TableRows | Callable[[], None]  # a note on stderr, a table, or a function that prints
Result = tuple[Any, Shown]  # what --json prints, and what is shown without it


def _plain(value: Any) -> Any:
    """Turn what JSON doesn't know into what it knows."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    return dict(value) if isinstance(value, Mapping) else list(value)


def print_json(value: Any) -> None:
    indent = 2 if sys.stdout.isatty() else None
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=indent, default=_plain) + "\n")


def print_result(data: Any, shown: Shown, *, json: bool) -> None:
    if isinstance(data, Page) and data.next is not None:
        note(f"There are more: --cursor {data.next}")
    if json:
        print_json(data)
    elif isinstance(shown, str):
        note(shown)
    elif isinstance(shown, TableRows):
        rows = list(shown.rows)
        note(shown.empty) if shown.empty and not rows else table(shown.columns.split(", "), rows)
    else:
        shown()


def console() -> Console:
    from rich.console import Console

    return Console(highlight=False)


def note(text: str) -> None:
    sys.stderr.write(text + "\n")


def progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    return Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in the width of the terminal."""
    header, *rest = lines(columns, rows, shutil.get_terminal_size().columns)
    bold = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    sys.stdout.write("\n".join([f"\x1b[1m{header}\x1b[0m" if bold else header, *rest]) + "\n")


def paragraph(text: str, mark: str) -> None:
    """Print a text after a mark, in the width of the terminal; the lines below start where it does."""
    indent = " " * len(mark)
    for number, line in enumerate(wrap(text, shutil.get_terminal_size().columns - len(mark))):
        sys.stdout.write(f"{indent if number else mark}{line}\n")


_PLURALS = {"person": "people", "memory": "memories", "reply": "replies", "index": "indexes"}


def counted(count: int, what: str) -> str:
    """Write a number with its noun: "1 message", "2,000 messages", "no people"."""
    return f"{count:,} {what if count == 1 else _PLURALS.get(what, f'{what}s')}"


def local_time(at: float) -> str:
    """Write a file's time as people here read it."""
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")


def cut(text: str, length: int) -> str:
    """Return a text as one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


class RowProgress:
    """Print on stderr how many rows are done, if it is a terminal."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._at = time.monotonic()

    def __call__(self, table: str, rows: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - self._at > 1:
            self._at = time.monotonic()
            note(f"{self._doing}: {table}, {rows:,} rows")


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
