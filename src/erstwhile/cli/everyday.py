"""The everyday commands: add, context, search, about, remember, forget, chat."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base.errors import Error, NotFound
from erstwhile.cli import output
from erstwhile.cli.options import (
    Channel,
    Database,
    Limit,
    Memory,
    Person,
    Space,
    Yes,
    check_channel,
    command,
    reads,
    reads_space,
    with_memory,
)
from erstwhile.cli.output import Result, TableRows, counted

if TYPE_CHECKING:
    from rich.console import Console

    from erstwhile.api.channel import Channel as Conversation
    from erstwhile.context.model import Context


Since = Annotated[str | None, "Not before this day, such as 2026-03-01, or time."]
Until = Annotated[str | None, "Up to the end of this day, or before this time."]
Writer = Annotated[str | None, "Only memories by this writer: a model, a person, extractive."]
Decompose = Annotated[bool, "A model first splits the question into at most three."]
Trust = Annotated[
    str | None,
    "Only what is at least as trusted: self, user, assistant, tool, third_party, unknown.",
]
Kinds = Annotated[str | None, "Only these kinds, for example message,fact."]
InChannel = Annotated[str | None, "Only in this channel."]
SaidBy = Annotated[str | None, "Who says it (default: the app itself)."]
SaidIn = Annotated[str | None, "Where it was said. What was said in a private channel stays there."]


@command
async def add(
    memory: Memory,
    channel: Channel,
    role: Annotated[str, "user, assistant, system or tool."],
    text: Annotated[str, "What was said; - reads standard input."],
    person: Annotated[str | None, "The id of who said it."] = None,
    name: Annotated[str | None, "The person's name now."] = None,
    model: Annotated[str | None, "Which model wrote it."] = None,
    at: Annotated[str | None, "When, with a zone: 2026-03-01T09:30:00+09:00."] = None,
    key: Annotated[str | None, "Your own id of the message. A repeat changes nothing."] = None,
) -> Result:
    """Store one message."""
    said = typer.get_text_stream("stdin").read() if text == "-" else text
    chat = memory.channel(channel)
    message = await chat.add(role, said, person=person, name=name, at=at, key=key, model=model)
    if not message.seq:
        output.note(f"Nothing was stored: {_why_not_kept(memory, person)}.")
        return {"id": None, "seq": message.seq}, lambda: None
    stored = f"Stored as {message.id}, message {message.seq} of {channel}."
    return {"id": message.id, "seq": message.seq}, stored


def _why_not_kept(memory: Memory, person: str | None) -> str:
    """Why a message has no number."""
    settings = memory.settings
    if settings.spaces and settings.space not in settings.spaces:
        return f"space {settings.space!r} is not among those that are remembered (ERSTWHILE_SPACES)"
    return f"{person!r} is blocked in space {settings.space!r}"


@reads_space
async def context(
    memory: Memory,
    channel: Channel,
    query: Annotated[str, typer.Argument(help="The question.")] = "",
    person: Annotated[str | None, "Who asks."] = None,
    budget: Annotated[int | None, "Tokens at most."] = None,
    recipe: Annotated[str | None, "dual, brief, recall, person, community or full."] = None,
    scope: Annotated[
        str | None, "channel, or person: also what was said in the person's other channels."
    ] = None,
    floor: Annotated[float | None, "Leave out what is less likely to bear on the question."] = None,
    trust: Trust = None,
    decompose: Decompose = False,
) -> Result:
    """Show the context that a model gets for a question, with its sources."""
    if person is None:  # for someone, a new conversation has a context too: of their other ones
        await check_channel(memory, channel)
    chat = memory.channel(channel)
    made = await chat.context(
        query,
        person=person,
        budget=budget,
        recipe=recipe,
        scope=scope,
        floor=floor,
        trust=trust,
        decompose=decompose,
    )
    shown = ("sources", "request", "relevant", "relevance", "withheld")
    parts = [{"name": part.name, "tokens": part.tokens} for part in made.parts]
    data = {"text": made.text, "tokens": made.tokens, "parts": parts}
    data |= {name: getattr(made, name) for name in shown}
    return data, lambda: _print_context(made)


def _print_context(made: Context) -> None:
    typer.echo(made.text)
    parts = ", ".join(f"{part.name} {part.tokens}" for part in made.parts)
    parts = parts or "nothing is remembered here yet"
    sources = counted(len(made.sources), "source")
    output.note(f"\n{counted(made.tokens, 'token')} ({parts}), {sources}")
    if not made.relevant:
        output.note("Nothing in memory bears on the question.")
    if made.withheld:
        output.note(
            f"{made.withheld} lines that hardly bear on it are left out; --floor 0 shows them."
        )
    if made.request:
        output.note(f"How it was made: erstwhile requests explain {made.request}")


@reads
async def search(
    memory: Memory,
    query: Annotated[str, "What to look for."],
    channel: InChannel = None,
    person: Annotated[str | None, "Only what this person said."] = None,
    asker: Annotated[str | None, "Who asks: only what is visible to them."] = None,
    limit: Limit = 10,
    kinds: Kinds = None,
    since: Since = None,
    until: Until = None,
    writer: Writer = None,
    trust: Trust = None,
    decompose: Decompose = False,
) -> Result:
    """Search messages, summaries and facts, best first."""
    if person is not None:
        from erstwhile.cli.options import check_person

        await check_person(memory, person)
    hits = await memory.search(
        query,
        limit=limit,
        channel=channel,
        person=person,
        asker=asker,
        kinds=split_kinds(kinds),
        since=since,
        until=until,
        writer=writer,
        trust=trust,
        decompose=decompose,
    )
    return hits, TableRows.of(
        hits,
        "id, kind, score, where, text",
        "Nothing found.",
        score=lambda hit: f"{hit.score:.1f}",
        where=lambda hit: f"{hit.title or hit.channel} {hit.at:%Y-%m-%d}",
    )


def split_kinds(kinds: str | None) -> list[str] | None:
    return None if kinds is None else [kind.strip() for kind in kinds.split(",")]


@reads
async def about(
    memory: Memory,
    person: Annotated[str, "Their id, or their name."],
    channel: Annotated[str | None, "Only what is visible in this channel."] = None,
    asker: Annotated[str | None, "Who asks: only what is visible to them."] = None,
) -> Result:
    """Show what is known about a person: remembered, today, the days before, their profile, and
    facts on file."""
    try:
        found = await memory.about(person, channel=channel, asker=asker)
    except NotFound:
        from erstwhile.cli.options import check_person

        await check_person(memory, person)
        raise
    return found, str(found) if found.nothing else lambda: typer.echo(str(found))


@command
async def remember(
    memory: Memory,
    person: Person,
    fact: Annotated[str, "What to remember, in a sentence."],
    by: SaidBy = None,
    channel: SaidIn = None,
) -> Result:
    """Remember a fact about a person. It replaces facts it contradicts."""
    told = await memory.remember(person, fact, by=by, channel=channel)

    def show() -> None:
        output.note(f"Remembered as {told.id}.")
        output.console().print(told.text, markup=False)

    return told, show


@reads_space
async def forget(
    memory: Memory,
    person: Person,
    fact: Annotated[str, "What to forget; 'everything' is all of it."],
    by: SaidBy = None,
    channel: SaidIn = None,
    yes: Yes = False,
) -> Result:
    """Forget a fact about a person, and say whether it was there. Asks before it forgets
    everything."""
    from erstwhile.cli.options import ask, check_person

    await check_person(memory, person)
    if fact.strip().casefold() in ("everything", "all"):
        texts = [each.text for each in await memory.people.remembered(person) if each.text]
        facts = counted(sum(len(text.splitlines()) for text in texts), "remembered fact")
        ask(f"Forget all that is remembered about {person}: {facts}? Messages stay.", yes=yes)
    gone = await memory.forget(person, fact, by=by, channel=channel)
    nothing = (
        f"Nothing like that is remembered about {person}. What was read from messages is deleted "
        f"with `erstwhile memories delete ID`; `erstwhile search` shows ids."
    )
    return gone, f"Forgotten: {gone.removed}" if gone.found else gone.question or nothing


_HELP = """/context [QUESTION]  the context that a model gets
/sources             where the lines behind the last reply came from
/explain             what the last reply took: tokens, cache, time, parts of the context
/remember TEXT       keep a fact about you
/help, /quit"""


def chat(
    channel: Annotated[
        str, typer.Argument(help="The channel; the conversation continues where it ended.")
    ] = "terminal",
    person: Annotated[str, "Who you are."] = "me",
    model: Annotated[str | None, "The model to talk with."] = None,
    recipe: Annotated[str | None, "dual, brief, recall, person, community or full."] = None,
    database: Database = None,
    space: Space = None,
) -> None:
    """Talk with the chat model; everything is remembered. Type /help for more commands."""
    from erstwhile.api.ask_turn import chat_model

    async def run(memory: Memory) -> None:
        speaker = await chat_model(memory, memory.settings.space)  # says at once if there is none
        warming = asyncio.create_task(speaker.warm())  # while the first line is being typed
        await _Talk(memory, memory.channel(channel), person, model, recipe).run()
        await asyncio.gather(warming, return_exceptions=True)

    with_memory(run, database, space, worker=True)


class _Talk:
    def __init__(
        self, memory: Memory, chat: Conversation, person: str, model: str | None, recipe: str | None
    ) -> None:
        self._memory, self._chat, self._person, self._model = memory, chat, person, model
        self._recipe = recipe
        self._console: Console = output.console()

    async def run(self) -> None:
        known = await self._chat.size()
        self._console.print(
            f"[dim]{self._chat.channel}: {known} messages so far. /help shows the commands, Ctrl-D ends.[/dim]"
        )
        while True:
            if sys.stdin.isatty():
                self._console.print("[bold]you[/bold] ", end="")
            read = await asyncio.to_thread(sys.stdin.readline)
            line = read.strip()
            if not read or line in ("/quit", "/exit"):
                return
            if line.startswith("/"):
                await self._command(*line.partition(" ")[::2])
            elif line:
                async for piece in self._chat.ask(
                    line, person=self._person, model=self._model, recipe=self._recipe
                ):
                    sys.stdout.write(piece)
                    sys.stdout.flush()
                sys.stdout.write("\n")

    async def _command(self, command: str, rest: str) -> None:
        try:
            if command == "/context":
                context = await self._chat.context(rest, person=self._person, recipe=self._recipe)
                self._print(context.text or "Nothing is remembered here yet.")
            elif command == "/sources":
                await self._sources()
            elif command == "/explain":
                last = (await self._last()).items()
                shown = [f"{name}: {value}" for name, value in last if name != "sources"]
                self._print("\n".join(shown) or "There is no reply yet.")
            elif command == "/remember" and rest:
                where = {"space": self._chat.space, "channel": self._chat.channel}
                told = await self._memory.remember(self._person, rest, by=self._person, **where)
                self._print(told.text)
            else:
                self._print(_HELP)
        except Error as error:
            self._print(str(error))

    async def _last(self) -> dict[str, object]:
        size = await self._chat.size()
        replies = [
            each async for each in self._chat.messages(max(0, size - 20)) if "debug" in each.meta
        ]
        return dict(replies[-1].meta["debug"]) if replies else {}

    async def _sources(self) -> None:
        ids = (await self._last()).get("sources")
        if not isinstance(ids, list) or not ids:
            self._print("The last reply had no sources.")
            return
        for id in ids:
            source = await self._memory.memories.sources(id, space=self._chat.space)
            channel = source.title or source.channel
            place = f"{channel} #{source.seq}" if source.seq is not None else channel
            self._print(f"{id}  {source.kind}  {place}  {source.at:%Y-%m-%d}  {source.text[:100]}")

    def _print(self, text: str) -> None:
        from rich.text import Text

        self._console.print(Text(text))
