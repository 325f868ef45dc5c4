"""What enters the memory from a file and what leaves it: import, export, erase, backup, receipts, origins, retention."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from erstwhile.base.errors import InvalidInput
from erstwhile.base.page import DEFAULT
from erstwhile.base.settings import load
from erstwhile.cli import output
from erstwhile.cli.options import (
    Cursor,
    Database,
    DryRun,
    Json,
    Limit,
    Memory,
    Space,
    Yes,
    ask_to_replace,
    check_database,
    check_person,
    check_space,
    contents,
    find_id,
    group,
    origin_contents,
    reads,
    with_memory,
)
from erstwhile.cli.output import Result, TableRows, counted

if TYPE_CHECKING:
    from erstwhile.exports.rows import ImportCounts
    from erstwhile.importers.loading import Progress
    from erstwhile.importers.model import ImportReport


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
    given = [f"{kind} {name!r}" for kind, name in which.items() if name is not None]
    if len(given) + everything != 1:
        those = "--person, --channel, --message, --origin, or --everything for the whole space."
        raise InvalidInput(f"Name one of them: {those}")
    typed = (space or load(space=space).space) if everything else ""
    named = given[0] if given else f"space {typed!r}"

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
async def origins(memory: Memory, limit: Limit = DEFAULT, cursor: Cursor = None) -> Result:
    """List where messages came from, such as files. `erstwhile erase --origin` erases one."""
    found = await memory.archive.origins(limit=limit, cursor=cursor)
    columns = "origin=source, messages, channels, first=first_at, last=last_at"
    none = "No message has an origin: none was imported."
    return found, TableRows.of(found, columns, none)


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
    memory: Memory,
    person: Person = None,
    channel: Channel = None,
    limit: Limit = DEFAULT,
    cursor: Cursor = None,
) -> Result:
    """List the receipts of erasures, newest first. They name nobody."""
    found = await memory.archive.receipts(
        person=person, channel=channel, limit=limit, cursor=cursor
    )
    return found, TableRows.of(
        found,
        "id, at (UTC)=at, what=kind, messages, checked, by, digest",
        messages=lambda each: each.counts.get("messages", 0),
        checked=lambda each: "yes" if each.checked else "no",
    )


@archive.command("expire", reads=True)
async def expire(memory: Memory) -> Result:
    """Expire, now, what is older than the retention allows."""
    gone = (await memory.archive.expire()).by_kind
    expired = ", ".join(f"{count} of {kind}" for kind, count in gone.items() if count)
    return gone, f"Expired: {expired}." if expired else "Nothing has expired."


@reads
async def export(
    memory: Memory,
    to: Annotated[Path, "The zip to write."],
    person: Person = None,
    channel: Channel = None,
    yes: Yes = False,
) -> Result:
    """Write a space, a person or a channel into one zip, to read and to import again. Asks before
    it replaces a file."""
    await check_person(memory, person)
    ask_to_replace(to, yes=yes)
    done = await memory.export(person=person, channel=channel, to=to)
    data = {"path": str(done.path), "messages": done.messages, "memories": done.memories}
    counts = f"{counted(done.messages, 'message')} and {counted(done.memories, 'memory')}"
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
    counts = f"{counted(done.messages, 'message')}, {counted(done.spaces, 'space')}, {done.bytes:,} bytes"
    note = f"{file} {said}: {counts}, schema {done.schema}, of {done.at:%Y-%m-%d %H:%M:%S} UTC."
    output.print_result(done, note, json=json)
    if done.damaged:
        advice = "Look for them in an older backup, and check the disk."
        output.note(f"Damaged before the backup was made: {', '.join(done.damaged)}. {advice}")
        raise typer.Exit(1)


_SHOWN = 20


def import_file(
    path: Annotated[Path, typer.Argument(help="A file, a folder or a zip.", exists=True)],
    format: Annotated[
        str, "auto, erstwhile, chatgpt, claude, slack, telegram, discord, whatsapp or jsonl."
    ] = "auto",
    channel: Annotated[str | None, "The channel for messages that name none."] = None,
    dry_run: Annotated[bool, "Store nothing; print what would be stored."] = False,
    third_party: Annotated[
        bool, "Documents, mail or web text: nobody here said it. Marked as untrusted."
    ] = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Import conversations from a file, a folder or a zip. A repeat changes nothing."""
    from erstwhile.api.archive import is_export
    from erstwhile.importers.loading import NAMES, load

    if format != "auto" and format not in NAMES:
        why = f"unknown format {format!r}: use {', '.join(NAMES)} or auto"
        raise typer.BadParameter(why, param_hint="--format")
    if format in ("auto", "erstwhile") and not dry_run and is_export(path):
        _import_export(path, database, space, json)
        return
    how: Any = {"channel": channel, "dry_run": dry_run, "third_party": third_party}
    reading = partial(load, path=path, format=format, **how)
    try:
        with _shown(path.name) as progress:
            report = with_memory(partial(reading, progress=progress), database, space)
    except KeyboardInterrupt:
        advice = "What was imported so far is kept; the same command again continues there."
        output.note(f"Stopped. {advice}")
        raise typer.Exit(130) from None
    if json:
        output.print_json(report)
    tell(report, in_short=json)
    unread = len(report.problems) + report.more_problems + sum(report.left.values())
    if report.problems and not report.messages and report.skipped == unread:
        raise typer.Exit(1)


