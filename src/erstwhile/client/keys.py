"""The part of the remote door for keys."""

from __future__ import annotations

from datetime import datetime

from erstwhile.base.errors import InvalidInput
from erstwhile.client import paths
from erstwhile.client.answers import read
from erstwhile.client.part import Part, given
from erstwhile.client.transport import Call
from erstwhile.keys.model import Key, NewKey


class RemoteKeys(Part):
    async def create_key(
        self,
        *,
        space: str | None = None,
        admin: bool = False,
        name: str = "",
        read_only: bool = False,
        expires: datetime | str | None = None,
    ) -> NewKey:
        body = given({"name": name, "read_only": read_only, "expires": expires})
        # A second try would make a second key.
        return read(NewKey, await self._http.call(Call("POST", self._keys(space, admin), body=body, again=False)))

    async def keys(self, *, space: str | None = None, admin: bool = False) -> list[Key]:
        return read(list[Key], await self._http.get(self._keys(space, admin)), "keys")

    async def revoke_key(self, id: str, *, space: str | None = None, admin: bool = False) -> None:
        await self._http.call(Call("DELETE", self._keys(space, admin, id), again=False))

    def _keys(self, space: str | None, admin: bool, *segments: str) -> str:
        if admin and space is not None:
            raise InvalidInput("An admin key is for every space. Name a space, or admin, not both.")
        return paths.path("keys", *segments) if admin else self._at(space, "keys", *segments)
