"""Draws what is known about a person, for the operator and for the person themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial

from nicegui import html
from nicegui.element import Element

from erstwhile.dashboard import parts
from erstwhile.dashboard.conversations import thread
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.people import timeline
from erstwhile.dashboard.people.actions import PersonActions
from erstwhile.dashboard.people.knowledge import MESSAGES, FactOrigin, Knowledge, MessagePlace, ProfileEntry
from erstwhile.dashboard.people.timeline import Bar, Lane, TimedMemory
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.profiles.model import SECTIONS
from erstwhile.layers.remembered.model import Told
from erstwhile.search.model import Hit

_LANES = 10  # that are drawn at once; the others are below
_FACTS = 12  # that are listed of one voice
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

    def build(self, known: Knowledge) -> None:
        with parts.card("What changed when"):
            self._panel(self._timeline, lambda known: (known.held, known.names))
        with html.div().classes("columns"):
            with html.div().classes("stack"):
                for section in SECTIONS:
                    self._section(section)
                with self._folded("Facts on file", lambda known: len(known.about.facts)):
                    self._panel(self._stated, lambda known: (known.about.facts, known.names))
                if not self._own:
                    self._ended()
                with parts.card("Who said what"):
                    self._panel(self._voices, lambda known: (known.held, known.names))
            with html.div().classes("stack"):
                with parts.card("Wants from every answer"):
                    self._panel(self._standing, lambda known: known.about.standing)
                self._told_card()
                with parts.card("Today"):
                    self._panel(
                        lambda known: _words(known.about.today, "Nothing yet."), lambda known: known.about.today
                    )
                with parts.card("The six days before"):
                    self._panel(
                        lambda known: _words(known.about.history, "Nothing yet."), lambda known: known.about.history
                    )
                if not self._own:
                    with self._folded("As a model gets it", open=False):
                        self._panel(_merged, lambda known: known.about.text)
                with parts.card("Latest messages" if not self._own else "What you said last"):
                    self._panel(self._messages, lambda known: known.messages)
        self.show(known)

    def show(self, known: Knowledge) -> None:
        for panel in self._panels:
            panel.show(known)
        for element, count in self._counts:
            parts.reword(element, f"{count(known):,}")

    def _panel(self, draw: Callable[[Knowledge], None], of: Callable[[Knowledge], object]) -> None:
        self._panels.append(Panel(draw, of))

    # The profile

    def _section(self, section: str) -> None:
        def of(known: Knowledge) -> tuple[ProfileEntry, ...]:
            return tuple(fact for fact in known.facts if fact.section == section)

        with self._folded(section.capitalize(), lambda known: len(of(known))):
            self._panel(lambda known: self._facts(known, of(known)), lambda known: (of(known), known.names))

    def _ended(self) -> None:
        with self._folded("No longer valid", lambda known: len(known.ended), open=False):
            self._panel(lambda known: self._facts(known, known.ended), lambda known: (known.ended, known.names))

    @contextmanager
    def _folded(
        self, heading: str, count: Callable[[Knowledge], int] | None = None, *, open: bool = True
    ) -> Iterator[None]:
        """A section whose count follows changes. A closed one is drawn when it is first opened."""
        made = parts.Section(heading, open=open)
        before = len(self._panels)
        if count is not None:
            self._counts.append((made.count, count))
        with made.inside:
            yield
        if not open:
            for panel in self._panels[before:]:
                panel.sleep()
                made.whole.on("toggle", panel.wake, args=[])

    def _facts(self, known: Knowledge, facts: Sequence[ProfileEntry]) -> None:
        if not facts:
            parts.quiet("Nothing yet.")
        for fact in facts:
            with html.article().classes("memory fact"):
                with html.div().classes("said-row"):
                    parts.text(fact.text, "grow")
                    if self._actions.may_write and fact.until is None:
                        self._actions.fact_buttons(fact)
                with html.div().classes("details"):
                    self._origin(known, fact)

    def _stated(self, known: Knowledge) -> None:
        """Facts that the profile doesn't say; what held before says until when."""
        if not known.about.facts:
            parts.quiet("Nothing yet.")
        for fact in known.about.facts:
            with html.article().classes("memory fact"):
                parts.text(fact.text)
                with html.div().classes("details"):
                    if fact.said_by is not None:
                        self._person(known, fact.said_by, "said by ")
                    html.span(fact.source).props("dir=auto")
                    if fact.until is not None:
                        parts.badge(f"until {fact.until.day} {fact.until:%b %Y}")

    def _origin(self, known: Knowledge, fact: ProfileEntry) -> None:
        if fact.said_by is not None and fact.said_by != known.person:
            self._person(known, fact.said_by, "said by ")
        if fact.by_hand:
            parts.badge("by hand")
        if fact.flag:
            parts.badge("only quoted", "warn")
        if fact.source or fact.place:
            self._place(fact.source or "the message", fact.place)
        self._origins(fact.more)
        parts.moment(fact.at).props("data-day")
        if fact.until is not None:
            html.span("until")
            parts.moment(fact.until).props("data-day")

    def _origins(self, those: Sequence[FactOrigin]) -> None:
        """List the first origins, and the others on demand."""
        for origin in those[:_ORIGINS]:
            self._place(origin.title, origin.place)
        rest = those[_ORIGINS:]
        if not rest:
            return
        box: Element = html.span().classes("details")

        def look() -> None:
            box.clear()
            with box:
                for origin in rest:
                    self._place(origin.title, origin.place)

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
        if not known.about.standing:
            parts.quiet("Nothing yet.")
        for each in known.about.standing:
            with html.article().classes("memory told"):
                with html.div().classes("said-row"):
                    parts.text(each.text, "grow")
                    if self._actions.may_write:
                        self._actions.fact_buttons(each)
                with html.div().classes("details"):
                    self._place(each.origin, MessagePlace(each.channel, each.seq))

    def _told_card(self) -> None:
        with parts.card("Remembered"):
            self._panel(self._told, lambda known: (known.told, known.about.told))
            if self._actions.may_write:
                self._actions.remember_box()

    def _told(self, known: Knowledge) -> None:
        if self._own:
            self._lines(known.about.told, None)
        for told in known.told:
            if told.audience:
                parts.quiet(f"From {told.audience}, visible only to those who can read it:").props("dir=auto")
            self._lines(told.text, told)
        if not known.told and not known.about.told:
            parts.quiet("Nothing yet.")

    def _lines(self, text: str, told: Told | None) -> None:
        for line in filter(None, text.splitlines()):
            with html.div().classes("memory told said-row"):
                parts.text(line, "grow")
                if self._actions.may_write:
                    self._actions.forget_button(line, told)

    # What changed when

    def _timeline(self, known: Knowledge) -> None:
        if not known.held:
            parts.quiet("Nothing with a time of validity is known yet.")
            return
        made = timeline.timeline(known.held, datetime.now(UTC))
        first, more = made.lanes[:_LANES], made.lanes[_LANES:]
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

    # Who said what

    def _voices(self, known: Knowledge) -> None:
        if not known.held:
            parts.quiet("Nothing yet.")
        for voice in timeline.by_speaker(known.person, known.held):
            with html.div().classes("stack voice"):
                with html.h3().classes("row"):
                    if voice.said_by is None:
                        html.span("Unknown")
                    elif voice.own:
                        html.span("You" if self._own else f"{known.name}, about themselves").props("dir=auto")
                    else:
                        self._person(known, voice.said_by)
                    parts.badge(f"{len(voice.held):,}")
                self._all_held(voice.held[:_FACTS])
                if len(voice.held) > _FACTS:
                    parts.later("More", len(voice.held) - _FACTS, partial(self._all_held, voice.held[_FACTS:]))

    def _all_held(self, those: Sequence[TimedMemory]) -> None:
        with html.ul().classes("list"):
            for held in those:
                self._held(held)

    def _held(self, held: TimedMemory) -> None:
        with html.li():
            parts.text(held.text)
            with html.div().classes("details"):
                html.span(timeline.when(held))
                self._where(held)

    def _messages(self, known: Knowledge) -> None:
        if not known.messages:
            parts.quiet("Nothing yet.")
            return
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


def _words(text: str, otherwise: str) -> None:
    if text:
        parts.text(text)
    else:
        parts.quiet(otherwise)


def _merged(known: Knowledge) -> None:
    if not known.about.text:
        parts.quiet("Nothing yet.")
        return
    html.pre(known.about.text).classes("block").props("dir=auto")
    with html.div().classes("row"):
        parts.copy(known.about.text)