def _import_export(path: Path, database: str | None, space: str | None, json: bool) -> None:
    """Import what `erstwhile export` wrote; into an empty space all of it, as it was."""

    async def run(memory: Memory) -> tuple[ImportCounts, str]:
        return await memory.archive.load(
            path, progress=output.RowProgress("Importing")
        ), memory.settings.space

    done, here = with_memory(run, database, space)
    if json:
        output.print_json(done)
        return
    messages = counted(done.messages, "message")
    channels = counted(done.channels, "channel")
    if done.whole:
        memories = counted(done.memories, "memory")
        output.note(f"{messages} and {memories} in {channels}, as they were.")
    else:
        output.note(f"{messages} imported into {channels}, {done.skipped:,} skipped.")
        again = "only the messages were imported, and memories are made again from them."
        output.note(f"  The space was not empty: {again}")
    if done.was not in ("", here):
        again = "memories that were deleted by hand are made again."
        after = f"After `erstwhile spaces rebuild` here, {again}"
        output.note(f"  The export is of space {done.was!r}. {after}")
    for name in done.left:
        output.note(f"  Not imported: {name}. Set it again: `erstwhile spaces set {name} …`.")


def tell(report: ImportReport, *, in_short: bool) -> None:
    if not in_short:
        for line in _lines(report):
            output.note(line)
    alike: dict[str, list[str]] = {}
    for problem in report.problems:
        alike.setdefault(problem.reason, []).append(problem.where)
    for reason, places in list(alike.items())[:_SHOWN]:
        more = f" (and {len(places) - 1:,} more like it)" if len(places) > 1 else ""
        output.note(f"  {places[0]}: {reason}{more}")
    unseen = sum(map(len, list(alike.values())[_SHOWN:])) + report.more_problems
    if unseen:
        output.note(f"  … and {unseen:,} more")


def _lines(report: ImportReport) -> Iterator[str]:
    done = "would be imported" if report.dry_run else "imported"
    places = f"{counted(report.channels, 'channel')}, {counted(report.people, 'person')}"
    yield f"{report.messages:>9,}  {'message' if report.messages == 1 else 'messages'} {done} ({report.format}), {places}"
    if report.period:
        yield f"{'':>9}  {report.period}"
    if report.already:
        yield f"{report.already:>9,}  already there"
    for reason, count in sorted(report.left.items()):
        yield f"{count:>9,}  left out: {reason}"
    problems = len(report.problems) + report.more_problems
    if report.messages and not report.dry_run:
        yield f"{'':>9}  erase it again with: erstwhile erase --origin {shlex.quote(report.source)}"
    if problems:
        yield f"{problems:>9,}  {'problem' if problems == 1 else 'problems'}:"


@contextmanager
def _shown(name: str) -> Iterator[Progress | None]:
    """Show bytes read, messages a second and time left, if stderr is a terminal."""
    import sys

    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar_columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
    columns = *bar_columns, TextColumn("{task.fields[rate]}")
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"Importing {name}", total=None, rate="")

        def advance(read: int, total: int, messages: int) -> None:
            seconds = bar.tasks[0].elapsed or 0
            rate = f"{messages / seconds:,.0f} new messages/s" if seconds > 0 else ""
            bar.update(task, completed=min(read, total), total=total, rate=rate)

        yield advance
