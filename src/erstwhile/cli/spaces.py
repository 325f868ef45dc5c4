"""Spaces, channels and prompts: which there are, what is set for each, and making everything again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.api.channels import MemoryCounts
from erstwhile.base.errors import InvalidInput
from erstwhile.base.page import DEFAULT
from erstwhile.cli import output
from erstwhile.cli.options import (
    Channel,
    Cursor,
    Database,
    DryRun,
    Json,
    Limit,
    Memory,
    Yes,
    ask,
    group,
    reads_space,
    with_memory,
)
from erstwhile.cli.output import Result, TableRows
from erstwhile.cli.server import settle_with_progress, settled_counts
from erstwhile.configuration import prompts as choice_of_prompts
from erstwhile.configuration import space as choices

if TYPE_CHECKING:
    from erstwhile.configuration.prompts import CurrentPrompt


spaces = group()
SettingName = Annotated[str, ", ".join(choices.NAMES) + "."]


@spaces.command("list")
def list_spaces(
    database: Database = None, limit: Limit = DEFAULT, cursor: Cursor = None, json: Json = False
) -> None:
    """List all spaces by name."""
    found = with_memory(lambda memory: memory.spaces.list(limit=limit, cursor=cursor), database)
    none = "No spaces yet. `erstwhile add` or `erstwhile import` makes one."
    output.print_result(found, (lambda: typer.echo("\n".join(found))) if found else none, json=json)


@spaces.command("show")
async def show(memory: Memory) -> Result:
    """Show the settings in force in a space, and whose choice each is. A key is never shown."""
    shown = await memory.spaces.configuration()
    rows = ((each.name, each.value or "(not set)", each.whose) for each in shown)
    return shown, TableRows("setting, value, whose", rows)


@spaces.command("set")
async def set_setting(
    memory: Memory,
    name: SettingName,
    value: Annotated[str, "The value; for api_key always -, which reads standard input."],
) -> Result:
    """Give a space a setting of its own, from the next job on."""
    if choices.known(name) == "api_key" and value != "-":
        advice = "Run `erstwhile spaces set api_key -` and give it on standard input."
        raise InvalidInput(f"A key on the command line stays in the shell's history. {advice}")
    return await _configure(memory, name, _read_hidden(name) if value == "-" else value)


@spaces.command("reset")
async def reset_setting(memory: Memory, name: SettingName) -> Result:
    """Remove a space's own setting, so that the general one is in force again."""
    return await _configure(memory, choices.known(name), "")


async def _configure(memory: Memory, name: str, value: str) -> Result:
    await memory.spaces.configure(**{name: value})
    stored = next(each for each in await memory.spaces.configuration() if each.name == name)
    return stored, f"{name}: {stored.value or '(not set)'} ({stored.whose})"


def _read_hidden(name: str) -> str:
    if name == "api_key" and sys.stdin.isatty():
        return str(typer.prompt("Key", hide_input=True, err=True))
    read = typer.get_text_stream("stdin").read()
    if not read.strip():
        advice = f"`erstwhile spaces reset {name}` removes one."
        raise InvalidInput(f"Standard input has no {name}. {advice}")
    return read


@spaces.command("rebuild")
@reads_space
async def rebuild(memory: Memory, yes: Yes = False, dry_run: DryRun = False) -> Result:
    """Delete everything derived in a space and make it again. What people edited stays."""
    counts = await memory.spaces.counts(days=1)
    derived = output.counted(sum(counts.memories.values()), "memory")
    done = f"{derived} of space {memory.settings.space!r} from {output.counted(counts.messages, 'message')}"
    if dry_run:
        return counts.memories, f"Would make again: {done}."
    model = memory.settings.chosen_model
    cost = "" if model == "extractive" else f" with {model}, which takes time and may cost money"
    ask(f"Delete and make again {done}{cost}?", yes=yes)
    await memory.spaces.rebuild()
    settled = await settle_with_progress(memory)

    return settled, f"Rebuilt: {settled_counts(settled)}."


channels = group()


@channels.command("list", reads=True)
async def list_channels(
    memory: Memory,
    matching: Annotated[str | None, "Only those with this in their name or title."] = None,
    limit: Limit = DEFAULT,
    cursor: Cursor = None,
) -> Result:
    """List the channels of a space, the one with the newest message first."""
    found = await memory.channels.list(
        matching=matching, order="recent", limit=limit, cursor=cursor
    )
    columns = "channel, title, messages=size, last=last_at, privacy"
    return found, TableRows.of(found, columns, "No channels.")


