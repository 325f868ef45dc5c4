"""Pages. A cursor is where a reader has got to in one list; what it says is our own affair, so it can change with the version.

It holds a place, not a number of rows to skip: what is added meanwhile shifts nothing, and nothing is read twice or passed over.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json

from erstwhile.http.problems import Problem

_VERSION = 1
_LONGEST = 2_000


def cursor(place: str | int, *listing: object) -> str:
    """For going on after `place` in a list; `listing` is everything that says which list it is, filters too."""
    told = json.dumps([_VERSION, _mark(listing), place], separators=(",", ":"))
    return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")


def place(cursor: str, *listing: object) -> str | int:
    """Where to go on. A cursor of another list, of another version, or one that was never ours is refused."""
    if len(cursor) > _LONGEST:
        raise _wrong("It is too long.")
    try:
        told = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise _wrong("It is not one of ours.") from None
    match told:
        case [int(version), str(mark), str() | int() as place] if not isinstance(place, bool):
            if version != _VERSION:
                raise _wrong("It comes from another version of the server.")
            if mark != _mark(listing):
                raise _wrong("It belongs to another list, or to other filters.")
            return place
    raise _wrong("It is not one of ours.")


def _mark(listing: tuple[object, ...]) -> str:
    return hashlib.sha256(json.dumps(listing).encode()).hexdigest()[:12]


def _wrong(why: str) -> Problem:
    return Problem(422, f"The cursor can't be used. {why} Take `next` of the page before, or begin without a cursor.")
