"""Profiles, as commands of `people`."""

from __future__ import annotations

import json as jsons
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput
from erstwhile.cli import output
from erstwhile.cli.options import By, Database, Json, Space, editor, group, read_memory, with_memory
from erstwhile.layers.profiles.model import SECTIONS

profile = group()
Person = Annotated[str, typer.Argument(help="The person's id.")]


@profile.command("show")
def show(
    person: Person,
    all: Annotated[bool, typer.Option("--all", help="Also facts no longer valid.")] = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Show a person's profile, each fact with its source."""
    told = read_memory(lambda memory: memory.people.export_profile(person), database, space)
    sections = {
        name: [fact for fact in facts if all or fact["valid_to"] is None] for name, facts in told["sections"].items()
    }
    if json:
        output.print_json({**told, "sections": sections})
    elif not any(sections.values()):
        output.note("No profile.")
    else:
        rows = [(name, *_row(fact, person)) for name, facts in sections.items() for fact in facts]
        output.table(("section", "id", "fact", "said by", "date", "until", "source"), rows)


def _row(fact: Mapping[str, Any], person: str) -> tuple[str, ...]:
    sources = "; ".join(f"{each['title']}, {each['day']}" for each in fact["sources"])
    return (
        ids.abbreviated(fact["id"]),
        fact["text"],
        "" if fact["said_by"] == person else fact["said_by_name"],
        fact["at"][:10],
        (fact["valid_to"] or "")[:10],
        sources or fact["writer"],
    )


@profile.command("add")
def add(
    person: Person,
    section: Annotated[str, typer.Argument(help=f"{', '.join(SECTIONS)}.")],
    text: Annotated[str, typer.Argument(help="The fact.")],
    by: By = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Add a fact by hand. Only a person changes it."""
    fact = with_memory(
        lambda memory: memory.people.add_to_profile(person, section, text, by=editor(by)), database, space
    )
    if json:
        output.print_json(fact)
    else:
        output.note(f"Added as {fact.id}.")


@profile.command("import")
def import_file(
    person: Person,
    file: Annotated[str, typer.Argument(help="Lines of text, or JSON; - reads stdin.")],
    by: By = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Import facts from another memory. The same file again changes nothing."""
    facts = _facts(_text(file))
    count = with_memory(lambda memory: memory.people.import_profile(person, facts, by=editor(by)), database, space)
    if json:
        output.print_json({"imported": count})
    else:
        output.note(f"{count} imported, {len(facts) - count} skipped: known, or deleted.")


def _text(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} can't be read: {type(error).__name__}.") from None


def _facts(text: str) -> Sequence[str | Mapping[str, Any]]:
    """A JSON list of texts or objects; else a fact a line, each plain or a JSON object."""
    if text.lstrip().startswith("["):
        try:
            listed = jsons.loads(text)
        except ValueError as error:
            raise InvalidInput(f"The file is not JSON: {error}.") from None
        return list(listed)
    return [_line(line) for line in map(str.strip, text.splitlines()) if line]


def _line(line: str) -> str | Mapping[str, Any]:
    if line.startswith("{"):
        try:
            found = jsons.loads(line)
        except ValueError as error:
            raise InvalidInput(f"A line is not JSON: {error}.") from None
        return dict(found)
    return line.removeprefix("- ").strip()


@profile.command("export")
def export(person: Person, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Print a profile as JSON: every fact with who said it, its notes and messages."""
    del json  # it always is
    output.print_json(read_memory(lambda memory: memory.people.export_profile(person), database, space))


@profile.command("delete")
def delete(person: Person, by: By = None, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Delete a whole profile. What was said so far does not come back by itself."""
    count = with_memory(lambda memory: memory.people.delete_profile(person, by=editor(by)), database, space)
    if json:
        output.print_json({"deleted": count})
    else:
        output.note(f"{count} facts deleted.")
