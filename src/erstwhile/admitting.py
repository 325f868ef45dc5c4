"""The part of the door for who may call the server."""

from __future__ import annotations

from datetime import datetime

from erstwhile.base.errors import InvalidInput
from erstwhile.door import Door
from erstwhile.keys.model import Key, NewKey


class Admitting(Door):
    async def create_key(
        self,
        *,
        space: str | None = None,
        admin: bool = False,
        name: str = "",
        read_only: bool = False,
        expires: datetime | str | None = None,
    ) -> NewKey:
        """A key for a space, or for all of them (admin). It is shown this once. `expires` is a time, or a span such as 30d."""
        return await self.house.keys.create(
            self._keys_space(space, admin=admin), name, read_only=read_only, expires=expires
        )

    async def keys(self, *, space: str | None = None, admin: bool = False) -> list[Key]:
        """The keys of a space; as admin, all there are. Revoked ones too."""
        return await self.house.keys.listed(self._keys_space(space, admin=admin))

    async def revoke_key(self, id: str, *, space: str | None = None, admin: bool = False) -> None:
        """Ends a key of the space, or as admin any key, for good: within about a second, on every server."""
        await self.house.keys.revoke(id, self._keys_space(space, admin=admin))

    def _keys_space(self, space: str | None, *, admin: bool) -> str | None:
        if admin and space is not None:
            raise InvalidInput("An admin key is for every space. Name a space, or admin, not both.")
        return None if admin else self._space(space)
