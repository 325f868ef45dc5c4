"""People: who is known, blocked or sharing, and their profiles."""

from __future__ import annotations

import json as jsons
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput
from erstwhile.base.page import DEFAULT
from erstwhile.cli import output
from erstwhile.cli.options import (
    By,
    Cursor,
    Limit,
    Memory,
    Person,
    Yes,
    ask,
    check_person,
    editor,
    group,
)
from erstwhile.cli.output import Result, TableRows
from erstwhile.layers.profiles.model import SECTIONS

people = group()
profile = group()
people.add_typer(profile, name="profile", help="Profiles: show, add, import, export, delete.")


@people.command("list", reads=True)
async def list_people(memory: Memory, limit: Limit = DEFAULT, cursor: Cursor = None) -> Result:
    """List who ever spoke in a space, the most recently active first."""
    found = await memory.people.list(limit=limit, cursor=cursor)
    columns = "person, name, blocked, shares"
    return found, TableRows.of(found, columns, "Nobody has spoken here.")


@people.command("block")
async def block(memory: Memory, person: Person) -> Result:
    """Block a person: nothing they say is stored from now on, and nothing of theirs is found."""
    await memory.people.block(person)
    done = "is blocked: nothing they say is stored, nothing of theirs is found"
    return await _changed(memory, person, done)


@people.command("unblock")
async def unblock(memory: Memory, person: Person) -> Result:
    """Unblock a person. What they said while blocked was never stored."""
    await memory.people.unblock(person)
    return await _changed(memory, person, "is not blocked")


@people.command("share")
async def share(
    memory: Memory, person: Person, no: Annotated[bool, "Stop sharing."] = False
) -> Result:
    """Make what the person said in private channels visible in others."""
    await check_person(memory, person)
    await memory.people.share(person, not no)
    done = "does not share" if no else "shares what they say in private"
    return await _changed(memory, person, done)


async def _changed(memory: Memory, person: str, done: str) -> Result:
    (known,) = await memory.people.list(people=[person])
    return known, f"{known.name} {done}."


# Profiles


@profile.command("show", reads=True)
async def show(
    memory: Memory, person: Person, all: Annotated[bool, "Also facts no longer valid."] = False
) -> Result:
    """Show a person's profile, each fact with its source."""
    await check_person(memory, person)
    told = await memory.people.export_profile(person)
    sections = {
        name: [fact for fact in facts if all or fact["valid_to"] is None]
        for name, facts in told["sections"].items()
    }
    rows = [(name, *_row(fact, person)) for name, facts in sections.items() for fact in facts]
    columns = "section, id, fact, said by, date, until, source"
    return {**told, "sections": sections}, TableRows(columns, rows, "No profile.")


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
async def add(
    memory: Memory,
    person: Person,
    section: Annotated[str, f"{', '.join(SECTIONS)}."],
    text: Annotated[str, "The fact."],
    by: By = None,
) -> Result:
    """Add a fact by hand. Only a person changes it."""
    fact = await memory.people.add_to_profile(person, section, text, by=editor(by))
    return fact, f"Added as {fact.id}."


@profile.command("import")
async def import_file(
    memory: Memory,
    person: Person,
    file: Annotated[str, "Lines of text, or JSON; - reads stdin."],
    by: By = None,
) -> Result:
    """Import facts from another memory. The same file again changes nothing."""
    facts = _facts(_text(file))
    count = await memory.people.import_profile(person, facts, by=editor(by))
    done = f"{count} imported, {len(facts) - count} skipped: known, or deleted."
    return {"imported": count}, done


def _text(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} can't be read: {type(error).__name__}.") from None


def _facts(text: str) -> Sequence[str | Mapping[str, Any]]:
    """Read facts: a JSON list of texts or objects; else a fact a line, each plain or a JSON object."""
    if text.lstrip().startswith("["):
        return list(_parse(text, "The file"))
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    return [
        dict(_parse(line, "A line")) if line.startswith("{") else line.removeprefix("- ").strip()
        for line in lines
    ]


def _parse(text: str, what: str) -> Any:
    try:
        return jsons.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{what} is not JSON: {error}.") from None


@profile.command("export", reads=True)
async def export(memory: Memory, person: Person) -> Result:
    """Print a profile as JSON: every fact with who said it, its notes and messages."""
    await check_person(memory, person)
    told = await memory.people.export_profile(person)
    return told, lambda: output.print_json(told)


@profile.command("delete", reads=True)
async def delete(memory: Memory, person: Person, by: By = None, yes: Yes = False) -> Result:
    """Delete a whole profile. What was said so far does not come back by itself."""
    await check_person(memory, person)
    facts = sum(map(len, (await memory.people.profile(person)).sections.values()))
    ask(f"Delete the profile of {person}: {output.counted(facts, 'fact')}?", yes=yes)
    count = await memory.people.delete_profile(person, by=editor(by))
    return {"deleted": count}, f"{output.counted(count, 'fact')} deleted."
