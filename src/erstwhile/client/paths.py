"""Build URLs. Ids may contain any character; each becomes one path segment."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import quote

from erstwhile.base.clock import micros
from erstwhile.base.errors import InvalidInput


def path(*segments: str) -> str:
    return "/v1/" + "/".join(map(_segment, segments))


def _segment(id: str) -> str:
    # Clients and proxies drop the segments "." and ".." from a path.
    return id.replace(".", "%2E") if id in (".", "..") else _encoded(id)


def _encoded(value: str) -> str:
    try:
        return quote(value, safe="")
    except UnicodeEncodeError as error:
        why = f"The text has half of a surrogate pair at position {error.start}:"
        raise InvalidInput(f"{why} it is not valid Unicode. Replace it.") from None


def query(given: Mapping[str, Any]) -> str:
    """Build the query. None is left out; lists repeat their name."""
    every = [
        (name, each)
        for name, value in given.items()
        for each in (value if isinstance(value, list) else [value])
    ]
    return "&".join(
        f"{name}={_encoded(_written(value))}" for name, value in every if value is not None
    )


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        micros(value)  # refuses a time without a time zone
    return value.isoformat() if isinstance(value, date) else str(value)
