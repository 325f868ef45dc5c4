"""Pages of lists: at most `limit` items, and `next`, the cursor of the following page.

A cursor holds a position, not a number of rows to skip, so items added meanwhile cause neither
duplicates nor gaps. Its format may change with the version.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from erstwhile.base.errors import InvalidInput

T = TypeVar("T")
DEFAULT = 100  # items of a page, in every list
MOST = 1000
_VERSION = 1
_LONGEST = 2_000


class Page(list[T]):
    """The items of one page. `next` is the cursor of the following page, None on the last one.
    `total` is the number of items on all pages, if known."""

    def __init__(
        self, items: Iterable[T] = (), next: str | None = None, total: int | None = None
    ) -> None:
        super().__init__(items)
        self.next, self.total = next, total


async def every(verb: Callable[..., Awaitable[Page[T]]], **given: Any) -> list[T]:
    """Read all items of a list, page by page."""
    page = await verb(**given, limit=MOST)
    found = list(page)
    while page and (page.next is not None or len(found) < (page.total or 0)):
        given |= {"offset": len(found)} if page.next is None else {"cursor": page.next}
        page = await verb(**given, limit=MOST)
        found += page
    return found


def cut(found: list[T], limit: int, place: Callable[[T], str]) -> Page[T]:
    """Make a page from `limit` + 1 items that were read."""
    shown = found[:limit]
    return Page(shown, place(shown[-1]) if len(found) > limit else None)


def cut_at(found: list[T], cursor: str | None, limit: int) -> Page[T]:
    """Make a page by number, for a list without positions. `found` was read up to `reach`."""
    start = int(cursor or 0)
    end = start + limit
    return Page(found[start:end], str(end) if len(found) > end else None)


def reach(cursor: str | None, limit: int) -> int:
    """Return how many items `cut_at` needs."""
    return int(cursor or 0) + limit + 1


def encode(place: str, listing: object) -> str:
    """Encode the cursor after `place`. `listing` identifies the list with its filters."""
    said = json.dumps([_VERSION, _mark(listing), place], separators=(",", ":"))
    return base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")


def decode(cursor: str, listing: object) -> str:
    """Decode the position in a cursor. A cursor of another list or version is refused."""
    if len(cursor) > _LONGEST:
        raise _unknown("It is too long.")
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        said = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise _unknown("It is not a cursor.") from None
    match said:
        case [int(version), str(mark), str(place)]:
            if version != _VERSION:
                raise _unknown("It comes from another version.")
            if mark != _mark(listing):
                raise _unknown("It belongs to another list, or to other filters.")
            return place
    raise _unknown("It is not a cursor.")


def _mark(listing: object) -> str:
    return hashlib.sha256(json.dumps(listing, default=str).encode()).hexdigest()[:12]


def _unknown(why: str) -> InvalidInput:
    advice = "Take `next` of the page before, or start from the first page."
    return InvalidInput(f"Unknown cursor. {why} {advice}")
