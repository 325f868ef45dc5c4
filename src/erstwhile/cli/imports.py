"""Importing conversations from files."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Memory, Space, with_memory

if TYPE_CHECKING:
    from erstwhile.exports.model import ImportCounts
    from erstwhile.importers.loading import Progress
    from erstwhile.importers.model import ImportReport

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
        names = ", ".join(NAMES)
        raise typer.BadParameter(
            f"unknown format {format!r}: use {names} or auto", param_hint="--format"
        )
    if format in ("auto", "erstwhile") and not dry_run and is_export(path):
        _import_export(path, database, space, json)
        return
    reading = partial(
        load, path=path, format=format, channel=channel, dry_run=dry_run, third_party=third_party
    )
    try:
        with _shown(path.name) as progress:
            report = with_memory(partial(reading, progress=progress), database, space)
    except KeyboardInterrupt:
        output.note(
            "Stopped. What was imported so far is kept; the same command again continues there."
        )
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
    messages = output.counted(done.messages, "message")
    channels = output.counted(done.channels, "channel")
    if done.whole:
        output.note(
            f"{messages} and {output.counted(done.memories, 'memory')} in {channels}, as they were."
        )
    else:
        output.note(f"{messages} imported into {channels}, {done.skipped:,} skipped.")
        output.note(
            "  The space was not empty: only the messages were imported, and memories are made again from them."
        )
    if done.was not in ("", here):
        output.note(
            f"  The export is of space {done.was!r}. After `erstwhile spaces rebuild` here, memories that were "
            "deleted by hand are made again."
        )
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
    places = (
        f"{output.counted(report.channels, 'channel')}, {output.counted(report.people, 'person')}"
    )
    yield f"{report.messages:>9,}  {'message' if report.messages == 1 else 'messages'} {done} ({report.format}), {places}"
    if report.first is not None and report.last is not None:
        yield f"{'':>9}  from {report.first:%Y-%m-%d} to {report.last:%Y-%m-%d}"
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

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[rate]}"),
    )
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"Importing {name}", total=None, rate="")

        def advance(read: int, total: int, messages: int) -> None:
            seconds = bar.tasks[0].elapsed or 0
            rate = f"{messages / seconds:,.0f} new messages/s" if seconds > 0 else ""
            bar.update(task, completed=min(read, total), total=total, rate=rate)

        yield advance
