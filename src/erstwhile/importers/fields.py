"""Read fields of JSON that may hold anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

_LONGEST_NAME: Final = 200
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FURTHEST: Final = 253_402_300_799  # the last second of the year 9999
_NONE: Final[Mapping[str, Any]] = {}


def text(value: object) -> str:
    """Return the text, or "" for anything else."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NONE


def items(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def mappings(value: object) -> list[Mapping[str, Any]]:
    return [each for each in items(value) if isinstance(each, dict)]


def name(*values: object) -> str | None:
    """Return the first usable name, on one line."""
    for value in values:
        words = " ".join(text(value).split())
        if words:
            return words[:_LONGEST_NAME]
    return None


def identity(value: object) -> str:
    """Return an id as text; some are numbers. "" if it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**30 else ""
    return text(value).strip()


def seconds(value: object) -> datetime | None:
    """Parse seconds since 1970, a number or text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        since = float(value)
    except (ValueError, OverflowError):
        return None
    if not 0 < since < _FURTHEST:  # no chat is older than 1970; excludes NaN too
        return None
    return _EPOCH + timedelta(seconds=since)


def iso(value: object) -> datetime | None:
    """Parse an ISO time; without a zone it is UTC."""
    try:
        at = datetime.fromisoformat(text(value))
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def file(name: str) -> str:
    """Return the line for an attached file. Line breaks in its name are removed."""
    shown = " ".join(name.split())[:_LONGEST_NAME]
    return f"[file: {shown}]" if shown else "[file]"


def filled(**values: object) -> dict[str, Any]:
    """Return the values that are not empty."""
    return {name: value for name, value in values.items() if value}
