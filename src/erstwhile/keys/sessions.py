"""Sessions of the dashboard. A cookie holds a token; the key stays with its owner."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from erstwhile.base.clock import Clock, micros
from erstwhile.keys import model
from erstwhile.keys.store import queries
from erstwhile.storage import EVERYWHERE, Database, Transaction

_LINK: Final = "link"
_SESSION: Final = "session"
_LASTS = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Session:
    """`key` is the id of the key that was used, "" for the terminal; `space` None means every
    space. With a `person` it shows only what is known about them."""

    key: str = ""
    space: str | None = None
    person: str | None = None


class Sessions:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._now = clock

    async def begin(self, session: Session) -> str:
        """Start a session and return its token."""
        return await self._begin(session, _SESSION, _LASTS)

    async def link(self, session: Session, lasts: timedelta) -> str:
        """Return a token that starts a session once."""
        return await self._begin(session, _LINK, lasts)

    async def follow(self, token: str) -> str | None:
        """Start the session of a link and return its token; None if it was used, expired or
        unknown."""
        digest, now = model.digest(token), micros(self._now())

        async def unit(tx: Transaction) -> Session | None:
            row = await tx.first(queries.session, digest=digest, kind=_LINK, now=now)
            if row is None or not await tx.run(queries.end_session, digest=digest, kind=_LINK):
                return None
            return Session(row["key"], row["space"] or None, row["person"])

        found = await self._database.write(EVERYWHERE, unit)
        return None if found is None else await self.begin(found)

    async def find(self, token: str) -> Session | None:
        given = {"digest": model.digest(token), "kind": _SESSION, "now": micros(self._now())}
        row = await self._database.read(EVERYWHERE, lambda tx: tx.first(queries.session, **given))
        return None if row is None else Session(row["key"], row["space"] or None, row["person"])

    async def end(self, token: str) -> None:
        digest = model.digest(token)
        await self._database.write(EVERYWHERE, lambda tx: tx.run(queries.end_session, digest=digest, kind=_SESSION))

    async def _begin(self, session: Session, kind: str, lasts: timedelta) -> str:
        token, now = secrets.token_urlsafe(32), self._now()
        row = {
            "digest": model.digest(token),
            "kind": kind,
            "key": session.key,
            "person": session.person,
            "now": micros(now),
            "expires_at": micros(now + lasts),
        }

        async def unit(tx: Transaction) -> None:
            await tx.run(queries.begin_session, **row)

        await self._database.write(session.space or EVERYWHERE, unit)
        await self._database.write(EVERYWHERE, lambda tx: tx.run(queries.end_sessions_over, now=micros(now)))
        return token
