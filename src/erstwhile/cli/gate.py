"""Who is remembered, who may hear what, and for how long: people, channel declare, expire."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from erstwhile.api.memory import Memory
from erstwhile.api.page import every
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory
from erstwhile.log.listening import Listened
from erstwhile.log.people import PersonShown

people = typer.Typer(
    help="See who is known, and say who is remembered and whose words may be told elsewhere.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
channel = typer.Typer(
    help="Say who may hear what is said in a channel, and whether a bot listens.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Who = Annotated[str, typer.Argument(help="The person: an id of yours.")]


@people.command("list")
def list_people(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Everyone who ever spoke in the space."""
    found = with_memory(lambda memory: every(memory.people.list), database, space)
    if json:
        output.print_json(found)
    elif not found:
        output.note("Nobody has spoken here.")
    else:
        rows = [(each.person, each.name, _yes(each.blocked), _yes(each.shares)) for each in found]
        output.table(("person", "name", "blocked", "shares"), rows)


@people.command("block")
def block(person: Who, database: Database = None, space: Space = None, json: Json = False) -> None:
    """From now on keep nothing the person says, and recall nothing of theirs."""

    async def work(memory: Memory) -> PersonShown:
        await memory.people.block(person)
        return await _known(memory, person)

    _tell(with_memory(work, database, space), "is blocked: nothing they say is kept, nothing of theirs recalled", json)


@people.command("unblock")
def unblock(person: Who, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Keep what the person says again; what was said in between was never kept."""

    async def work(memory: Memory) -> PersonShown:
        await memory.people.unblock(person)
        return await _known(memory, person)

    _tell(with_memory(work, database, space), "is not blocked", json)


@people.command("share")
def share(
    person: Who,
    no: Annotated[bool, typer.Option("--no", help="Take it back.")] = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Let what the person said in private be told in other channels."""

    async def work(memory: Memory) -> PersonShown:
        await memory.people.share(person, not no)
        return await _known(memory, person)

    _tell(with_memory(work, database, space), "does not share" if no else "shares what they say in private", json)


@channel.command("declare")
def declare(
    channel: Annotated[str, typer.Argument(help="The conversation.")],
    privacy: Annotated[str, typer.Argument(help="open, private or direct.")],
    person: Annotated[list[str] | None, typer.Option("--person", help="Someone who hears it; again for more.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Say of a channel that it is open, private or direct, and who hears it."""
    hearers = person or []
    with_memory(
        lambda memory: memory.channels.set_privacy(memory.channel(channel), privacy, people=hearers), database, space
    )
    if json:
        output.print_json({"channel": channel, "privacy": privacy, "people": hearers})
    else:
        output.note(f"{channel} is {privacy}.")


@channel.command("listen")
def listen(
    channel: Annotated[str | None, typer.Argument(help="The conversation; without one, all are listed.")] = None,
    off: Annotated[bool, typer.Option("--off", help="No longer.")] = False,
    since: Annotated[str, typer.Option("--since", help="From this time on; else from its beginning.")] = "",
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Say whether a bot listens to a channel, or list what is listened to."""

    async def work(memory: Memory) -> list[Listened]:
        if channel is not None:
            await memory.channels.listen(memory.channel(channel), not off, since=since)
        return [each for each in await memory.channels.listening() if channel in (None, each.channel)]

    found = with_memory(work, database, space)
    if json:
        output.print_json(found)
    elif not found:
        output.note("No channel was chosen. Say /memory on in one, or `erstwhile channel listen CHANNEL`.")
    else:
        rows = [(each.channel, each.title, _on(each.on), each.since or "its beginning", each.by) for each in found]
        output.table(("channel", "title", "listened to", "since", "by"), rows)


def _on(chosen: bool | None) -> str:
    return {True: "yes", False: "no", None: "as its channel"}[chosen]


def expire(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Take away, now, what has been kept as long as the retention says."""
    gone = with_memory(lambda memory: memory.archive.expire(), database, space)
    if json:
        output.print_json(gone)
    else:
        told = ", ".join(f"{count} of {kind}" for kind, count in asdict(gone).items() if count)
        output.note(f"Expired: {told}." if told else "Nothing has expired.")


async def _known(memory: Memory, person: str) -> PersonShown:
    return (await memory.people.list(people=[person]))[0]


def _tell(person: PersonShown, what: str, json: bool) -> None:
    if json:
        output.print_json(person)
    else:
        output.note(f"{person.name} {what}.")


def _yes(value: bool) -> str:
    return "yes" if value else ""
