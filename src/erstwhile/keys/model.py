"""A key is `er_<id>_<secret>`. The id is public: it names the key in lists and logs.

Only the SHA-256 of the secret is stored, which is enough for 256 random bits. The key is shown
once.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import datetime, timedelta

from erstwhile.base import clock, ids
from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass

KEY = re.compile(r"er_([0-9a-z]{12})_([A-Za-z0-9_-]{43})")

_SPAN = re.compile(r"(\d{1,5})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class Key:
    """`space` None means every space: an admin key."""

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
    """With the key itself, shown once."""

    key: str


def generate() -> tuple[str, str]:
    """Return a new id and secret."""
    return ids.short(), secrets.token_urlsafe(32)


def format_key(id: str, secret: str) -> str:
    return f"er_{id}_{secret}"


def parse_key(text: str) -> tuple[str, str] | None:
    """Return the id and the secret, or None if this is no key."""
    found = KEY.fullmatch(text)
    return (found[1], found[2]) if found else None


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def parse_expiry(expires: datetime | str | None, now: datetime) -> datetime | None:
    """Return when a key expires: a time, or a span from now such as 30d."""
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
                f"{expires!r} is not a valid expiry. Use 30d, 12h, or a time like 2027-01-01T00:00:00+00:00."
            ) from None
    if end <= now:
        raise InvalidInput(f"The expiry {end.isoformat()} is in the past. Give a later time.")
    return end


@dataclass(frozen=True, slots=True)
class Session:
    """`key` is the id of the key that was used, "" for the terminal; `space` None means every
    space. With a `person` it shows only what is known about them."""

    key: str = ""
    space: str | None = None
    person: str | None = None
