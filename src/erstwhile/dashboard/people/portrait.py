"""Draws what is known about a person, for the operator and for the person themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import groupby

from nicegui import html
from nicegui.element import Element

from erstwhile.dashboard import parts
from erstwhile.dashboard.conversations import thread
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.people import statements, timeline
from erstwhile.dashboard.people.actions import PersonActions
from erstwhile.dashboard.people.knowledge import MESSAGES, Knowledge, MessagePlace
from erstwhile.dashboard.people.statements import KnownStatement, StatementSource
from erstwhile.dashboard.people.timeline import Bar, Lane, TimedMemory
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.profiles.model import SECTIONS
from erstwhile.search.model import Hit

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
        self._counts: list[tuple[Element, Callable[[Knowledge], int]]] = []
        self._cards: dict[str, tuple[Element, Callable[[Knowledge], object]]] = {}

    def build(self, known: Knowledge) -> None:
        with parts.card("", "known"):
            self._panel(self._known, lambda known: (known.facts, known.held, known.about, known.told, known.names))
            if self._actions.may_write:
                self._actions.remember_box()
        with self._card("What changed when", lambda known: any(each.ended_by for each in known.held)):
            self._panel(self._timeline, lambda known: (known.held, known.names))
        with html.div().classes("columns"):
            with html.div().classes("stack"):
                with self._card(
                    "Latest messages" if not self._own else "What you said last", lambda known: known.messages
                ):
                    self._panel(self._messages, lambda known: known.messages)
                if not self._own:
                    with self._folded("As a model gets it", lambda known: len(known.about.text.splitlines())):
                        self._panel(_merged, lambda known: known.about.text)
            with html.div().classes("stack"):
                with self._card("Wants from every answer", lambda known: known.about.standing):
                    self._panel(self._standing, lambda known: known.about.standing)
                for heading, of in _TIMES:
                    with self._card(heading, of):
                        self._panel(partial(_written, of), of)
        self._nothing = parts.quiet("")
        self.show(known)

    def show(self, known: Knowledge) -> None:
        for panel in self._panels:
            panel.show(known)
        for element, count in self._counts:
            parts.reword(element, f"{count(known):,}")
        for card, of in self._cards.values():
            card.set_visibility(bool(of(known)))
        empty = [heading.lower() for heading, (_, of) in self._cards.items() if not of(known)]
        parts.reword(self._nothing, f"Nothing yet: {', '.join(empty)}." if empty else "")

    def _panel(self, draw: Callable[[Knowledge], None], of: Callable[[Knowledge], object]) -> None:
        self._panels.append(Panel(draw, of))

    @contextmanager
    def _card(self, heading: str, of: Callable[[Knowledge], object]) -> Iterator[None]:
        """A card that is there only while it has something to show."""
        with parts.card(heading) as made:
            self._cards[heading] = (made, of)
            yield

    @contextmanager
    def _folded(self, heading: str, count: Callable[[Knowledge], int]) -> Iterator[None]:
        """A closed section whose count follows changes, drawn when it is first opened."""
        made = parts.Section(heading, open=False)
        before = len(self._panels)
        self._counts.append((made.count, count))
        self._cards[heading] = (made.whole, count)
        with made.inside:
            yield
        for panel in self._panels[before:]:
            panel.sleep()
            made.whole.on("toggle", panel.wake, args=[])

    # What is known

    def _known(self, known: Knowledge) -> None:
        every = statements.merge(known, own=self._own)
        with html.div().classes("row between"):
            html.h2("What we know" if not self._own else "What is known about you")
            if every:
                parts.badge(parts.count(len(every), "statement"))
        if not every:
            parts.quiet("Nothing yet. It is made from what they write, or remembered here:")
        for group, those in groupby(every, lambda each: each.group):
            with html.section().classes("known-group") as made:
                made.props["aria-label"] = group
                html.h3(group)
                with html.div().classes("list"):
                    shown = list(those)
                    self._statements(known, shown[:_FACTS])
                    if shown[_FACTS:]:
                        parts.later("More", len(shown) - _FACTS, partial(self._statements, known, shown[_FACTS:]))
        empty = [section for section in SECTIONS if not any(each.group.lower() == section for each in every)]
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
        if each.by_hand:
            parts.badge("by hand")
        if each.flag:
            parts.badge("only quoted", "warn")
        for said_by in dict.fromkeys(source.said_by for source in each.sources if source.said_by):
            self._person(known, said_by, "said by ")
        places = [source for source in each.sources if source.label]
        for source in places[:_ORIGINS]:
            self._place(source.label, source.place)
        self._more(places[_ORIGINS:])
        dated = places and each.at is not None and str(each.at.year) in places[0].label
        if each.at is not None and not dated:
            parts.moment(each.at).props("data-day")

    def _more(self, rest: Sequence[StatementSource]) -> None:
        """The other sources, on demand."""
        if not rest:
            return
        box: Element = html.span().classes("details")

        def look() -> None:
            box.clear()
            with box:
                for source in rest:
                    self._place(source.label, source.place)

        with box:
            parts.button(f"+{len(rest):,}", look, kind="quiet small", name=f"{len(rest):,} more sources")

    def _place(self, label: str, place: MessagePlace | None) -> None:
        if place is None or self._own:
            html.span(label).props("dir=auto")
        else:
            parts.message_link(self._viewer, place.channel, place.seq, label)

    def _person(self, known: Knowledge, person: str, before: str = "") -> None:
        with html.span():
            html.span(before)
            if self._own and person == known.person:
                html.span("you")
            elif self._own or person not in known.names:
                html.span(known.called(person)).props("dir=auto")
            else:
                parts.person_link(self._viewer, person, known.called(person))

    def _at(self, channel: str, seq: int) -> str:
        return self._viewer.url("/conversations/channel", channel=channel, seq=seq)

    # What they want, and what was told

    def _standing(self, known: Knowledge) -> None:
        for each in known.about.standing:
            with html.article().classes("memory told"):
                with html.div().classes("said-row"):
                    parts.text(each.text, "grow")
                    if self._actions.may_write:
                        self._actions.fact_buttons(each)
                with html.div().classes("details"):
                    self._place(each.origin, MessagePlace(each.channel, each.seq))

    # What changed when

    def _timeline(self, known: Knowledge) -> None:
        made = timeline.timeline(known.held, datetime.now(UTC))
        changed = [lane for lane in made.lanes if lane.changed]  # what never changed is above
        first, more = changed[:_LANES], changed[_LANES:]
        self._lanes(known, made, first)
        if more:
            parts.later("More", len(more), lambda: self._lanes(known, made, more))

    def _lanes(self, known: Knowledge, made: timeline.Timeline, lanes: Sequence[Lane]) -> None:
        with html.div().classes("timeline"):
            with html.div().classes("axis").props("aria-hidden=true"):
                for tick in made.ticks:
                    html.span(tick.label).classes("tick").style["left"] = f"{tick.left}%"
            for lane in lanes:
                group = html.section().classes("lane")
                group.props["aria-label"] = f"{lane.about}: {timeline.in_words(lane)}"
                with group:
                    html.h3(lane.about).classes("lane-name").props("dir=auto")
                    with html.div().classes("lane-rows"):
                        self._rows(lane.rows[-_ROWS:])
                        if lane.rows[:-_ROWS]:
                            parts.later("Earlier", len(lane.rows) - _ROWS, partial(self._rows, lane.rows[:-_ROWS]))
                        if lane.changed:
                            self._in_words(known, lane.bars)

    def _rows(self, rows: Sequence[Sequence[Bar]]) -> None:
        for row in rows:
            with html.div().classes("lane-row"):
                for bar in row:
                    self._bar(bar, alone=len(row) == 1)

    def _bar(self, bar: Bar, *, alone: bool) -> None:
        """Draw a bar. Where it is too narrow, its text is beside or below it."""
        held = bar.held
        linked = held.seq is not None and held.channel and not self._own
        made: Element = html.a(href=self._at(held.channel, held.seq or 0)) if linked else html.div()
        made.classes("bar").classes("standing" if held.until is None else "over")
        made.style["left"], made.style["width"] = f"{bar.left}%", f"{bar.width}%"
        if bar.thin:
            made.classes(("beside-left" if bar.left > _MIDDLE else "beside-right") if alone else "wordless")
        made.props["title"] = f"{held.text} ({timeline.when(held)})"
        with made:
            html.span(held.value).classes("one-line").props("dir=auto")

    def _in_words(self, known: Knowledge, bars: Sequence[Bar]) -> None:
        """List the latest changes, and earlier ones on demand."""
        if len(bars) > _ROWS:
            parts.later("Earlier", len(bars) - _ROWS, lambda: self._listed(known, bars[:-_ROWS]))
        self._listed(known, bars[-_ROWS:])

    def _listed(self, known: Knowledge, bars: Sequence[Bar]) -> None:
        with html.ol().classes("lane-words"):
            for bar in bars:
                with html.li().classes("details"):
                    html.strong(bar.held.value).props("dir=auto")
                    html.span(timeline.when(bar.held))
                    self._word(known, bar.held)

    def _word(self, known: Knowledge, held: TimedMemory) -> None:
        """Whose word it is, with a link to the message."""
        if held.said_by is not None:
            self._person(known, held.said_by, "said by ")
        self._where(held)

    def _where(self, held: TimedMemory) -> None:
        if held.seq is not None and held.channel:
            self._place(f"{held.channel}, message {held.seq}", MessagePlace(held.channel, held.seq))
        if held.again and self._own:
            html.span(f"and {len(held.again):,} times again")
        elif held.again:
            self._again(held)

    def _again(self, held: TimedMemory) -> None:
        """Look up on demand where else it was said: it may have been often."""
        box: Element = html.span().classes("details")

        async def look() -> None:
            memory = await self._viewer.reading()
            found = [await memory.memories.get(id, space=self._viewer.space) for id in held.again[:_AGAIN]]
            box.clear()
            with box:
                for each in found:
                    self._place(f"{each.channel}, message {each.seq}", MessagePlace(each.channel, each.seq or 0))
                if len(held.again) > _AGAIN:
                    html.span(f"and {len(held.again) - _AGAIN:,} more")

        with box:
            parts.button(
                f"+{len(held.again):,}", look, kind="quiet small", name=f"Where it was said again: {held.text}"
            )

    def _messages(self, known: Knowledge) -> None:
        rows: Element = html.ul().classes("list")
        last = known.messages.next
        with rows:
            for hit in known.messages:
                self._message(hit)

        async def older() -> None:
            nonlocal last
            memory = await self._viewer.reading()
            found = await memory.people.messages(known.person, space=self._viewer.space, cursor=last, limit=MESSAGES)
            with rows:
                for hit in found:
                    self._message(hit)
            last = found.next
            if last is None:
                more.delete()

        if last is not None:
            more = parts.button("Older", older, name="Older messages")

    def _message(self, hit: Hit) -> None:
        with html.li():
            thread.long_text(hit.text, _LONGEST, "clamped")
            with html.div().classes("details"):
                parts.moment(hit.at)
                if hit.seq is not None:
                    self._place(f"{hit.channel}, message {hit.seq}", MessagePlace(hit.channel, hit.seq))


_TIMES: tuple[tuple[str, Callable[[Knowledge], str]], ...] = (
    ("Today", lambda known: known.about.today),
    ("The six days before", lambda known: known.about.history),
)


def _written(of: Callable[[Knowledge], str], known: Knowledge) -> None:
    parts.text(of(known))


def _merged(known: Knowledge) -> None:
    html.pre(known.about.text).classes("block").props("dir=auto")
    with html.div().classes("row"):
        parts.copy(known.about.text)
