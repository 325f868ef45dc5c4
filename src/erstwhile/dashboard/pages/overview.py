"""Overview: how the memory is doing right now."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from nicegui import html, ui

from erstwhile.api.memory import Memory
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.figures import charts, costs, health
from erstwhile.dashboard.figures.example_commands import ExampleCommands
from erstwhile.dashboard.figures.jobs import ErrorCard, JobCards
from erstwhile.dashboard.figures.tally import RecountPause, Tally
from erstwhile.dashboard.pages.report import periods
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.requests.model import Report
from erstwhile.requests.plots import Plot, Series
from erstwhile.search.counted import Counted

PERIODS: Final = (30, 90)
_EXAMPLE = "demo"  # the space that the example goes to
_PLOTTED = ("chunk", "meta", "fact", "structured", "told", "note")  # with a colour each; the others are one series


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
            look = await health.shown(viewer, memory)
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
                self._said = charts.draw(said(held), large=True)
            with parts.card("", "plot"):
                html.h3("Memories")
                self._made = charts.draw(made(held), large=True)
                charts.legend(made(held))
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
            charts.redraw(self._said, said(held), large=True)
            charts.redraw(self._made, made(held), large=True)
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
        for name, kind in ((name, labels.of(name)) for name in _PLOTTED)
    ]
    rest = [sum(many for kind, many in day.memories.items() if kind not in _PLOTTED) for day in held.daily]
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
