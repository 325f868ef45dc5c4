"""`memory.keys`: create, list and revoke API keys. A key belongs to one space or, as an admin key,
to all.
"""

from __future__ import annotations

from datetime import datetime

from erstwhile.api import verb
from erstwhile.api.page import Page
from erstwhile.api.resource import Resource
from erstwhile.api.types import KeyId, Space
from erstwhile.keys.model import Key, NewKey
from erstwhile.keys.store import KeyStore, Sessions


class Keys(Resource, noun="keys"):
    @property
    def store(self) -> KeyStore:
        """The table of keys, for the server's authentication."""
        return self._runtime.keys

    @property
    def sessions(self) -> Sessions:
        """The dashboard's login sessions."""
        return self._runtime.sessions

    @verb.post("keys", scope=verb.ANY, routed=False)
    async def create(
        self,
        *,
        space: Space = None,
        admin: bool = False,
        name: str = "",
        read_only: bool = False,
        expires: datetime | str | None = None,
    ) -> NewKey:
        """Create a key for a space, or for all of them (admin). Its secret is shown only once.
        `expires` is a time, or a duration such as 30d."""
        place = self._of(space, admin=admin)
        return await self.store.create(place, name, read_only=read_only, expires=expires)

    @verb.get("keys", scope=verb.ANY, routed=False)
    async def list(self, *, space: Space = None, admin: bool = False) -> Page[Key]:
        """List the keys of a space or, as admin, all keys, including revoked ones."""
        return Page(await self.store.listed(self._of(space, admin=admin)))

    @verb.delete("keys/{id}", scope=verb.ANY, routed=False)
    async def revoke(self, id: KeyId, *, space: Space = None, admin: bool = False) -> None:
        """Revoke a key of the space or, as admin, any key. Every server refuses it within about a
        second."""
        await self.store.revoke(id, self._of(space, admin=admin))

    def _of(self, space: str | None, *, admin: bool) -> str | None:
        return None if admin else self._space(space)
