"""Many cases in one test: they share a database, and the one that fails is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(*what: object) -> Iterator[None]:
    """Add the case to whatever goes wrong in it."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the case {', '.join(repr(each)[:200] for each in what)}")
        raise
