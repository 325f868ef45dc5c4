"""Say what a command will touch, and ask before it does. Scripts pass --yes."""

from __future__ import annotations

from pathlib import Path

import typer

from erstwhile.api.page import every
from erstwhile.base.errors import NotFound
from erstwhile.cli import output
from erstwhile.cli.options import Memory, check_channel, listed

_PEOPLE = 1000  # among whom near names are looked for


def ask(question: str, *, yes: bool) -> None:
    """Ask, unless --yes was given. Without an answer nothing is done, and the exit code is 1."""
    if not yes:
        typer.confirm(question, abort=True, err=True)


def ask_to_replace(file: Path, *, yes: bool) -> None:
    """Ask before an existing file is written over."""
    if file.is_file():
        size, at = file.stat().st_size, output.local_time(file.stat().st_mtime)
        ask(f"{file} exists ({size:,} bytes, written {at}). Replace it?", yes=yes)


async def check_person(memory: Memory, person: str | None) -> None:
    """Raise for an unknown person, with those whose id or name is most like it."""
    if person is None or await memory.people.list(people=[person]):
        return
    profile = await memory.people.profile(person, ended=True)
    if any(profile.sections.values()):  # written by hand, before they spoke
        return
    known = await memory.people.list(limit=_PEOPLE)
    named = {
        f"{each.person} ({each.name})" if each.name != each.person else each.person
        for each in known
    }
    raise NotFound(f"Unknown person {person!r}. {listed('People', person, named)}")


async def contents(memory: Memory, *, person: str | None = None, channel: str | None = None) -> str:
    """Count what there is of a person, a channel or the space: "12 messages in 2 channels". Raise
    for unknown ones; those who were erased before may be erased again."""
    if (person or channel) and await memory.archive.receipts(
        person=person, channel=channel, limit=1
    ):
        return "erased before; what has come since"
    if person is not None:
        await check_person(memory, person)
        said = sum(each.messages for each in await memory.people.list(people=[person]))
        texts = [each.text for each in await memory.people.remembered(person)]
        remembered = sum(len(text.splitlines()) for text in texts)
        return output.counted(said, "message") + _and(remembered, "remembered fact")
    if channel is not None:
        await check_channel(memory, channel)
        shown = await memory.channels.get(memory.channel(channel))
        made = shown.made
        memories = made.chunks + made.metas + made.facts + made.notes if made is not None else 0
        return output.counted(shown.size, "message") + _and(memories, "memory")
    counts = await memory.spaces.counts(days=1)
    return (
        f"{output.counted(counts.messages, 'message')} in {output.counted(counts.channels, 'channel')}, "
        f"{output.counted(counts.people, 'person')}{_and(sum(counts.memories.values()), 'memory')}"
    )


async def origin_contents(memory: Memory, origin: str) -> str:
    """Count the messages of an origin. Raise for an unknown one."""
    known = {each.source: each for each in await every(memory.archive.origins)}
    if origin not in known:
        raise NotFound(f"Unknown origin {origin!r}. {listed('Origins', origin, known)}")
    found = known[origin]
    return f"{output.counted(found.messages, 'message')} in {output.counted(found.channels, 'channel')}"


def _and(count: int, what: str) -> str:
    return f", {output.counted(count, what)}" if count else ""
