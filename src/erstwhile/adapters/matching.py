"""Filters over values and patterns over namespaces for LangGraph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda have, want: have == want,
    "$ne": lambda have, want: have != want,
    "$gt": lambda have, want: float(have) > float(want),
    "$gte": lambda have, want: float(have) >= float(want),
    "$lt": lambda have, want: float(have) < float(want),
    "$lte": lambda have, want: float(have) <= float(want),
}


def fits(have: Any, want: Any) -> bool:
    """Match a value against operators that must all hold, a dict of such filters, a list of the
    same length, or a value."""
    if isinstance(want, Mapping) and any(name.startswith("$") for name in want):
        return all(_holds(have, operator, value) for operator, value in want.items())
    if isinstance(want, Mapping):
        return isinstance(have, Mapping) and all(fits(have.get(name), value) for name, value in want.items())
    if isinstance(want, list | tuple):
        alike = isinstance(have, list | tuple) and len(have) == len(want)
        return alike and all(fits(one, other) for one, other in zip(have, want, strict=True))
    return bool(have == want)


def _holds(have: Any, operator: str, want: Any) -> bool:
    known = _OPERATORS.get(operator)
    if known is None:
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        return known(have, want)
    except (TypeError, ValueError):  # only numbers compare
        return False


def under(namespace: Sequence[str], match: str, path: Sequence[str]) -> bool:
    """Whether a namespace begins (`prefix`) or ends (`suffix`) with the path, where `*` matches any
    part."""
    if match not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {match}")
    if len(namespace) < len(path):
        return False
    pieces = namespace[: len(path)] if match == "prefix" else namespace[len(namespace) - len(path) :]
    return all(want in ("*", have) for have, want in zip(pieces, path, strict=True))
