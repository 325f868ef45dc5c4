"""Talking in the terminal, with memory."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base.errors import Error
from erstwhile.cli import output
from erstwhile.cli.options import Database, Memory, Space, with_memory

if TYPE_CHECKING:
    from rich.console import Console

    from erstwhile.api.channel import Channel

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
        self, memory: Memory, chat: Channel, person: str, model: str | None, recipe: str | None
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
