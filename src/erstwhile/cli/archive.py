"""What leaves the memory, or a copy of it: export, erase, backup, receipts, origins, retention."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from erstwhile.api.page import every
from erstwhile.base.errors import InvalidInput
from erstwhile.base.settings import load
from erstwhile.cli import output
from erstwhile.cli.confirmation import ask_to_replace, check_person, contents, origin_contents
from erstwhile.cli.options import (
    Database,
    DryRun,
    Json,
    Limit,
    Memory,
    Space,
    Yes,
    check_database,
    check_space,
    find_id,
    group,
    reads,
    with_memory,
)

archive = group()
Person = Annotated[str | None, "Everything of this person."]
Channel = Annotated[str | None, "Everything of this channel."]


def erase(
    person: Person = None,
    channel: Channel = None,
    message: Annotated[str | None, "One message, by its id."] = None,
    origin: Annotated[
        str | None, "Everything from this origin: see `erstwhile archive origins`."
    ] = None,
    everything: Annotated[bool, "The whole space, with its settings and keys."] = False,
    by: Annotated[str, "Who does it, for the receipt."] = "",
    yes: Yes = False,
    dry_run: DryRun = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Erase a person, a channel, a message, an origin or a space. It says what there is, and asks.
    It can't be undone."""
    which = {"person": person, "channel": channel, "message": message, "origin": origin}
    if sum(name is not None for name in which.values()) + everything != 1:
        raise InvalidInput(
            "Name one of them: --person, --channel, --message, --origin, or --everything for the whole space."
        )
    typed = (space or load(space=space).space) if everything else ""
    named = next(
        (f"{kind} {name!r}" for kind, name in which.items() if name is not None), f"space {typed!r}"
    )

    async def look(memory: Memory) -> str:
        await check_space(memory, space)
        if message is not None and message.startswith("msg_"):
            which["message"] = await find_id(memory, message)
        if message is not None:
            return "1 message"
        if origin is not None:
            return await origin_contents(memory, origin)
        return await contents(memory, person=person, channel=channel)

    found = with_memory(look, database, space)
    replies = "" if channel is not None or everything else ", with the assistant's replies"
    if dry_run:
        said = f"Would erase {named}: {found}{replies or ','} and all made from it."
        output.print_result({"would_erase": found}, said, json=json)
        return
    if not yes:
        _ask(f"{named} ({found}){replies}", typed)
    receipt = with_memory(
        lambda memory: memory.erase(everything=everything, by=by, **which), database, space
    )
    if json:
        output.print_json(receipt)
    else:
        output.table(("erased", "rows"), list(receipt.counts.items()))
        left = "Nothing of it is left."
        if not receipt.checked:
            left = "Something may be left: erase it again."
        output.note(f"Erased {named}. {left} Receipt {receipt.id}, {receipt.digest}.")
    if not receipt.checked:
        raise typer.Exit(1)


@archive.command("origins", reads=True)
async def origins(memory: Memory) -> output.Result:
    """List where messages came from, such as files. `erstwhile erase --origin` erases one."""
    found = await every(memory.archive.origins)
    columns = "origin=source, messages, channels, first=first_at, last=last_at"
    none = "No message has an origin: none was imported."
    return found, output.TableRows.of(found, columns, none)


def _ask(named: str, typed: str) -> None:
    """Ask before erasing. A whole space has to be named again."""
    if not typed:
        typer.confirm(f"Erase everything of {named}? It can't be undone.", abort=True, err=True)
    elif (
        typer.prompt(f"Erase all of {named}? It can't be undone. Type its name", err=True) != typed
    ):
        output.note("That is not its name. Nothing was erased.")
        raise typer.Exit(1)


@archive.command("receipts")
async def receipts(
    memory: Memory, person: Person = None, channel: Channel = None, limit: Limit = 100
) -> output.Result:
    """List the receipts of erasures, newest first. They name nobody."""
    found = await memory.archive.receipts(person=person, channel=channel, limit=limit)
    return found, output.TableRows.of(
        found,
        "id, at (UTC)=at, what=kind, messages, checked, by, digest",
        messages=lambda each: each.counts.get("messages", 0),
        checked=lambda each: "yes" if each.checked else "no",
    )


@archive.command("expire", reads=True)
async def expire(memory: Memory) -> output.Result:
    """Expire, now, what is older than the retention allows."""
    gone = (await memory.archive.expire()).by_kind
    counted = ", ".join(f"{count} of {kind}" for kind, count in gone.items() if count)
    return gone, f"Expired: {counted}." if counted else "Nothing has expired."


@reads
async def export(
    memory: Memory,
    to: Annotated[Path, "The zip to write."],
    person: Person = None,
    channel: Channel = None,
    yes: Yes = False,
) -> output.Result:
    """Write a space, a person or a channel into one zip, to read and to import again. Asks before
    it replaces a file."""
    await check_person(memory, person)
    ask_to_replace(to, yes=yes)
    done = await memory.export(person=person, channel=channel, to=to)
    data = {"path": str(done.path), "messages": done.messages, "memories": done.memories}
    counts = (
        f"{output.counted(done.messages, 'message')} and {output.counted(done.memories, 'memory')}"
    )
    return data, f"{counts} in {done.path}."


def backup(
    file: Annotated[Path, "The zip."],
    check: Annotated[bool, "Check that a backup is whole instead."] = False,
    restore: Annotated[bool, "Restore a backup into an empty database instead."] = False,
    yes: Yes = False,
    database: Database = None,
    json: Json = False,
) -> None:
    """Write the whole database into one zip while in use; or check or restore one. Asks before it
    replaces a file."""
    from erstwhile.api.archive import restore as restore_backup
    from erstwhile.archive import backup as backups

    if check and restore:
        raise typer.BadParameter("use --check or --restore, not both", param_hint="--check")
    if check:
        done, said = backups.check(file), "is whole"
    elif restore:
        done = asyncio.run(restore_backup(database, file, progress=output.RowProgress("Restoring")))
        said = "is restored"
    else:
        check_database(database)
        ask_to_replace(file, yes=yes)
        progress = output.RowProgress("Backing up")
        done = with_memory(
            lambda memory: memory.archive.backup(to=file, progress=progress), database
        )
        said = "is written and checked"
    counts = f"{output.counted(done.messages, 'message')}, {output.counted(done.spaces, 'space')}, {done.bytes:,} bytes"
    note = f"{file} {said}: {counts}, schema {done.schema}, of {done.at:%Y-%m-%d %H:%M:%S} UTC."
    output.print_result(done, note, json=json)
    if done.damaged:
        output.note(
            f"Damaged before the backup was made: {', '.join(done.damaged)}. Look for them in an older backup, and check the disk."
        )
        raise typer.Exit(1)
