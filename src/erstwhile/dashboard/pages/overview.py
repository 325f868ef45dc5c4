"""Overview: how the memory is doing right now."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.api.memory import Memory
from erstwhile.base import ids
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.commands import ExampleCommands
from erstwhile.dashboard.jobs import FailedRequests, ParkedJobs, StatusStrip
from erstwhile.dashboard.pages.imports import drop_zone, runs
from erstwhile.dashboard.pages.report import cost_card, draw_chart, legend, periods, redraw_chart
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
    view = OverviewView(viewer, held, days) if held.messages or held.memories else None
    if view is not None:
        await view.open(memory)
    else:
        _empty(viewer, server)
    if keyless:
        with html.div().classes("hint"):
            html.span("No key was made yet: anyone on this machine can see and change everything.")
            parts.command(server.run("keys create --admin --name me"))
    if view is not None:
        viewer.live(view.told)
        ui.timer(1.0, view.beat, immediate=False)
        view.rest.done(time.monotonic(), took)


class OverviewView:
    """Kept true after events and every few seconds; what costs more, less often."""

    def __init__(self, viewer: Viewer, held: SpaceCounts, days: int) -> None:
        self._viewer, self._days, self._beats = viewer, days, 0
        self._tally, self.rest = Tally(held), RecountPause()
        self._status = StatusStrip(viewer)
        self._figures: dict[str, Element] = {}
        with html.div().classes("tiles"):
            for name, path in _FIGURES.items():  # each leads to what it counts
                with html.a(href=viewer.url(path)).classes("tile link"):
                    html.div(name).classes("quiet-text")
                    self._figures[name] = tag("div", "figure", "", data_figure=name.lower())
        self._kinds = tag("div", "row kinds", aria_label="Memories by kind", role="group")
        self._badges: dict[str, Element] = {}
        with html.div().classes("row between"):
            html.h2("Over time")
            periods(viewer, "/", PERIODS, days)
        step = _STEPS.get(held.step, f"every {held.step} days")
        with html.div().classes("pair"):
            with parts.card("", "plot"):
                html.h3(f"Messages {step}")
                self._said = draw_chart(said(held), large=True)
            with parts.card("", "plot"):
                html.h3(f"Memories {step}")
                self._made = draw_chart(made(held), large=True)
                legend(made(held))
        self._show()
        self._parked, self._errors = ParkedJobs(viewer), FailedRequests(viewer)

    async def open(self, memory: Memory) -> None:
        await self._status.open(memory)
        await self._parked.refresh(memory, self._status.queue)
        await self._errors.refresh(memory, self._status.queue)

        async def report() -> Report:
            days = self._days or _COST_DAYS
            return await (await self._viewer.reading()).requests.report(days=days)

        self._add_up = cost_card(self._days or _COST_DAYS, report, hidden=True)

    def _show(self) -> None:
        held, tally = self._tally.held, self._tally
        numbers = tally.messages, held.channels, held.people, tally.total
        for name, number in zip(_FIGURES, numbers, strict=True):
            parts.reword(self._figures[name], f"{number:,}")
        for kind, many in tally.memories.items():
            if kind not in self._badges:
                with self._kinds:
                    self._badges[kind] = parts.badge("")
                    self._badges[kind].style["color"] = f"var(--{labels.of(kind).colour})"
            parts.reword(self._badges[kind], labels.count(many, kind))

    async def _recount(self, memory: Memory) -> None:
        began = time.monotonic()
        held = await memory.spaces.counts(days=self._days)
        now = time.monotonic()
        self.rest.done(now, now - began)
        if held.daily != self._tally.held.daily:
            redraw_chart(self._said, said(held), large=True)
            redraw_chart(self._made, made(held), large=True)
        self._tally.settle(held)
        self._show()

    async def _refresh_queue(self, memory: Memory) -> None:
        await self._status.refresh(memory)
        await self._parked.refresh(memory, self._status.queue)

    async def told(self, events: Sequence[Event]) -> None:
        self._tally.hear(events)
        self.rest.changed()
        self._show()
        if any(event.kind == "job" for event in events):
            await self._refresh_queue(await self._viewer.reading())

    async def beat(self) -> None:
        self._beats += 1
        memory = await self._viewer.reading()
        counted = self.rest.ready(time.monotonic())
        if counted:
            await self._recount(memory)
        if self._beats % 2 == 0 or counted:
            await self._refresh_queue(memory)
        if counted or self._beats % 20 == 0:  # both are of the same moment
            await self._status.look(memory, anew=counted)
        if self._beats % 10 == 0:
            await self._errors.refresh(memory, self._status.queue)
        if self._beats % 20 == 0:
            await self._add_up()


def said(held: SpaceCounts) -> Plot:
    return _plot("Messages", held, [Series("messages", [day.messages for day in held.daily])])


def made(held: SpaceCounts) -> Plot:
    days = held.daily
    kinds = {name: labels.of(name) for name in labels.plotted()}
    series = [
        Series(kind.plural, [day.memories.get(name, 0) for day in days], kind.colour)
        for name, kind in kinds.items()
    ]
    rest = [sum(day.memories.values()) - sum(day.memories.get(k, 0) for k in kinds) for day in days]
    shown = [each for each in [*series, Series("others", rest, "message")] if any(each.values)]
    return _plot("Memories", held, shown or series[:1])


def _plot(title: str, held: SpaceCounts, series: Sequence[Series]) -> Plot:
    days = [each.day for each in held.daily]
    dated = bool(days) and days[-1].year != datetime.now(UTC).year
    return Plot(title, days, series, shape="bar", step=held.step, dated=dated)


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