@channels.command("show", reads=True)
async def show_channel(memory: Memory, channel: Channel) -> Result:
    """Show one channel: its size, its privacy, and how many memories were made from it."""
    found = await memory.channels.get(memory.channel(channel))
    made = found.made or MemoryCounts()
    rows = (
        ("channel", found.channel),
        ("title", found.title),
        ("privacy", found.privacy or ""),
        ("messages", f"{found.size:,}"),
        ("last message", f"{found.last_at:%Y-%m-%d %H:%M} UTC" if found.last_at else ""),
        ("summaries", f"{made.chunks:,}"),
        ("meta summaries", f"{made.metas:,}" + (f", {made.stale:,} stale" if made.stale else "")),
        ("facts", f"{made.facts:,}"),
        ("notes", f"{made.notes:,}"),
    )
    return found, TableRows("what, value", [row for row in rows if row[1]])


@channels.command("privacy")
async def set_privacy(
    memory: Memory,
    channel: Channel,
    privacy: Annotated[str, "open, private or direct."],
    person: Annotated[list[str] | None, "Someone in it; repeatable."] = None,
) -> Result:
    """Set whether a channel is open, private or direct, and who is in it."""
    members = person or []
    await memory.channels.set_privacy(memory.channel(channel), privacy, people=members)
    return {"channel": channel, "privacy": privacy, "people": members}, f"{channel} is {privacy}."


@channels.command("listen")
async def listen(
    memory: Memory,
    channel: Annotated[
        str | None, typer.Argument(help="The channel; without one, all are listed.")
    ] = None,
    off: Annotated[bool, "Stop listening."] = False,
    since: Annotated[str, "From this time on (default: from its beginning)."] = "",
) -> Result:
    """Set whether a bot listens to a channel, or list the channels it listens to."""
    if channel is not None:
        await memory.channels.listen(memory.channel(channel), not off, since=since)
    found = [each for each in await memory.channels.listening() if channel in (None, each.channel)]
    on = {True: "yes", False: "no", None: "as its channel"}
    rows = (
        (each.channel, each.title, on[each.on], each.since or "its beginning", each.by)
        for each in found
    )
    none = (
        "No channel was chosen. Say /memory on in one, or run `erstwhile channels listen CHANNEL`."
    )
    return found, TableRows("channel, title, listening, since, by", rows, none)


prompts = group()

Whose = Annotated[str | None, "Only for this person's messages."]
PromptName = Annotated[str, "summarise, condense, extract, fold or structure."]
_OWNERS = {"default": "the default", "space": "the space's own", "person": "the person's own"}


@prompts.command("list")
async def list_prompts(memory: Memory, person: Whose = None) -> Result:
    """List the prompts in force, and whose they are."""
    shown = await memory.prompts.list(person=person)
    rows = (
        (each.name, each.whose, output.cut(each.instructions.partition("\n")[0], 70))
        for each in shown
    )
    return shown, TableRows("prompt, whose, begins with", rows)


@prompts.command("show")
async def show_prompt(memory: Memory, name: PromptName, person: Whose = None) -> Result:
    """Show one prompt in full."""
    found = await _find(memory, choice_of_prompts.known(name), person)
    placeholders = ", ".join(f"{{{each}}}" for each in found.placeholders)

    def print_prompt() -> None:
        typer.echo(found.instructions)
        output.note(f"\n({_OWNERS[found.whose]}; may use {placeholders})")

    return found, print_prompt


@prompts.command("set")
async def set_prompt(
    memory: Memory,
    name: PromptName,
    text: Annotated[str, "The prompt; @FILE reads a file, - standard input."],
    person: Whose = None,
) -> Result:
    """Replace a prompt, from the next job on."""
    await memory.prompts.set(name, _read(text), person=person)
    stored = await _find(memory, name, person)
    used = "New memories use it; `erstwhile spaces rebuild` makes all of them again."
    return stored, f"{name} is now {_OWNERS[stored.whose]}. {used}"


@prompts.command("reset")
async def reset_prompt(memory: Memory, name: PromptName, person: Whose = None) -> Result:
    """Remove a replaced prompt, so that the space's, or the default one, is in force again."""
    reset = await memory.prompts.reset(name, person=person)
    said = f"{name} is reset." if reset else f"{name} was not replaced here; nothing to reset."
    return {"reset": reset}, said


async def _find(memory: Memory, name: str, person: str | None) -> CurrentPrompt:
    return next(each for each in await memory.prompts.list(person=person) if each.name == name)


def _read(text: str) -> str:
    if text == "-":
        return typer.get_text_stream("stdin").read()
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"Can't read {text[1:]}: {error.strerror}.") from None
    except UnicodeDecodeError:
        advice = "Convert it first, for example with iconv."
        raise InvalidInput(f"{text[1:]} is not UTF-8. {advice}") from None
