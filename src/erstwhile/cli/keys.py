"""Keys of the server: create, list, revoke."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from erstwhile.base.errors import InvalidInput
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Memory, Space, group, with_memory
from erstwhile.keys.model import Key

keys = group()


@keys.command("create")
async def create(
    memory: Memory,
    admin: Annotated[bool, "For all spaces, and for the server itself."] = False,
    name: Annotated[str, "Whose key it is; shown with what it writes."] = "",
    read_only: Annotated[bool, "It may read and ask, but change nothing."] = False,
    expires: Annotated[
        str | None, "30d, 12h, or a time like 2027-01-01T00:00:00+00:00 (default: never)."
    ] = None,
    space: Space = None,
) -> output.Result:
    """Create a key for a space. It is shown only once."""
    _one_of(admin, space)
    made = await memory.keys.create(admin=admin, name=name, read_only=read_only, expires=expires)

    def show() -> None:
        typer.echo(made.key)
        revoke = f"Revoke it with `erstwhile keys revoke {made.id}`."
        output.note(f"A key for {_for(made)}. Keep it: it is not shown again. {revoke}")

    return made, show


@keys.command("list")
async def list_keys(
    memory: Memory, admin: Annotated[bool, "The keys of all spaces."] = False, space: Space = None
) -> output.Result:
    """List the keys of a space, without their secrets."""
    _one_of(admin, space)
    found = await memory.keys.list(admin=admin)
    rows = (
        (key.id, key.name, _for(key), _time(key.created_at), _time(key.used_at), _state(key))
        for key in found
    )
    columns = "id, name, for, created (UTC), last used, state"
    return found, output.TableRows(columns, rows, "No keys. Make one with `erstwhile keys create`.")


@keys.command("revoke")
def revoke(
    id: Annotated[str, "The key's id: the part between er_ and the secret."],
    database: Database = None,
    json: Json = False,
) -> None:
    """Revoke a key of any space. Every server refuses it within about a second."""
    with_memory(lambda memory: memory.keys.revoke(id, admin=True), database)
    output.print_result({"revoked": id}, f"Revoked {id}.", json=json)


def _one_of(admin: bool, space: str | None) -> None:
    if admin and space is not None:
        raise InvalidInput("An admin key is for every space. Give --space or --admin, not both.")


def _for(key: Key) -> str:
    whose = "every space (admin)" if key.space is None else f"the space {key.space}"
    return whose + ", to read" * key.read_only


def _time(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _state(key: Key) -> str:
    if key.revoked_at is not None:
        return f"revoked {_time(key.revoked_at)}"
    return "" if key.expires_at is None else f"until {_time(key.expires_at)}"
