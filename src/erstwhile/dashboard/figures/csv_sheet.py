"""CSV that a spreadsheet opens as text and numbers, never as formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

Cell = str | int | float | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for more than text, standing first


def written(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    out = io.StringIO()
    sheet = csv.writer(out)
    sheet.writerow([_inert(cell) for cell in header])
    sheet.writerows([[_inert(cell) for cell in row] for row in rows])
    return out.getvalue()


def _inert(cell: Cell) -> Cell:
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return f"'{cell}"
    return cell
