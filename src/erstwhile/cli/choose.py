"""What a space, or a person in it, has of its own: prompts, models and a key."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from erstwhile.api.memory import Memory
from erstwhile.base.errors import InvalidInput
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory
from erstwhile.configuration import prompts as choice_of_prompts
from erstwhile.configuration import space as choices
from erstwhile.configuration.prompts import Shown
from erstwhile.configuration.space import Choice

prompts = typer.Typer(
    help="See and replace the prompts that memories are written with.", no_args_is_help=True, rich_markup_mode=None
)
space_settings = typer.Typer(
    help="See and set a space's own model, address, key, recipe, privacy and retention.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Person = Annotated[str | None, typer.Option("--person", help="Only for this person's messages.")]
PromptName = Annotated[str, typer.Argument(help="summarise, condense, extract or fold.")]
SettingName = Annotated[str, typer.Argument(help=", ".join(choices.NAMES) + ".")]


# Prompts


@prompts.command("show")
def show_prompts(
    name: Annotated[str | None, typer.Argument(help="One of them, in full.")] = None,
    person: Person = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """The prompts in force, and whose they are."""
    if name is not None:
        choice_of_prompts.known(name)
    shown = with_memory(lambda memory: memory.prompts.list(person=person), database, space)
    if name is not None:
        (one,) = [each for each in shown if each.name == name]
        if json:
            output.print_json(one)
        else:
            typer.echo(one.instructions)
            output.note(f"\n({_owner(one)}; may use {', '.join(f'{{{each}}}' for each in one.placeholders)})")
    elif json:
        output.print_json(shown)
    else:
        output.table(("prompt", "whose", "begins with"), [(each.name, each.whose, _beginning(each)) for each in shown])


@prompts.command("set")
def set_prompt(
    name: PromptName,
    text: Annotated[str, typer.Argument(help="The prompt; @FILE reads a file, - standard input.")],
    person: Person = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Put a prompt in place of ours; the next piece of work uses it."""
    instructions = _read(text)

    async def work(memory: Memory) -> Shown:
        await memory.prompts.set(name, instructions, person=person)
        return next(each for each in await memory.prompts.list(person=person) if each.name == name)

    stored = with_memory(work, database, space)
    if json:
        output.print_json(stored)
    else:
        output.note(
            f"{name} is now {_owner(stored)}. What is made from now on uses it; `erstwhile rebuild` remakes all."
        )


@prompts.command("reset")
def reset_prompt(
    name: PromptName, person: Person = None, database: Database = None, space: Space = None, json: Json = False
) -> None:
    """Take a prompt back, so that the next one in line is in force again: the space's, or ours."""
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


def _owner(shown: Shown) -> str:
    return {"default": "the default", "space": "the space's own", "person": "the person's own"}[shown.whose]


def _beginning(shown: Shown) -> str:
    first = shown.instructions.partition("\n")[0]
    return first if len(first) <= 70 else first[:69] + "…"


# A space's own settings


@space_settings.command("show")
def show_space(database: Database = None, space: Space = None, json: Json = False) -> None:
    """What is in force in the space, and whose choice it is. A key is never shown."""
    shown = with_memory(lambda memory: memory.spaces.configuration(), database, space)
    if json:
        output.print_json(shown)
    else:
        output.table(
            ("setting", "value", "whose"), [(each.name, each.value or "(not set)", each.whose) for each in shown]
        )


@space_settings.command("set")
def set_space(
    name: SettingName,
    value: Annotated[str, typer.Argument(help="The value; for api_key always -, which reads it from standard input.")],
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Give the space a setting of its own, from the next piece of work on."""
    choices.known(name)
    if name == "api_key" and value != "-":
        raise InvalidInput(
            "A key on the command line stays in the shell's history. Write `erstwhile space set api_key -` and give it on standard input."
        )
    _configure(name, _read_hidden(name) if value == "-" else value, (database, space), json=json)


@space_settings.command("reset")
def reset_space(name: SettingName, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Take a setting of the space back, so that the house's is in force again."""
    _configure(choices.known(name), "", (database, space), json=json)


def _configure(name: str, value: str, where: tuple[str | None, str | None], *, json: bool) -> None:
    async def work(memory: Memory) -> Choice:
        await memory.spaces.configure(**{name: value})
        return next(each for each in await memory.spaces.configuration() if each.name == name)

    stored = with_memory(work, *where)
    if json:
        output.print_json(stored)
    else:
        output.note(f"{name}: {stored.value or '(not set)'} ({stored.whose})")


def _read_hidden(name: str) -> str:
    if name == "api_key" and sys.stdin.isatty():
        return str(typer.prompt("Key", hide_input=True, err=True))
    read = typer.get_text_stream("stdin").read()
    if not read.strip():
        raise InvalidInput(f"Standard input has no {name}. `erstwhile space reset {name}` takes one back.")
    return read
