"""The demo: memory forms from a long conversation and is asked."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from erstwhile import demo as shipped
from erstwhile.base.records import dataclass
from erstwhile.cli import output
from erstwhile.cli.options import Memory, with_memory
from erstwhile.cli.server import settle_with_progress

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from erstwhile.context.model import Context
    from erstwhile.log.model import Message

_BATCH = 50
_BUDGET = 1500


def demo(keep: Annotated[Path | None, "Keep the demo's database in this file."] = None) -> None:
    """Load a long conversation, watch memory form, and ask it questions. Needs no key."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="erstwhile-demo-")))
        database = keep or folder / "demo.db"
        if keep is not None and keep.exists():
            raise typer.BadParameter(f"{keep} exists already; name a new file", param_hint="--keep")
        with_memory(_run, str(database), "demo")
    if keep is not None:
        command = f'erstwhile search "boiler" --space demo --database {keep}'
        output.note(f"Kept in {keep}. Try: {command}")


async def _run(memory: Memory) -> None:
    console = output.console()
    channels = shipped.conversation()
    total = sum(map(len, channels.values()))
    months = sorted(message["at"][:7] for channel in channels.values() for message in channel)
    console.rule("[bold]erstwhile")
    span = f"{months[0]} to {months[-1]}; English, 한국어, 中文."
    console.print(f"A conversation of {total} messages in {len(channels)} channels: {span}")
    model = memory.settings.chosen_model
    by = "the extractive writer (no key needed)" if model == "extractive" else model
    console.print(f"Memory is written by [bold]{by}[/bold].\n")

    started = time.perf_counter()
    with output.progress() as progress:
        bar = progress.add_task("Storing messages", total=total)
        for name, messages in channels.items():
            for start in range(0, len(messages), _BATCH):
                batch = messages[start : start + _BATCH]
                await memory.channel(name).add_many(batch)
                progress.advance(bar, len(batch))
    stored = time.perf_counter()
    settled = await settle_with_progress(memory)
    made = time.perf_counter() - stored
    jobs = f"{settled.done} memory jobs done in {made:.1f} s."
    console.print(f"{total} messages on disk in {stored - started:.1f} s, {jobs}")
    if settled.waiting or settled.parked:
        waiting = f"{output.counted(settled.waiting, 'job')} waiting for a retry"
        advice = "drafts stand in.  See: erstwhile jobs list"
        console.print(f"[yellow]{waiting}, {settled.parked} parked; {advice}")
    known = {}
    for name in channels:
        async for message in memory.channel(name).messages():
            known[message.id] = _Known(name, message)
    await _show_memory(memory, console, known)
    await _ask(memory, console, known)


@dataclass(frozen=True, slots=True)
class _Known:
    """A stored message and where it stands."""

    channel: str
    message: Message

    @property
    def place(self) -> str:
        return f"{self.channel} #{self.message.seq}, {self.message.at:%d %b}"

    @property
    def key(self) -> str:
        return f"{self.channel}/{self.message.key}"


# What was remembered


async def _show_memory(memory: Memory, console: Console, known: dict[str, _Known]) -> None:
    from rich.panel import Panel
    from rich.text import Text

    chat = memory.channel("kitchen-table")
    context = await chat.context(recipe="dual", budget=8000)
    weighty = {fact.id for fact in await memory.facts.list(chat, min_importance=4)}
    console.rule("[bold]What it remembers of one channel")
    for part in context.parts:
        if part.name == "recent":
            continue
        lines = Text()
        items = [item for item in part.items if item.id in weighty] or part.items
        few = items[:: max(1, len(items) // 4)][:5]  # from the whole time
        for item in few:
            lines.append(f"\n{item.text}\n" if lines else f"{item.text}\n")
            lines.append(f"  from {_where(context, item.id, known)}", style="dim")
        many = len(part.items)
        count = many if len(few) == many else f"{len(few)} of {many}"
        title = f"{part.heading.strip('= ')} ({count})"
        console.print(Panel(lines, title=title, title_align="left", border_style="cyan"))


def _where(context: Context, id: str, known: dict[str, _Known]) -> str:
    """Name a source, short: one message, or the stretch of them."""
    messages = _messages(context, id)
    first, last = known[messages[0]], known[messages[-1]]
    if first is last:
        return first.place
    days = " – ".join(dict.fromkeys(f"{each.message.at:%d %b}" for each in (first, last)))
    return f"{first.channel} #{first.message.seq}–{last.message.seq}, {days}"


def _messages(context: Context, id: str) -> Sequence[str]:
    return next(source.messages for source in context.sources if source.id == id)


# Asking


async def _ask(memory: Memory, console: Console, known: dict[str, _Known]) -> None:
    from rich.panel import Panel
    from rich.text import Text

    asked = shipped.questions()
    console.rule("[bold]Questions, and what a model would be handed to answer them")
    first = asked[0]
    chat = memory.channel(first.channel)
    whole = await chat.context(first.question, person=first.person, budget=600)
    title = Text(f"{first.person}: {first.question}", style="bold")
    foot = f"the whole context at a budget of 600 tokens ({whole.tokens} used)"
    how: Any = {"title": title, "title_align": "left", "subtitle": foot}
    console.print(Panel(Text(whole.text), border_style="magenta", **how))
    found = 0
    for question in asked:
        told, how = await _handed(memory, question, known, None)
        found += bool(told)
        if not told:  # said in another channel: not counted, as a chat must ask for it
            told, how = await _handed(memory, question, known, "person")
            how += ", with the scope “person”"
        console.print(_answer(question, told, how))
    handed = "a chat is handed the message that holds the answer, word for word or as a fact."
    console.print(f"For {found} of {len(asked)} questions {handed}")
    leads = (
        "Every line above leads back to what was said: [bold]erstwhile memories sources ID[/bold]."
    )
    alone = memory.settings.chosen_model == "extractive"
    console.print(f"{leads} Nothing left this machine." if alone else "")


async def _handed(
    memory: Memory, question: shipped.DemoQuestion, known: dict[str, _Known], scope: str | None
) -> tuple[list[tuple[str, str]], str]:
    """Return the lines of a context that hold the answer, and how it was made."""
    chat = memory.channel(question.channel)
    asked, person = question.question, question.person
    context = await chat.context(asked, person=person, budget=_BUDGET, scope=scope)
    told = [
        (item.text, _where(context, item.id, known))
        for part in context.parts
        if part.name in ("facts", "related", "recent")
        for item in part.items
        if any(known[each].key in question.evidence for each in _messages(context, item.id))
    ]
    return told, f"context of {context.tokens} tokens"


def _answer(
    question: shipped.DemoQuestion, told: Sequence[tuple[str, str]], how: str
) -> RenderableType:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    lines = Table.grid(padding=(0, 1))
    for text, place in told[:3]:
        said = Text.assemble(text.removeprefix("- "), (f"  [{place}]", "dim"))
        lines.add_row(Text("  ✓", "green bold"), said)
    if not told:
        missed = Text("the message that holds the answer was not found", "red")
        lines.add_row(Text("  ✗", "red bold"), missed)
    lines.add_row("", Text(f"{how}; a good answer: {question.answer}", "dim"))
    return Group(Text(f"\n{question.person}: {question.question}", "bold"), lines)
