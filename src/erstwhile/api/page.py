"""Pages. Every list comes in pages of at most `limit` items; `next` is the cursor of the page that follows.

A cursor holds a place, not a number of rows to skip: what is added meanwhile shifts nothing, and nothing is read twice or passed over. What
it says may change with the version.
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
    """The items of one page. `next` is the cursor of the page that follows, None on the last one; `total` is how many items there are on
    all pages, where that is known."""

    def __init__(self, items: Iterable[T] = (), next: str | None = None, total: int | None = None) -> None:
        super().__init__(items)
        self.next, self.total = next, total


async def every(verb: Callable[..., Awaitable[Page[T]]], **given: Any) -> list[T]:
    """All items of a list, page by page."""
    page = await verb(**given, limit=MOST)
    found = list(page)
    while page and (page.next is not None or len(found) < (page.total or 0)):
        place: dict[str, Any] = {"offset": len(found)} if page.next is None else {"cursor": page.next}
        page = await verb(**given, **place, limit=MOST)
        found += page
    return found


def cut(found: list[T], limit: int, place: Callable[[T], str]) -> Page[T]:
    """A page of what was read with one item more than `limit`."""
    shown = found[:limit]
    return Page(shown, place(shown[-1]) if len(found) > limit else None)


def cut_at(found: list[T], cursor: str | None, limit: int) -> Page[T]:
    """A page of a list that has no places, by number: what was read has to be `reach` long."""
    start = int(cursor or 0)
    return Page(found[start : start + limit], str(start + limit) if len(found) > start + limit else None)


def reach(cursor: str | None, limit: int) -> int:
    """How far such a list has to be read."""
    return int(cursor or 0) + limit + 1


def encode(place: str, listing: object) -> str:
    """The cursor to go on after `place`; `listing` is everything that says which list it is, filters too."""
    said = json.dumps([_VERSION, _mark(listing), place], separators=(",", ":"))
    return base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")


def decode(cursor: str, listing: object) -> str:
    """The place to go on after. A cursor of another list, of another version, or one that was never ours is refused."""
    if len(cursor) > _LONGEST:
        raise _unknown("It is too long.")
    try:
        said = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise _unknown("It is not one of ours.") from None
    match said:
        case [int(version), str(mark), str(place)]:
            if version != _VERSION:
                raise _unknown("It comes from another version.")
            if mark != _mark(listing):
                raise _unknown("It belongs to another list, or to other filters.")
            return place
    raise _unknown("It is not one of ours.")


def _mark(listing: object) -> str:
    return hashlib.sha256(json.dumps(listing, default=str).encode()).hexdigest()[:12]


def _unknown(why: str) -> InvalidInput:
    return InvalidInput(f"Unknown cursor. {why} Take `next` of the page before, or start from the first page.")
