"""A row of the table: what is tried, by which tests, at which size in `make test` and in `make soak`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`full` is what `make soak` runs; "" where `make test` runs all of it. `more` are variables of the environment.

    `pieces` add up to `full`, each in less than an hour. A piece that is one of `tests` runs that one, `test#2` its second
    piece; for others the tests take its name from ERSTWHILE_SOAK_PIECE (`soak/size.py`).
    """

    id: str
    what: str
    tests: tuple[str, ...]
    ci: str = "whole"
    full: str = ""
    more: tuple[tuple[str, str], ...] = ()
    pieces: tuple[str, ...] = ()


def numbered(count: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, count + 1))
