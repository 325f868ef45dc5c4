"""The everyday commands: add, context, search, about, remember, forget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from erstwhile.base import ids
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, read_memory, with_memory

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.api.portraits import About
    from erstwhile.log.model import Message

Since = Annotated[str | None, typer.Option(help="Not before this day, such as 2026-03-01, or time.")]
Until = Annotated[str | None, typer.Option(help="Up to the end of this day, or before this time.")]
Writer = Annotated[str | None, typer.Option(help="Only memories by this writer: a model, a person, extractive.")]
Kinds = Annotated[str | None, typer.Option(help="Only these kinds, for example message,fact.")]
InChannel = Annotated[str | None, typer.Option("--channel", help="Only in this channel.")]
Person = Annotated[str, typer.Argument(help="The person's id.")]
SaidBy = Annotated[str | None, typer.Option("--by", help="Who says it (default: the app itself).")]
SaidIn = Annotated[
    str | None, typer.Option("--channel", help="Where it was said. What was said in a private channel stays there.")
]


def add(
    channel: Annotated[str, typer.Argument(help="The channel.")],
    role: Annotated[str, typer.Argument(help="user, assistant, system or tool.")],
    text: Annotated[str, typer.Argument(help="What was said; - reads standard input.")],
    person: Annotated[str | None, typer.Option(help="The id of who said it.")] = None,
    name: Annotated[str | None, typer.Option(help="The person's name now.")] = None,
    model: Annotated[str | None, typer.Option(help="Which model wrote it.")] = None,
    at: Annotated[str | None, typer.Option(help="When, with a zone: 2026-03-01T09:30:00+09:00.")] = None,
    key: Annotated[str | None, typer.Option(help="Your own id of the message. A repeat changes nothing.")] = None,
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
        output.note(f"Nothing was stored: {why_not}.")
    if json:
        output.print_json({"id": message.id if message.seq else None, "seq": message.seq})
    elif message.seq:
        output.note(f"Stored as {message.id}, message {message.seq} of {channel}.")


def _why_not_kept(memory: Memory, person: str | None) -> str:
    """Why a message has no number."""
    settings = memory.settings
    if settings.spaces and settings.space not in settings.spaces:
        return f"space {settings.space!r} is not among those that are remembered (ERSTWHILE_SPACES)"
    return f"{person!r} is blocked in space {settings.space!r}"


def context(
    channel: Annotated[str, typer.Argument(help="The channel.")],
    query: Annotated[str, typer.Argument(help="The question.")] = "",
    person: Annotated[str | None, typer.Option(help="Who asks.")] = None,
    budget: Annotated[int | None, typer.Option(help="Tokens at most.")] = None,
    recipe: Annotated[str | None, typer.Option(help="dual, brief, recall, person, community or full.")] = None,
    scope: Annotated[
        str | None, typer.Option(help="channel, or person: also what was said in the person's other channels.")
    ] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Show the context that a model gets for a question, with its sources."""
    made = read_memory(
        lambda memory: memory.channel(channel).context(query, person=person, budget=budget, recipe=recipe, scope=scope),
        database,
        space,
    )
    if json:
        parts = [{"name": part.name, "tokens": part.tokens} for part in made.parts]
        shown = {"text": made.text, "tokens": made.tokens, "parts": parts, "sources": made.sources}
        output.print_json({**shown, "request": made.request})
        return
    typer.echo(made.text)
    parts_line = ", ".join(f"{part.name} {part.tokens}" for part in made.parts) or "nothing is remembered here yet"
    output.note(f"\n{made.tokens} tokens ({parts_line}), {len(made.sources)} sources")
    if made.request:
        output.note(f"How it was made: erstwhile requests explain {made.request}")


def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    channel: InChannel = None,
    person: Annotated[str | None, typer.Option(help="Only what this person said.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Hits at most.")] = 10,
    kinds: Kinds = None,
    since: Since = None,
    until: Until = None,
    writer: Writer = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Search messages, summaries and facts, best first."""
    narrowed: dict[str, Any] = {"channel": channel, "person": person, "kinds": split_kinds(kinds)}
    narrowed |= {"since": since, "until": until, "writer": writer}
    hits = read_memory(lambda memory: memory.search(query, limit=limit, **narrowed), database, space, channel)
    if json:
        output.print_json(hits)
    elif not hits:
        output.note("Nothing found.")
    else:
        rows = [
            (ids.abbreviated(hit.id), hit.kind, f"{hit.score:.1f}", f"{hit.channel} {hit.at:%Y-%m-%d}", hit.text)
            for hit in hits
        ]
        output.table(("id", "kind", "score", "where", "text"), rows)


def split_kinds(kinds: str | None) -> list[str] | None:
    return None if kinds is None else [kind.strip() for kind in kinds.split(",")]


def about(
    person: Annotated[str, typer.Argument(help="Their id, or their name.")],
    channel: Annotated[str | None, typer.Option(help="Only what is visible in this channel.")] = None,
    asker: Annotated[str | None, typer.Option(help="Who asks: only what is visible to them.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Show what is known about a person: remembered, today, the days before, and their profile."""
    found = read_memory(lambda memory: memory.about(person, channel=channel, asker=asker), database, space, channel)
    if json:
        output.print_json(found)
    elif not (found.text or any(found.profile.values())):
        output.note(f"Nothing is known about {found.name} yet.")
    else:
        typer.echo("\n\n".join(_paragraphs(found)))


def _paragraphs(found: About) -> list[str]:
    named = found.name if found.name == found.person else f"{found.name} ({found.person})"
    known = (("Remembered", found.told), ("Today", found.today), ("The days before", found.history))
    shown = [f"{heading}\n{_indented(text)}" for heading, text in known if text]
    # Without a model, the text only repeats what follows.
    if len(shown) > 1 and not all(text in found.text for _, text in known):
        shown.insert(0, f"In short\n{_indented(found.text)}")
    for section, facts in found.profile.items():
        if facts:
            rows = [f"- {fact.text}" + (f" [{fact.source}]" if fact.source else "") for fact in facts]
            shown.append(f"{section.capitalize()}\n" + _indented("\n".join(rows)))
    return [named, *shown]


def _indented(text: str) -> str:
    return "\n".join(f"  {row}" for row in text.splitlines())


def remember(
    person: Person,
    fact: Annotated[str, typer.Argument(help="What to remember, in a sentence.")],
    by: SaidBy = None,
    channel: SaidIn = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Remember a fact about a person. It replaces facts it contradicts."""
    told = with_memory(lambda memory: memory.remember(person, fact, by=by, channel=channel), database, space)
    if json:
        output.print_json(told)
    else:
        output.note(f"Remembered as {told.id}.")
        output.console().print(told.text, markup=False)


def forget(
    person: Person,
    fact: Annotated[str, typer.Argument(help="What to forget; 'everything' is all of it.")],
    by: SaidBy = None,
    channel: SaidIn = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Forget a fact about a person, and say whether it was there."""
    gone = with_memory(lambda memory: memory.forget(person, fact, by=by, channel=channel), database, space)
    if json:
        output.print_json(gone)
    elif gone.found:
        output.note(f"Forgotten: {gone.removed}")
    else:
        output.note(f"Nothing like that is remembered about {person}.")
