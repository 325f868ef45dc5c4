"""Prompts of a space or of a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base.errors import InvalidInput
from erstwhile.cli import output
from erstwhile.cli.options import Memory, group
from erstwhile.configuration import prompts as choice_of_prompts

if TYPE_CHECKING:
    from erstwhile.configuration.prompts import CurrentPrompt

prompts = group()

Whose = Annotated[str | None, "Only for this person's messages."]
PromptName = Annotated[str, "summarise, condense, extract, fold or structure."]
_OWNERS = {"default": "the default", "space": "the space's own", "person": "the person's own"}


@prompts.command("list")
async def list_prompts(memory: Memory, person: Whose = None) -> output.Result:
    """List the prompts in force, and whose they are."""
    shown = await memory.prompts.list(person=person)
    rows = (
        (each.name, each.whose, output.cut(each.instructions.partition("\n")[0], 70))
        for each in shown
    )
    return shown, output.TableRows("prompt, whose, begins with", rows)


@prompts.command("show")
async def show(memory: Memory, name: PromptName, person: Whose = None) -> output.Result:
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
) -> output.Result:
    """Replace a prompt, from the next job on."""
    await memory.prompts.set(name, _read(text), person=person)
    stored = await _find(memory, name, person)
    used = "New memories use it; `erstwhile spaces rebuild` makes all of them again."
    return stored, f"{name} is now {_OWNERS[stored.whose]}. {used}"


@prompts.command("reset")
async def reset_prompt(memory: Memory, name: PromptName, person: Whose = None) -> output.Result:
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
        raise InvalidInput(
            f"{text[1:]} is not UTF-8. Convert it first, for example with iconv."
        ) from None
