"""What is known of a person."""

from __future__ import annotations

from typing import Annotated

import typer

from erstwhile.api.portraits import About
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory


def about(
    person: Annotated[str, typer.Argument(help="Their id, or the name they go by.")],
    channel: Annotated[str | None, typer.Option(help="Only what may be told in this conversation.")] = None,
    asker: Annotated[str | None, typer.Option(help="Who asks: only what they may hear.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Show what is known of a person: told, today, the days before, and their profile."""
    found = with_memory(lambda memory: memory.about(person, channel=channel, asker=asker), database, space)
    if json:
        output.print_json(found)
    elif not (found.text or any(found.profile.values())):
        output.note(f"Nothing is known of {found.name} yet.")
    else:
        typer.echo("\n\n".join(_paragraphs(found)))


def _paragraphs(found: About) -> list[str]:
    named = found.name if found.name == found.person else f"{found.name} ({found.person})"
    known = (("Told", found.told), ("Today", found.today), ("The days before", found.history))
    shown = [f"{heading}\n{_indented(text)}" for heading, text in known if text]
    if len(shown) > 1 and not all(
        text in found.text for _, text in known
    ):  # without a model, the text is what stands below it
        shown.insert(0, f"In short\n{_indented(found.text)}")
    for section, facts in found.profile.items():
        if facts:
            rows = [f"- {fact.text}" + (f" [{fact.source}]" if fact.source else "") for fact in facts]
            shown.append(f"{section.capitalize()}\n" + _indented("\n".join(rows)))
    return [named, *shown]


def _indented(text: str) -> str:
    return "\n".join(f"  {row}" for row in text.splitlines())
