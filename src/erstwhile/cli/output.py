"""Printing. Rich is imported only when something is really to be drawn."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from erstwhile.base import ids
from erstwhile.base.records import dataclass
from erstwhile.cli.table import lines, wrap

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from erstwhile.api.page import Page


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


def plain(value: Any) -> Any:
    """Turn dataclasses and times into what JSON knows."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(each) for each in value]
    return value


def print_json(value: Any) -> None:
    sys.stdout.write(
        json.dumps(plain(value), ensure_ascii=False, indent=2 if sys.stdout.isatty() else None)
        + "\n"
    )


def print_result(data: Any, shown: Shown, *, json: bool) -> None:
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


def note_more(page: Page[Any]) -> None:
    if page.next is not None:
        note(f"There are more: --cursor {page.next}")


def progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in the width of the terminal."""
    header, *rest = lines(columns, rows, shutil.get_terminal_size().columns)
    bold = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    sys.stdout.write("\n".join([f"\x1b[1m{header}\x1b[0m" if bold else header, *rest]) + "\n")


def paragraph(text: str, mark: str) -> None:
    """Print a text after a mark, in the width of the terminal; the lines below start where it does."""
    indent = " " * len(mark)
    lines_of_text = wrap(text, shutil.get_terminal_size().columns - len(mark))
    sys.stdout.write(
        "".join(f"{indent if n else mark}{line}\n" for n, line in enumerate(lines_of_text))
    )


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
