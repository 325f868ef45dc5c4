"""Overview: how the memory is doing right now."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Final
from urllib.parse import quote

from nicegui import html, ui

from erstwhile.api.memory import Memory
from erstwhile.base import ids
from erstwhile.base.records import dataclass
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.figures import costs, jobs
from erstwhile.dashboard.figures.jobs import ErrorCard, JobCards
from erstwhile.dashboard.pages.report import periods
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.requests.model import Report
from erstwhile.requests.plots import Plot, Series
from erstwhile.search.counted import Counted

PERIODS: Final = (30, 90)
_EXAMPLE = "demo"  # the space that the example goes to


@page("/")
async def overview(viewer: Viewer) -> None:
    memory = await viewer.reading()
    days = 90 if viewer.number("days", PERIODS[0]) > PERIODS[0] else PERIODS[0]
    began = time.monotonic()
    held = await memory.spaces.counts(space=viewer.space, days=days)
    took = time.monotonic() - began
    parts.title("Overview")
    server = ExampleCommands(
        address=str(viewer.request.base_url).rstrip("/"),
        database=memory.settings.database if viewer.caller.admin else "",
        space=viewer.space,
        keyed=bool(viewer.caller.key),
    )
    if viewer.caller.admin and not await memory.keys.list(admin=True):
        _keyless(server)
    if not held.messages and not held.memories:
        _empty(viewer, server)
        return
    counters = Counters(viewer, held, days)

    async def report() -> Report:
        return await (await viewer.reading()).requests.report(space=viewer.space, days=days)

    with html.div().classes("columns"):
        with html.div().classes("stack"):
            work = JobCards(viewer)
            await work.refresh(memory)
            add_up = costs.shown(days, report)
        with html.div().classes("stack"):
            look = await jobs.health_card(viewer, memory)
            errors = ErrorCard(viewer)
            await errors.refresh(memory, work.queue)

    async def slowly(memory: Memory) -> None:
        await look(memory)
        await add_up()

    _keep_true(viewer, counters, Slow(work, errors, slowly))
    counters.rest.done(time.monotonic(), took)


class Counters:
    """The figures at the top and the plots below."""

    def __init__(self, viewer: Viewer, held: Counted, days: int) -> None:
        self.tally, self.rest, self._days = Tally(held), RecountPause(), days
        self._space = viewer.space
        with html.dl().classes("tiles"):
            self._messages = parts.tile("Messages")
            self._channels = parts.tile("Channels")
            self._people = parts.tile("People")
            self._memories = parts.tile("Memories")
        self._kinds = html.div().classes("row kinds").props('aria-label="Memories by kind" role=group')
        self._badges: dict[str, ui.label] = {}
        with html.div().classes("row between"):
            html.h2("By day")
            periods(viewer, "/", PERIODS, days)
        with html.div().classes("pair"):
            with parts.card("", "plot"):
                html.h3("Messages")
                self._said = costs.draw_chart(said(held), large=True)
            with parts.card("", "plot"):
                html.h3("Memories")
                self._made = costs.draw_chart(made(held), large=True)
                costs.legend(made(held))
        self.show()

    def show(self) -> None:
        held = self.tally.held
        parts.reword(self._messages, f"{self.tally.messages:,}")
        parts.reword(self._channels, f"{held.channels:,}")
        parts.reword(self._people, f"{held.people:,}")
        parts.reword(self._memories, f"{self.tally.total:,}")
        for kind, many in self.tally.memories.items():
            if kind not in self._badges:
                with self._kinds:
                    self._badges[kind] = ui.label().classes("badge")
                    self._badges[kind].style["color"] = f"var(--{labels.of(kind).colour})"
            self._badges[kind].set_text(labels.count(many, kind))

    async def recount(self, memory: Memory) -> None:
        began = time.monotonic()
        held = await memory.spaces.counts(space=self._space, days=self._days)
        now = time.monotonic()
        self.rest.done(now, now - began)
        if held.daily != self.tally.held.daily:
            costs.redraw_chart(self._said, said(held), large=True)
            costs.redraw_chart(self._made, made(held), large=True)
        self.tally.settle(held)
        self.show()


@dataclass(frozen=True, slots=True)
class Slow:
    """Refreshes what no event announces: every few seconds, and what costs more less often."""

    jobs: JobCards
    errors: ErrorCard
    others: Callable[[Memory], Awaitable[None]]

    async def beat(self, beats: int, memory: Memory) -> None:
        if beats % 2 == 0:
            await self.jobs.refresh(memory)
        if beats % 10 == 0:
            await self.errors.refresh(memory, self.jobs.queue)
        if beats % 20 == 0:
            await self.others(memory)


def _keep_true(viewer: Viewer, counters: Counters, slow: Slow) -> None:
    async def told(events: Sequence[Event]) -> None:
        counters.tally.hear(events)
        counters.rest.changed()
        counters.show()
        if any(event.kind == "job" for event in events):
            await slow.jobs.refresh(await viewer.reading())

    beats = 0

    async def beat() -> None:
        nonlocal beats
        beats += 1
        memory = await viewer.reading()
        if counters.rest.ready(time.monotonic()):
            await counters.recount(memory)
        await slow.beat(beats, memory)

    viewer.live(told)
    ui.timer(1.0, beat, immediate=False)


def said(held: Counted) -> Plot:
    return Plot("Messages", _days(held), [Series("messages", [day.messages for day in held.daily])], shape="bar")


def made(held: Counted) -> Plot:
    series = [
        Series(kind.plural, [day.memories.get(name, 0) for day in held.daily], kind.colour)
        for name, kind in ((name, labels.of(name)) for name in labels.PLOTTED)
    ]
    rest = [sum(many for kind, many in day.memories.items() if kind not in labels.PLOTTED) for day in held.daily]
    return Plot("Memories", _days(held), [*series, Series("others", rest, "message")], shape="bar")


def _days(held: Counted) -> list[date]:
    return [each.day for each in held.daily]


def _keyless(server: ExampleCommands) -> None:
    with html.div().classes("hint"):
        html.span("No key was made yet: anyone on this machine can see and change everything.")
        parts.command(server.make_key())


def _empty(viewer: Viewer, server: ExampleCommands) -> None:
    with parts.card("Nothing is remembered here yet"):
        html.p(
            "Send something, and this page shows it at once." + (" Put your key in KEY first." if server.keyed else "")
        )
        with html.ol().classes("steps"):
            for words, command in (
                ("Remember something about a person. This is a memory right away:", server.remember()),
                ("Add a message to a conversation. Memories are made from it as it grows:", server.say()),
                ("Or import messages, one per line:", server.bring()),
            ):
                with html.li():
                    html.p(words)
                    parts.command(command)
        if viewer.may_write and viewer.caller.space is None and viewer.space != _EXAMPLE:
            html.p(
                f"Only looking? An example of 558 messages goes into a space of its own, {_EXAMPLE!r}, and stays out of this one."
            )
            with html.div().classes("row"):
                parts.button("Show me an example", lambda: _example(viewer))

    async def told(_events: Sequence[Event]) -> None:
        ui.navigate.reload()

    viewer.live(told)


async def _example(viewer: Viewer) -> None:
    from erstwhile.demo import conversation

    memory = await viewer.writing()
    for name, messages in conversation().items():
        await memory.channel(name, space=_EXAMPLE).add_many(messages)
    ui.navigate.to(f"/?space={_EXAMPLE}")


_HERE = "default"


@dataclass(frozen=True, slots=True)
class ExampleCommands:
    """`keyed`: calls need a key. `database` is empty for those who may not know where it is."""

    address: str
    database: str
    space: str
    keyed: bool

    def say(self) -> str:
        """Add a message over HTTP."""
        said = {"role": "user", "text": "I moved to Busan last week", "person": "alice"}
        return self._curl(f"channels/{quote('hello', safe='')}/messages", said)

    def remember(self) -> str:
        """Make a first memory, without a conversation."""
        return self._curl("people/alice/remember", {"fact": "Alice lives in Busan", "by": "alice"})

    def bring(self) -> str:
        return f"erstwhile import chat.jsonl{self._options()}"

    def make_key(self) -> str:
        return f"erstwhile keys create --admin --name me --database {self._database()}"

    def _curl(self, path: str, body: dict[str, str]) -> str:
        key = ' -H "Authorization: Bearer $KEY"' if self.keyed else ""
        where = f"{self.address}/v1/spaces/{quote(self.space, safe='')}/{path}"
        return (
            f"curl -s {shlex.quote(where)}{key} -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(body))}"
        )

    def _options(self) -> str:
        space = "" if self.space == _HERE else f" --space {shlex.quote(self.space)}"
        return f" --database {self._database()}{space}"

    def _database(self) -> str:
        """The full path of a file, but no URL, which may hold a password."""
        if not self.database or self.database.startswith(("postgres://", "postgresql://")):
            return '"$ERSTWHILE_DATABASE"'
        return shlex.quote(str(Path(self.database.removeprefix("sqlite:///")).absolute()))


_CHANGES = {"added": 1, "removed": -1}
_REST = 20  # times as long as counting took, before it is done again


class Tally:
    def __init__(self, held: Counted) -> None:
        self.settle(held)

    def settle(self, held: Counted) -> None:
        self.held = held
        self.messages, self.memories = held.messages, dict(held.memories)

    @property
    def total(self) -> int:
        return sum(self.memories.values())

    def hear(self, events: Sequence[Event]) -> None:
        for event in events:
            change = _CHANGES.get(event.action, 0)
            if event.at <= self.held.until:
                continue  # counted already
            if event.kind == "message" and change:
                self.messages += change * ((event.until or event.seq or 0) - (event.seq or 0) + 1)
            elif event.kind in ids.kinds() and change:
                self.memories[event.kind] = max(0, self.memories.get(event.kind, 0) + change)


class RecountPause:
    """When to count again: after a change, and never so often that counting is all that is done."""

    def __init__(self) -> None:
        self._due = False
        self._next = 0.0

    def changed(self) -> None:
        self._due = True

    def ready(self, now: float) -> bool:
        return self._due and now >= self._next

    def done(self, now: float, took: float) -> None:
        self._due, self._next = False, now + took * _REST
