"""Prompts of a space or of a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base.errors import InvalidInput
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, group, with_memory
from erstwhile.configuration import prompts as choice_of_prompts

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.configuration.prompts import CurrentPrompt

prompts = group()

Person = Annotated[str | None, typer.Option("--person", help="Only for this person's messages.")]
PromptName = Annotated[str, typer.Argument(help="summarise, condense, extract, fold or structure.")]


@prompts.command("list")
def list_prompts(person: Person = None, database: Database = None, space: Space = None, json: Json = False) -> None:
    """List the prompts in force, and whose they are."""
    shown = with_memory(lambda memory: memory.prompts.list(person=person), database, space)
    if json:
        output.print_json(shown)
    else:
        rows = [(each.name, each.whose, _beginning(each)) for each in shown]
        output.table(("prompt", "whose", "begins with"), rows)


@prompts.command("show")
def show(
    name: PromptName, person: Person = None, database: Database = None, space: Space = None, json: Json = False
) -> None:
    """Show one prompt in full."""
    choice_of_prompts.known(name)
    listed = with_memory(lambda memory: memory.prompts.list(person=person), database, space)
    (found,) = [each for each in listed if each.name == name]
    if json:
        output.print_json(found)
    else:
        typer.echo(found.instructions)
        output.note(f"\n({_owner(found)}; may use {', '.join(f'{{{each}}}' for each in found.placeholders)})")


@prompts.command("set")
def set_prompt(
    name: PromptName,
    text: Annotated[str, typer.Argument(help="The prompt; @FILE reads a file, - standard input.")],
    person: Person = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Replace a prompt, from the next job on."""
    instructions = _read(text)

    async def work(memory: Memory) -> CurrentPrompt:
        await memory.prompts.set(name, instructions, person=person)
        return next(each for each in await memory.prompts.list(person=person) if each.name == name)

    stored = with_memory(work, database, space)
    if json:
        output.print_json(stored)
    else:
        output.note(
            f"{name} is now {_owner(stored)}. New memories use it; `erstwhile spaces rebuild` makes all of them again."
        )


@prompts.command("reset")
def reset_prompt(
    name: PromptName, person: Person = None, database: Database = None, space: Space = None, json: Json = False
) -> None:
    """Remove a replaced prompt, so that the space's, or the default one, is in force again."""
    reset = with_memory(lambda memory: memory.prompts.reset(name, person=person), database, space)
    if json:
        output.print_json({"reset": reset})
    else:
        output.note(f"{name} is reset." if reset else f"{name} was not replaced here; nothing to reset.")


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
        raise InvalidInput(f"{text[1:]} is not UTF-8. Convert it first, for example with iconv.") from None


def _owner(shown: CurrentPrompt) -> str:
    return {"default": "the default", "space": "the space's own", "person": "the person's own"}[shown.whose]


def _beginning(shown: CurrentPrompt) -> str:
    first = shown.instructions.partition("\n")[0]
    return first if len(first) <= 70 else first[:69] + "…"
