"""Draws what is known about a person, for the operator and for the person themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TypeVar

from nicegui import html
from nicegui.element import Element

from erstwhile.base.page import Page
from erstwhile.dashboard import parts
from erstwhile.dashboard.conversation import long_text
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.people import knowledge, timeline
from erstwhile.dashboard.people.actions import PersonActions
from erstwhile.dashboard.people.knowledge import MESSAGES, Knowledge, KnownStatement
from erstwhile.dashboard.people.knowledge import StatementSource as Source
from erstwhile.dashboard.people.timeline import Bar, Lane, TimedMemory
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.profiles.model import SECTIONS
from erstwhile.search.model import Hit

T = TypeVar("T")
Read = Callable[[], Awaitable[list[Source]]]
Part = Callable[[Knowledge], object]  # what a panel shows, or what draws it

_LANES = 10  # that are drawn at once; the others are below
_FACTS = 8  # that are listed of one group at first
_ROWS = 8  # of a lane, and changes told in words: the latest; the others are behind them
_ORIGINS = 2  # besides the first that are named beside a fact
_AGAIN = 10  # messages that are named where something was said again
_LONGEST = 2_000  # characters that are shown of a message at first
_MIDDLE = 50  # per cent


class PortraitView:
    """`own`: the person looks at it themselves; what they may not open is not linked."""

    def __init__(self, viewer: Viewer, actions: PersonActions, *, own: bool = False) -> None:
        self._viewer, self._actions, self._own = viewer, actions, own
        self._panels: list[Panel[Knowledge]] = []
        self._cards: dict[str, tuple[Element, Part]] = {}

    def build(self, known: Knowledge) -> None:
        with parts.card("", "known"):
            self._panel(self._known, lambda of: (of.facts, of.held, of.about, of.told, of.names))
            if self._actions.may_write:
                self._actions.remember_box()
        with parts.card("What changed when") as made:
            self._cards["What changed when"] = made, lambda of: any(e.ended_by for e in of.held)
            self._panel(self._timeline, lambda of: (of.held, of.names))
        with html.div().classes("columns"):
            with html.div().classes("stack"):
                said = "What you said last" if self._own else "Latest messages"
                self._card(said, self._messages, lambda of: of.messages)
                if not self._own:
                    self._as_text()
            with html.div().classes("stack"):
                standing = "Wants from every answer"
                self._card(standing, self._standing, lambda of: of.about.standing)
                text = parts.text
                self._card("Today", lambda of: text(of.about.today), attrgetter("about.today"))
                before = attrgetter("about.history")
                self._card("The six days before", lambda of: text(of.about.history), before)
        self._nothing = parts.quiet("")
        self.show(known)

    def show(self, known: Knowledge) -> None:
        for panel in self._panels:
            panel.show(known)
        if not self._own:
            parts.reword(self._lines, f"{len(known.about.text.splitlines()):,}")
        for card, of in self._cards.values():
            card.set_visibility(bool(of(known)))
        empty = [f"“{heading}”" for heading, (_, of) in self._cards.items() if not of(known)]
        parts.reword(self._nothing, f"Nothing yet under {', '.join(empty)}." if empty else "")

    def _panel(self, draw: Part, of: Part) -> Panel[Knowledge]:
        self._panels.append(Panel(draw, of))
        return self._panels[-1]

    def _card(self, heading: str, draw: Part, of: Part) -> None:
        """Add a card that is there only while it has something to show."""
        with parts.card(heading) as made:
            self._cards[heading] = made, of
            self._panel(draw, of)

    def _as_text(self) -> None:
        """Add a closed section whose count follows changes, drawn when it is first opened."""

        def draw(known: Knowledge) -> None:
            html.pre(known.about.text).classes("block").props("dir=auto")
            with html.div().classes("row"):
                parts.copy(known.about.text)

        heading = "As a model gets it"
        made = parts.Section(heading, open=False)
        self._lines = made.count
        self._cards[heading] = made.whole, lambda of: of.about.text
        with made.inside:
            panel = self._panel(draw, lambda of: of.about.text)
        panel.sleep()
        made.whole.on("toggle", panel.wake, args=[])

    def _known(self, known: Knowledge) -> None:
        every = knowledge.merge(known, own=self._own)
        with html.div().classes("row between"):
            html.h2("What we know" if not self._own else "What is known about you")
            if every:
                parts.badge(parts.count(len(every), "statement"))
        if not every:
            parts.quiet("Nothing yet. It is made from what they write, or remembered here:")
        for group, those in groupby(every, lambda each: each.group):
            with parts.tag("section", "known-group", aria_label=group):
                html.h3(group)
                with html.div().classes("list"):
                    _some(list(those), _FACTS, partial(self._statements, known))
        there = {each.group.lower() for each in every}
        empty = [each for each in SECTIONS if each != "other" and each not in there]
        if every and empty:
            parts.quiet(f"Nothing yet about {', '.join(empty)}.").classes("small-text")

    def _statements(self, known: Knowledge, those: Sequence[KnownStatement]) -> None:
        for each in those:
            with html.article().classes("statement"):
                with html.div().classes("said-row"):
                    parts.text(each.words, "grow")
                    if self._actions.may_write and each.id:
                        self._actions.fact_buttons(each)
                    if self._actions.may_write and each.line:
                        self._actions.forget_button(each.line, each.told)
                with html.div().classes("details"):
                    self._sources(known, each)

    def _sources(self, known: Knowledge, each: KnownStatement) -> None:
        if each.told is not None and each.told.audience:
            parts.badge(f"visible only in {each.told.audience}", "warn").props("dir=auto")
        parts.badge_if(each.by_hand, "by hand")
        parts.badge_if(each.flag, "only quoted", "warn")
        for said_by in dict.fromkeys(source.said_by for source in each.sources if source.said_by):
            self._person(known, said_by)
        places = [source for source in each.sources if source.label]
        self._places(places[:_ORIGINS])
        if rest := places[_ORIGINS:]:

            async def others() -> list[Source]:
                return rest

            self._on_demand(f"+{len(rest):,}", f"{len(rest):,} more sources", others)
        dated = places and each.at is not None and str(each.at.year) in places[0].label
        if each.at is not None and not dated:
            parts.moment(each.at).props("data-day")

    def _places(self, sources: Sequence[Source]) -> None:
        for source in sources:
            if source.place is None or self._own:
                parts.said(source.label)
            else:
                parts.message_link(self._viewer, *source.place, source.label)

    def _on_demand(self, label: str, name: str, read: Read) -> None:

        async def look() -> None:
            found = await read()
            with parts.redrawn(box):
                self._places(found)

        with parts.tag("span", "details") as box:
            parts.button(label, look, kind="quiet small", name=name)

    def _person(self, known: Knowledge, person: str) -> None:
        with html.span():
            html.span("said by ")
            if self._own and person == known.person:
                html.span("you")
            elif self._own or person not in known.names:
                parts.said(known.called(person))
            else:
                parts.person_link(self._viewer, person, known.called(person))

    def _standing(self, known: Knowledge) -> None:
        for each in known.about.standing:
            with html.article().classes("memory told"):
                with html.div().classes("said-row"):
                    parts.text(each.text, "grow")
                    if self._actions.may_write:
                        self._actions.fact_buttons(each)
                with html.div().classes("details"):
                    self._places([Source(each.origin, (each.channel, each.seq))])

    def _timeline(self, known: Knowledge) -> None:
        made = timeline.timeline(known.held, datetime.now(UTC))
        changed = [lane for lane in made.lanes if lane.changed]  # what never changed is above
        _some(changed, _LANES, partial(self._lanes, known, made))

    def _lanes(self, known: Knowledge, made: timeline.Timeline, lanes: Sequence[Lane]) -> None:
        with html.div().classes("timeline"):
            with html.div().classes("axis").props("aria-hidden=true"):
                for tick in made.ticks:
                    html.span(tick.label).classes("tick").style["left"] = f"{tick.left}%"
            for lane in lanes:
                label = f"{lane.about}: {timeline.in_words(lane)}"
                with parts.tag("section", "lane", aria_label=label):
                    html.h3(lane.about).classes("lane-name").props("dir=auto")
                    with html.div().classes("lane-rows"):
                        self._rows(lane.rows[-_ROWS:])
                        if before := lane.rows[:-_ROWS]:
                            parts.later("Earlier", len(before), partial(self._rows, before))
                        in_words = partial(self._in_words, known)
                        if earlier := lane.bars[:-_ROWS]:
                            parts.later("Earlier", len(earlier), partial(in_words, earlier))
                        in_words(lane.bars[-_ROWS:])

    def _rows(self, rows: Sequence[Sequence[Bar]]) -> None:
        for row in rows:
            with html.div().classes("lane-row"):
                for bar in row:
                    self._bar(bar, alone=len(row) == 1)

    def _bar(self, bar: Bar, *, alone: bool) -> None:
        """Draw a bar. Where it is too narrow, its text is beside or below it."""
        held = bar.held
        linked = held.seq is not None and held.channel and not self._own
        url = self._viewer.url("/conversations/channel", channel=held.channel, seq=held.seq or 0)
        made = html.a(href=url) if linked else html.div()
        made.classes("bar").classes("standing" if held.until is None else "over")
        made.style["left"], made.style["width"] = f"{bar.left}%", f"{bar.width}%"
        if bar.thin:
            beside = "beside-left" if bar.left > _MIDDLE else "beside-right"
            made.classes(beside if alone else "wordless")
        made.props["title"] = f"{held.text} ({timeline.when(held)})"
        with made:
            html.span(held.value).classes("one-line").props("dir=auto")

    def _in_words(self, known: Knowledge, bars: Sequence[Bar]) -> None:
        with html.ol().classes("lane-words"):
            for bar in bars:
                with html.li().classes("details"):
                    html.strong(bar.held.value).props("dir=auto")
                    html.span(timeline.when(bar.held))
                    self._word(known, bar.held)

    def _word(self, known: Knowledge, held: TimedMemory) -> None:
        """Whose word it is, and on demand where else it was said: that may be often."""

        async def again() -> list[Source]:
            memory = await self._viewer.reading()
            found = [await memory.memories.get(id) for id in held.again[:_AGAIN]]
            await self._viewer.read_titles(each.channel for each in found)
            places = [known.said_in(each.channel, each.seq or 0) for each in found]
            more = len(held.again) - _AGAIN
            return [*places, Source(f"and {more:,} more", None)] if more > 0 else places

        if held.said_by is not None:
            self._person(known, held.said_by)
        if held.seq is not None and held.channel:
            self._places([known.said_in(held.channel, held.seq)])
        if held.again and self._own:
            html.span(f"and {len(held.again):,} times again")
        elif held.again:
            self._on_demand(f"+{len(held.again):,}", f"Where it was said again: {held.text}", again)

    def _messages(self, known: Knowledge) -> None:
        rows = parts.tag("ul", "list")
        last: str | None = None

        def add(found: Page[Hit]) -> None:
            nonlocal last
            last = found.next
            for hit in found:
                with rows, html.li():
                    long_text(hit.text, _LONGEST, "clamped")
                    with html.div().classes("details"):
                        parts.moment(hit.at)
                        if hit.seq is not None:
                            self._places([known.said_in(hit.channel, hit.seq)])

        async def older() -> None:
            memory = await self._viewer.reading()
            found = await memory.people.messages(known.person, cursor=last, limit=MESSAGES)
            await self._viewer.read_titles(each.channel for each in found)
            add(found)
            if last is None:
                more.delete()

        add(known.messages)
        if last is not None:
            more = parts.button("Older", older, name="Older messages")


def _some(those: Sequence[T], most: int, draw: Callable[[Sequence[T]], None]) -> None:
    draw(those[:most])
    if rest := those[most:]:
        parts.later("More", len(rest), partial(draw, rest))
