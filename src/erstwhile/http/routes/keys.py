"""Keys. An admin's are for every space; whoever may write in a space may make keys for it, and none
that opens more than their own.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

from erstwhile.http import permissions
from erstwhile.http.caller import AdminCaller, CurrentCaller, ServedMemory, WritableSpace
from erstwhile.http.dependencies import routes
from erstwhile.http.models import BodyModel
from erstwhile.keys.model import Key, NewKey

router = routes("keys", "/v1")

KeyId = Annotated[
    str, Path(description="The key's id: what stands between `er_` and the secret.", max_length=512)
]


class NewKeyBody(BodyModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "bot", "expires": "90d"}]})

    name: str = Field(
        "",
        max_length=200,
        description="The key's name. Changes made with it are recorded under this name.",
    )
    read_only: bool = Field(
        False, description="A read-only key can read and ask, but change nothing."
    )
    expires: str | None = Field(
        None,
        max_length=64,
        description="A duration such as 30d or 12h, or a time such as 2027-01-01T00:00:00Z.",
    )


class AdminKeyBody(NewKeyBody):
    space: str | None = Field(
        None, max_length=512, description="The key's space. Without one, an admin key is created."
    )


class KeyList(BaseModel):
    keys: list[Key]


@router.get("/keys", summary="List every key")
async def all_keys(_caller: AdminCaller, memory: ServedMemory) -> KeyList:
    """List every key without its secret, including revoked ones."""
    return KeyList(keys=await memory.keys.list(admin=True))


@router.post("/keys", status_code=201, summary="Create a key for any space, or an admin key")
async def create_any_key(wanted: AdminKeyBody, caller: AdminCaller, memory: ServedMemory) -> NewKey:
    """Create a key for a space or, without one, an admin key. Its secret is shown only once. It
    can't expire later than the key that creates it."""
    expires = await permissions.limit_expiry(wanted.expires, caller, memory)
    given = {**dict(wanted), "expires": expires}
    return await memory.keys.create(admin=wanted.space is None, **given)


@router.delete("/keys/{id:id}", status_code=204, summary="Revoke any key")
async def revoke_any_key(id: KeyId, _caller: AdminCaller, memory: ServedMemory) -> None:
    """Revoke a key. Every server refuses it within about a second."""
    await memory.keys.revoke(id, admin=True)


@router.get("/spaces/{space:id}/keys", name="list", summary="List keys")
async def keys(space: WritableSpace, memory: ServedMemory) -> KeyList:
    """List the keys of a space without their secrets. Needs a key that may write there."""
    return KeyList(keys=await memory.keys.list(space=space))


@router.post("/spaces/{space:id}/keys", name="create", status_code=201, summary="Create a key")
async def create_key(
    wanted: NewKeyBody, space: WritableSpace, caller: CurrentCaller, memory: ServedMemory
) -> NewKey:
    """Create a key for a space. It can't expire later than the key that creates it."""
    expires = await permissions.limit_expiry(wanted.expires, caller, memory)
    return await memory.keys.create(space=space, **{**dict(wanted), "expires": expires})


@router.delete(
    "/spaces/{space:id}/keys/{id:id}", name="revoke", status_code=204, summary="Revoke a key"
)
async def revoke_key(id: KeyId, space: WritableSpace, memory: ServedMemory) -> None:
    """Revoke a key of the space. Every server refuses it within about a second."""
    await memory.keys.revoke(id, space=space)
