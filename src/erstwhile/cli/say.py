"""Putting a message in."""

from __future__ import annotations

from typing import Annotated

import typer

from erstwhile.api.memory import Memory
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory
from erstwhile.log.model import Message


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
        return stored, _why_not_kept(memory, person)

    message, why_not = with_memory(work, database, space)
    if not message.seq:
        output.note(f"Nothing was kept: {why_not}.")
        if json:
            output.print_json({"id": None, "seq": 0})
    elif json:
        output.print_json({"id": message.id, "seq": message.seq})
    else:
        output.note(f"Stored as {message.id}, message {message.seq} of {channel}.")


def _why_not_kept(memory: Memory, person: str | None) -> str:
    """Why a message was stored as number 0, which is nowhere."""
    settings = memory.settings
    if settings.spaces and settings.space not in settings.spaces:
        return f"space {settings.space!r} is not among those that are remembered (ERSTWHILE_SPACES)"
    return f"{person!r} is blocked in space {settings.space!r}"
