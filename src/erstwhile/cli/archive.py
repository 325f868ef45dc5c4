"""What leaves the memory, or a copy of it: export, erase, backup, receipts, origins, retention."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.api.page import every
from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput
from erstwhile.base.settings import load
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, find_id, group, read_memory, with_memory

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.archive.model import Backup
    from erstwhile.layers.erasure.model import Receipt

archive = group()
Person = Annotated[str | None, typer.Option("--person", help="Everything of this person.")]
Channel = Annotated[str | None, typer.Option("--channel", help="Everything of this channel.")]


def erase(
    person: Person = None,
    channel: Channel = None,
    message: Annotated[str | None, typer.Option("--message", help="One message, by its id.")] = None,
    origin: Annotated[
        str | None, typer.Option("--origin", help="Everything from this origin: see `erstwhile archive origins`.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="The whole space, with its settings and keys.")
    ] = False,
    by: Annotated[str, typer.Option(help="Who does it, for the receipt.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")] = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Erase a person, a channel, a message, an origin or a whole space, with everything made from it. It can't be undone."""
    which = {"person": person, "channel": channel, "message": message, "origin": origin}
    if sum(name is not None for name in which.values()) + everything != 1:
        raise InvalidInput(
            "Name one of them: --person, --channel, --message, --origin, or --everything for the whole space."
        )
    typed = (space or load(space=space).space) if everything else ""
    named = next((f"{kind} {name!r}" for kind, name in which.items() if name is not None), f"space {typed!r}")
    if not yes:
        _ask(named, typed)

    async def work(memory: Memory) -> Receipt:
        if message is not None and message.startswith("msg_"):
            which["message"] = await find_id(memory, message)
        return await memory.erase(everything=everything, by=by, **which)

    receipt = with_memory(work, database, space)
    if json:
        output.print_json(receipt)
    else:
        output.table(("erased", "rows"), list(receipt.counts.items()))
        left = "Nothing of it is left." if receipt.checked else "Something may be left: erase it again."
        output.note(f"Erased {named}. {left} Receipt {receipt.id}, {receipt.digest}.")
    if not receipt.checked:
        raise typer.Exit(1)


@archive.command("origins")
def origins(database: Database = None, space: Space = None, json: Json = False) -> None:
    """List where messages came from, such as imported files. `erstwhile erase --origin` erases one."""
    found = read_memory(lambda memory: every(memory.archive.origins), database, space)
    if json:
        output.print_json(found)
    else:
        rows = [
            (each.source, each.messages, each.channels, f"{each.first_at:%Y-%m-%d}", f"{each.last_at:%Y-%m-%d}")
            for each in found
        ]
        output.table(("origin", "messages", "channels", "first", "last"), rows)


def _ask(named: str, typed: str) -> None:
    """Ask before erasing. A whole space has to be named again."""
    if not typed:
        typer.confirm(f"Erase everything of {named}? It can't be undone.", abort=True, err=True)
    elif typer.prompt(f"Erase all of {named}? It can't be undone. Type its name", err=True) != typed:
        output.note("That is not its name. Nothing was erased.")
        raise typer.Exit(1)


@archive.command("receipts")
def receipts(
    person: Person = None,
    channel: Channel = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 100,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List the receipts of erasures, newest first. They name nobody; --person and --channel find those of one."""
    found = with_memory(
        lambda memory: memory.archive.receipts(person=person, channel=channel, limit=limit), database, space
    )
    if json:
        output.print_json(found)
        return
    rows = [
        (
            ids.abbreviated(each.id),
            f"{each.at:%Y-%m-%d %H:%M}",
            each.kind,
            each.counts.get("messages", 0),
            "yes" if each.checked else "no",
            each.by,
            each.digest,
        )
        for each in found
    ]
    output.table(("id", "at (UTC)", "what", "messages", "checked", "by", "digest"), rows)


@archive.command("expire")
def expire(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Expire, now, what is older than the retention allows."""
    gone = read_memory(lambda memory: memory.archive.expire(), database, space)
    if json:
        output.print_json(gone.by_kind)
    else:
        counted = ", ".join(f"{count} of {kind}" for kind, count in gone.by_kind.items() if count)
        output.note(f"Expired: {counted}." if counted else "Nothing has expired.")


def export(
    to: Annotated[Path, typer.Argument(help="The zip to write.")],
    person: Person = None,
    channel: Channel = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Write a space, a person or a channel into one zip, to read and to import again."""
    done = read_memory(lambda memory: memory.export(person=person, channel=channel, to=to), database, space, channel)
    if json:
        output.print_json({"path": str(done.path), "messages": done.messages, "memories": done.memories})
    else:
        output.note(f"{done.messages} messages and {done.memories} memories in {done.path}.")


def backup(
    file: Annotated[Path, typer.Argument(help="The zip.")],
    check: Annotated[bool, typer.Option("--check", help="Check that a backup is whole instead.")] = False,
    restore: Annotated[
        bool, typer.Option("--restore", help="Restore a backup into an empty database instead.")
    ] = False,
    database: Database = None,
    json: Json = False,
) -> None:
    """Write the whole database into one zip while it is in use; or check such a zip, or restore it."""
    from erstwhile.api.archive import restore as restore_backup
    from erstwhile.archive import backup as backups

    if check and restore:
        raise typer.BadParameter("use --check or --restore, not both", param_hint="--check")
    if check:
        done, said = backups.check(file), "is whole"
    elif restore:
        done, said = (
            asyncio.run(restore_backup(database, file, progress=output.RowProgress("Restoring"))),
            "is restored",
        )
    else:
        done = with_memory(
            lambda memory: memory.archive.backup(to=file, progress=output.RowProgress("Backing up")), database
        )
        said = "is written and checked"
    if json:
        output.print_json(_plain(done))
    else:
        output.note(
            f"{file} {said}: {done.messages:,} messages, {done.spaces} spaces, {done.bytes:,} bytes, schema {done.schema}, "
            f"of {done.at:%Y-%m-%d %H:%M:%S} UTC."
        )


def _plain(done: Backup) -> dict[str, object]:
    return {
        "path": str(done.path),
        "at": done.at,
        "schema": done.schema,
        "spaces": done.spaces,
        "messages": done.messages,
        "rows": done.rows,
        "bytes": done.bytes,
    }
