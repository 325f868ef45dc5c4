"""A key is `er_<id>_<secret>`. The id is no secret: it names the key in lists and logs. Of the secret only its SHA-256 is kept, which is
enough for 256 random bits; the key itself is shown once, when it is made."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from erstwhile.base import clock, ids
from erstwhile.base.errors import InvalidInput

KEY = re.compile(r"er_([0-9a-z]{12})_([A-Za-z0-9_-]{43})")

_SPAN = re.compile(r"(\d{1,5})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class Key:
    """`space` None is every space: an admin key."""

    id: str
    space: str | None
    name: str
    read_only: bool
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewKey(Key):
    """With the key itself, this once."""

    key: str


def mint() -> tuple[str, str]:
    """A new id and secret."""
    return ids.short(), secrets.token_urlsafe(32)


def written(id: str, secret: str) -> str:
    return f"er_{id}_{secret}"


def read(text: str) -> tuple[str, str] | None:
    """The id and the secret, if this is a key at all."""
    found = KEY.fullmatch(text)
    return (found[1], found[2]) if found else None


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def until(expires: datetime | str | None, now: datetime) -> datetime | None:
    """When a key ends: a moment, or a span from now such as 30d."""
    if expires is None:
        return None
    if isinstance(expires, datetime):
        clock.micros(expires)  # refuses a time without a zone
        end = expires
    elif span := _SPAN.fullmatch(expires.strip()):
        end = now + timedelta(**{_UNITS[span[2]]: int(span[1])})
    else:
        try:
            end = clock.parse(expires.strip())
        except InvalidInput:
            raise InvalidInput(
                f"{expires!r} is no end for a key. Write 30d, 12h, or a time like 2027-01-01T00:00:00+00:00."
            ) from None
    if end <= now:
        raise InvalidInput(f"A key that ends at {end.isoformat()} would be of no use: that is past.")
    return end
