"""Putting messages in: add, import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from erstwhile.archiving import is_export
from erstwhile.cli import jsonl, output
from erstwhile.cli.backup import Told
from erstwhile.cli.options import Database, Json, Space, with_memory
from erstwhile.log.model import Message
from erstwhile.memory import Memory


def add(
    channel: Annotated[str, typer.Argument(help="The conversation.")],
    role: Annotated[str, typer.Argument(help="user, assistant, system or tool.")],
    text: Annotated[str, typer.Argument(help="What was said; - reads standard input.")],
    person: Annotated[str | None, typer.Option(help="Who said it: an id of yours.")] = None,
    name: Annotated[str | None, typer.Option(help="How the person is called now.")] = None,
    model: Annotated[str | None, typer.Option(help="Which model wrote it.")] = None,
    at: Annotated[str | None, typer.Option(help="When, with a zone: 2026-03-01T09:30:00+09:00.")] = None,
    key: Annotated[str | None, typer.Option(help="Your own id of the message: the same again changes nothing.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Store one message."""
    said = typer.get_text_stream("stdin").read() if text == "-" else text

    async def work(memory: Memory) -> tuple[Message, str]:
        chat = memory.channel(channel)
        stored = await chat.add(role, said, person=person, name=name, at=at, key=key, model=model)
        return stored, jsonl.why_not_kept(memory, person)

    message, why_not = with_memory(work, database, space)
    if not message.seq:
        output.note(f"Nothing was kept: {why_not}.")
        if json:
            output.print_json({"id": None, "seq": 0})
    elif json:
        output.print_json({"id": message.id, "seq": message.seq})
    else:
        output.note(f"Stored as {message.id}, message {message.seq} of {channel}.")


def import_file(
    file: Annotated[Path, typer.Argument(help="A .jsonl file: one message per line.", exists=True, dir_okay=False)],
    format: Annotated[str, typer.Option("--format", help="jsonl or auto.")] = "auto",
    channel: Annotated[str | None, typer.Option(help="The channel for lines that name none.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Import conversations. The same file again changes nothing."""
    if format == "auto" and is_export(file):
        _import_export(file, database, space, json)
        return
    if format not in ("auto", "jsonl"):
        raise typer.BadParameter(f"unknown format {format!r}: use jsonl or auto", param_hint="--format")
    report = with_memory(lambda memory: jsonl.load(memory, file, channel), database, space)
    if json:
        output.print_json(report)
    else:
        output.note(f"{report.messages} messages imported into {report.channels} channels, {report.skipped} skipped.")
    for problem in report.problems[:20]:
        output.note(f"  line {problem.line}: {problem.reason}")
    if len(report.problems) > 20:
        output.note(f"  … and {len(report.problems) - 20} more lines")
    if report.problems and not report.messages and len(report.problems) == report.skipped:
        raise typer.Exit(1)


def _import_export(file: Path, database: str | None, space: str | None, json: bool) -> None:
    """What `erstwhile export` wrote: into an empty space all of it, as it was."""
    done = with_memory(lambda memory: memory._load_export(file, progress=Told("Importing")), database, space)
    if json:
        output.print_json(done)
        return
    if done.whole:
        output.note(f"{done.messages} messages and {done.memories} memories in {done.channels} channels, as they were.")
    else:
        output.note(f"{done.messages} messages imported into {done.channels} channels, {done.skipped} skipped.")
        output.note(
            "  The space was not empty: memories are made anew, and what the export has beside messages was not taken."
        )
    for name in done.left:
        output.note(f"  Not taken: {name}. Set it anew: `erstwhile space set {name} …`.")
