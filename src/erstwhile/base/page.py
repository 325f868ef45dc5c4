"""Pages of lists: at most `limit` items, and `next`, the cursor of the following page.

A cursor holds the position of the last item, so items added meanwhile cause neither duplicates nor
gaps. In a list whose order changes, such as one by activity, it holds a number of items. Its format
may change with the version.
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
_DIGITS = 15


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
    found: list[T] = []
    cursor: str | None = None
    while True:
        page = await verb(**given, limit=MOST, cursor=cursor)
        found += page
        if page.next is None:
            return found
        cursor = page.next


def cut(found: list[T], limit: int, place: Callable[[T], str]) -> Page[T]:
    """Make a page from `limit` + 1 items that were read."""
    shown = found[:limit]
    return Page(shown, place(shown[-1]) if len(found) > limit else None)


def cut_at(found: list[T], start: int, limit: int, total: int | None = None) -> Page[T]:
    """Make a page by number, from what was read from `start` on: `limit` items and, where the total
    is not known, one more."""
    end = start + limit
    more = len(found) > limit if total is None else total > end
    return Page(found[:limit], str(end) if more else None, total)


def cut_latest(found: list[T], start: int, limit: int) -> Page[T]:
    """Make a page, in order, of a list that is read from its end. `found` are the latest
    `start + limit + 1`, in order."""
    page = cut_at(found[::-1][start:], start, limit)
    page.reverse()
    return page


def number(cursor: str | None) -> int:
    """Return where a page by number starts."""
    if cursor is None:
        return 0
    if not (cursor.isdecimal() and len(cursor) <= _DIGITS):
        raise _unknown("It is not a cursor.")
    return int(cursor)


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
