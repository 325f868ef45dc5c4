"""Keys and daily limits in the database."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any, Final

from erstwhile.base.clock import Clock, micros
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.base.records import from_row
from erstwhile.keys import model
from erstwhile.keys.model import Key, NewKey, Session
from erstwhile.log import check
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction
from erstwhile.storage.queries import Query, load

queries = load(__package__)

Expiry = datetime | str | None
_MOST_NAME = 200
_USED = timedelta(minutes=1)


async def close(tx: Transaction, now: datetime) -> int:
    """Close all keys of a space that is erased. Return how many."""
    return await tx.run(queries.close_keys, now=micros(now))


class KeyStore:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self.now = database, clock

    async def create(
        self, space: str | None, name: str, *, read_only: bool = False, expires: Expiry = None
    ) -> NewKey:
        now = self.now()
        name, end = _name(name), model.parse_expiry(expires, now)
        id, secret = model.generate()
        row: dict[str, Any] = {"id": id, "name": name, "digest": model.digest(secret)}
        row |= {"read_only": int(read_only), "now": micros(now)}
        row |= {"expires_at": None if end is None else micros(end)}
        await self._write(space, queries.insert_key, **row)
        key = model.format_key(id, secret)
        return NewKey(id, space, name, read_only, now, end, None, None, key)

    async def listed(self, space: str | None) -> list[Key]:
        """Return the keys of a space, or all."""
        query = queries.all_keys if space is None else queries.keys_of
        rows = await self._database.read(space or EVERYWHERE, lambda tx: tx.all(query))
        return [_key(row) for row in rows]

    async def revoke(self, id: str, space: str | None) -> None:
        """Revoke a key for good."""
        query = queries.revoke_any_key if space is None else queries.revoke_key
        if not await self._write(space, query, id=id, now=micros(self.now())):
            raise NotFound(f"There is no key {id!r}. `erstwhile keys list` shows them.")

    # For the server's authentication

    async def any(self) -> bool:
        """Return whether a key was ever created."""
        found = await self._database.read(EVERYWHERE, lambda tx: tx.first(queries.any_key))
        return found is not None

    async def find(self, id: str) -> tuple[Key, str] | None:
        """Return the key and the digest of its secret."""
        row = await self._database.read(EVERYWHERE, lambda tx: tx.first(queries.key_by_id, id=id))
        return None if row is None else (_key(row), str(row["digest"]))

    async def used(self, id: str) -> None:
        now = self.now()
        times = {"now": micros(now), "before": micros(now - _USED)}
        await self._write(None, queries.key_was_used, id=id, **times)

    async def _write(self, space: str | None, query: Query, **row: Any) -> int:
        return await self._database.write(space or EVERYWHERE, lambda tx: tx.run(query, **row))

    async def spend(self, space: str, tokens: int, most: int) -> bool:
        """Count tokens against the day's limit of the space (UTC). Return False, and count nothing,
        if it would be exceeded."""
        day = self.now().strftime("%Y-%m-%d")

        async def unit(tx: Transaction) -> bool:
            row = await tx.first(queries.spend, day=day, tokens=tokens, most=most)
            if row is not None and row["tokens"] == tokens:  # the first of the day
                await tx.run(queries.forget_spent, day=day)
            return row is not None

        return await self._database.write(space, unit)


def _name(name: str) -> str:
    name = name.strip()
    if name:
        check.identifier("name", name)
    if len(name) > _MOST_NAME:
        raise InvalidInput(f"The name of a key has at most {_MOST_NAME} characters.")
    return name


def _key(row: Row) -> Key:
    return from_row(Key, row, space=row["space"] or None)


_LINK: Final = "link"
_SESSION: Final = "session"
_LASTS = timedelta(days=7)


class Sessions:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._now = database, clock

    async def begin(self, session: Session) -> str:
        """Start a session and return its token."""
        return await self._begin(session, _SESSION, _LASTS)

    async def link(self, session: Session, lasts: timedelta) -> str:
        """Return a token that starts a session once."""
        return await self._begin(session, _LINK, lasts)

    async def follow(self, token: str) -> str | None:
        """Start the session of a link and return its token; None if it is not valid."""
        digest, now = model.digest(token), micros(self._now())

        async def unit(tx: Transaction) -> Session | None:
            row = await tx.first(queries.session, digest=digest, kind=_LINK, now=now)
            if row is None or not await tx.run(queries.end_session, digest=digest, kind=_LINK):
                return None
            return from_row(Session, row, space=row["space"] or None)

        found = await self._database.write(EVERYWHERE, unit)
        return None if found is None else await self.begin(found)

    async def find(self, token: str) -> Session | None:
        given = {"digest": model.digest(token), "kind": _SESSION, "now": micros(self._now())}
        row = await self._database.read(EVERYWHERE, lambda tx: tx.first(queries.session, **given))
        return None if row is None else from_row(Session, row, space=row["space"] or None)

    async def end(self, token: str) -> None:
        digest = model.digest(token)
        given = {"digest": digest, "kind": _SESSION}
        await self._database.write(EVERYWHERE, lambda tx: tx.run(queries.end_session, **given))

    async def _begin(self, session: Session, kind: str, lasts: timedelta) -> str:
        token, now = secrets.token_urlsafe(32), self._now()
        row: dict[str, Any] = {"digest": model.digest(token), "kind": kind, "key": session.key}
        row |= {"person": session.person, "now": micros(now), "expires_at": micros(now + lasts)}
        write, over = self._database.write, {"now": micros(now)}
        await write(session.space or EVERYWHERE, lambda tx: tx.run(queries.begin_session, **row))
        await write(EVERYWHERE, lambda tx: tx.run(queries.end_sessions_over, **over))
        return token
