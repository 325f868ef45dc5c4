"""Overview: how the memory is doing right now."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.api.memory import Memory
from erstwhile.base import ids
from erstwhile.base.records import dataclass
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.commands import ExampleCommands
from erstwhile.dashboard.figures import costs
from erstwhile.dashboard.figures.jobs import FailedRequests, ParkedJobs, StatusStrip
from erstwhile.dashboard.pages.imports import drop_zone, runs
from erstwhile.dashboard.pages.report import periods
from erstwhile.dashboard.parts import tag
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.requests.model import Report
from erstwhile.requests.plots import Plot, Series
from erstwhile.search.space_counts import SpaceCounts

PERIODS: Final = (0, 90, 30)  # days; 0 is all time
_COST_DAYS: Final = 30
_STEPS: Final = {
    1: "by day",
    7: "by week",
    28: "every four weeks",
    91: "by quarter",
    364: "by year",
}
_EXAMPLE = "demo"  # the space that the example goes to
_FIGURES: Final = {
    "Messages": "/search",
    "Conversations": "/conversations",
    "People": "/people",
    "Memories": "/notes",
}


@page("/")
async def overview(viewer: Viewer) -> None:
    memory = await viewer.reading()
    days = viewer.number("days", PERIODS[0])
    days = days if days in PERIODS else PERIODS[0]
    began = time.monotonic()
    held = await memory.spaces.counts(days=days)
    took = time.monotonic() - began
    parts.title("Overview")
    server = ExampleCommands.of(viewer)
    keyless = viewer.caller.admin and not await memory.keys.list(admin=True)
    shown = held.messages or held.memories
    if shown:
        status = StatusStrip(viewer)
        counters = Counters(viewer, held, days)
        work, errors = ParkedJobs(viewer), FailedRequests(viewer)
        await status.open(memory)
        await work.refresh(memory, status.queue)
        await errors.refresh(memory, status.queue)

        async def report() -> Report:
            return await (await viewer.reading()).requests.report(days=days or _COST_DAYS)

        add_up = costs.shown(days or _COST_DAYS, report, hidden=True)
    else:
        _empty(viewer, server)
    if keyless:
        with html.div().classes("hint"):
            html.span("No key was made yet: anyone on this machine can see and change everything.")
            parts.command(server.run("keys create --admin --name me"))
    if shown:
        upkeep = OverviewRefresh(viewer, counters, status, work, errors, add_up)
        viewer.live(upkeep.told)
        ui.timer(1.0, upkeep.beat, immediate=False)
        counters.rest.done(time.monotonic(), took)


class Counters:
    """The figures at the top and the plots below."""

    def __init__(self, viewer: Viewer, held: SpaceCounts, days: int) -> None:
        self.tally, self.rest, self._days = Tally(held), RecountPause(), days
        self._figures: dict[str, Element] = {}
        with html.div().classes("tiles"):
            for name, path in _FIGURES.items():  # each leads to what it counts
                with html.a(href=viewer.url(path)).classes("tile link"):
                    html.div(name).classes("quiet-text")
                    self._figures[name] = tag("div", "figure", "", data_figure=name.lower())
        self._kinds = (
            html.div().classes("row kinds").props('aria-label="Memories by kind" role=group')
        )
        self._badges: dict[str, Element] = {}
        with html.div().classes("row between"):
            html.h2("Over time")
            periods(viewer, "/", PERIODS, days)
        step = _STEPS.get(held.step, f"every {held.step} days")
        with html.div().classes("pair"):
            with parts.card("", "plot"):
                html.h3(f"Messages {step}")
                self._said = costs.draw_chart(said(held), large=True)
            with parts.card("", "plot"):
                html.h3(f"Memories {step}")
                self._made = costs.draw_chart(made(held), large=True)
                costs.legend(made(held))
        self.show()

    def show(self) -> None:
        held, tally = self.tally.held, self.tally
        for name, number in zip(
            _FIGURES, (tally.messages, held.channels, held.people, tally.total), strict=True
        ):
            parts.reword(self._figures[name], f"{number:,}")
        for kind, many in tally.memories.items():
            if kind not in self._badges:
                with self._kinds:
                    self._badges[kind] = parts.badge("")
                    self._badges[kind].style["color"] = f"var(--{labels.of(kind).colour})"
            parts.reword(self._badges[kind], labels.count(many, kind))

    async def recount(self, memory: Memory) -> None:
        began = time.monotonic()
        held = await memory.spaces.counts(days=self._days)
        now = time.monotonic()
        self.rest.done(now, now - began)
        if held.daily != self.tally.held.daily:
            costs.redraw_chart(self._said, said(held), large=True)
            costs.redraw_chart(self._made, made(held), large=True)
        self.tally.settle(held)
        self.show()


@dataclass(slots=True)
class OverviewRefresh:
    """Keeps the page true: after events, and every few seconds what no event announces; what costs
    more less often."""

    viewer: Viewer
    counters: Counters
    status: StatusStrip
    jobs: ParkedJobs
    errors: FailedRequests
    costs: Callable[[], Awaitable[None]]
    beats: int = 0

    async def queue(self, memory: Memory) -> None:
        await self.status.refresh(memory)
        await self.jobs.refresh(memory, self.status.queue)

    async def told(self, events: Sequence[Event]) -> None:
        self.counters.tally.hear(events)
        self.counters.rest.changed()
        self.counters.show()
        if any(event.kind == "job" for event in events):
            await self.queue(await self.viewer.reading())

    async def beat(self) -> None:
        self.beats += 1
        memory = await self.viewer.reading()
        counted = self.counters.rest.ready(time.monotonic())
        if counted:
            await self.counters.recount(memory)
        if self.beats % 2 == 0 or counted:
            await self.queue(memory)
        if counted or self.beats % 20 == 0:  # both are of the same moment
            await self.status.look(memory, anew=counted)
        if self.beats % 10 == 0:
            await self.errors.refresh(memory, self.status.queue)
        if self.beats % 20 == 0:
            await self.costs()


def said(held: SpaceCounts) -> Plot:
    said = Series("messages", [day.messages for day in held.daily])
    return Plot("Messages", [each.day for each in held.daily], [said], shape="bar", step=held.step)


def made(held: SpaceCounts) -> Plot:
    plotted = labels.plotted()
    series = [
        Series(labels.of(name).plural, [day.memories.get(name, 0) for day in held.daily], name)
        for name in plotted
    ]
    rest = [
        sum(many for kind, many in day.memories.items() if kind not in plotted)
        for day in held.daily
    ]
    shown = [each for each in [*series, Series("others", rest, "message")] if any(each.values)]
    days = [each.day for each in held.daily]
    return Plot("Memories", days, shown or series[:1], shape="bar", step=held.step)


def _empty(viewer: Viewer, server: ExampleCommands) -> None:
    parts.quiet(
        "Nothing is remembered here yet. Bring a conversation along, look at an example, or send a message."
    )
    if viewer.may_write:
        token = runs.begin(viewer.space)
        viewer.client.on_delete(lambda: runs.leave(token))

        async def uploaded() -> None:
            runs.start(token, await viewer.writing())
            ui.navigate.to(viewer.url("/import"))

        drop_zone(viewer, token, uploaded)
    with html.div().classes("pair"):
        if viewer.may_write and viewer.caller.space is None and viewer.space != _EXAMPLE:
            with parts.card("Look at an example"):
                of = f"558 messages of five friends go into a space of their own, {_EXAMPLE!r}"
                html.p(f"{of}, and stay out of this one.")
                with html.div().classes("row"):
                    parts.button("Show me an example", lambda: _example(viewer), kind="primary")
        with parts.card("Connect a model"):
            html.p(
                "Everything works without a key: texts are then taken from messages word for word. "
                "A model writes better ones."
            )
            with html.div().classes("row"):
                parts.link("Models and keys", viewer.url("/settings", part="models"), "button")
    with parts.card("From your app or a terminal"):
        key = " Put your key in KEY first." if server.keyed else ""
        html.p(f"Send something, and this page shows it at once.{key}")
        with html.ol().classes("steps"):
            remember = "Remember something about a person. This is a memory right away:"
            add = "Add a message to a conversation. Memories are made from it as it grows:"
            steps = {remember: server.remember(), add: server.say()}
            steps["Or import a file from here:"] = server.run("import chat.jsonl")
            for words, command in steps.items():
                with html.li():
                    html.p(words)
                    parts.command(command)

    async def reload() -> None:
        if viewer.space not in runs.latest:  # else the import shows it
            ui.navigate.reload()

    viewer.again(reload)


async def _example(viewer: Viewer) -> None:
    from erstwhile.demo import conversation

    memory = await viewer.writing()
    for name, messages in conversation().items():
        await memory.channel(name, space=_EXAMPLE).add_many(messages)
    ui.navigate.to(f"/?space={_EXAMPLE}")


_CHANGES = {"added": 1, "removed": -1}
_REST = 20  # times as long as counting took, before it is done again


class Tally:
    def __init__(self, held: SpaceCounts) -> None:
        self.settle(held)

    def settle(self, held: SpaceCounts) -> None:
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
