"""At which size tests run: small ones in `make test`; in `make soak` the full size, or a piece of it."""

from __future__ import annotations

import os
from pathlib import Path

SOAK = bool(os.environ.get("ERSTWHILE_SOAK"))
PIECE = os.environ.get("ERSTWHILE_SOAK_PIECE", "")
NUMBER = int(PIECE) if PIECE.isdecimal() else 1  # of a piece that has only a number: pieces differ by their seeds


def measured(figure: str) -> None:
    """Print a figure; a soak keeps it with the result of the row."""
    print(figure)
    place = os.environ.get("ERSTWHILE_SOAK_FIGURES")
    if place:
        with Path(place).open("a") as file:
            file.write(f"{figure}\n")
