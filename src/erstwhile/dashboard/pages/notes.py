"""Notes: a calendar, the notes and topics of a day, and the nightly run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, date, datetime

from nicegui import html
from nicegui.element import Element

from erstwhile.api.memory import Memory
from erstwhile.api.page import Page
from erstwhile.base.records import dataclass
from erstwhile.dashboard import commands, note_cards, parts
from erstwhile.dashboard.note_cards import note_card, topic_card, whole_note
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.notes.model import Buffer, Note, NotedDay

_NOTES = 40  # of a day on a page
_WAITING = 8  # conversations that are named
_COUNTED = 100  # conversations that are counted
_NAMED = 300  # people and channels that are offered; others can be typed


@page("/notes")
async def notes(viewer: Viewer) -> None:
    memory = await viewer.reading()
    if viewer.asked("note"):
        await whole_note(viewer, await memory.notes.get(viewer.asked("note"), space=viewer.space))
        return
    shown = await _Shown.of(viewer, memory)
    parts.title("Notes", "A note on each conversation, and the topics that the nightly run makes of them.")
    with html.div().classes("notes-columns"):
        month: Element = html.div().classes("month")
        with month:
            _calendar(viewer, shown)
        day: Element = html.div().classes("stack day")
        with day:
            _day(viewer, shown)
        with html.div().classes("stack beside"):
            _narrow(viewer, shown)
            _night(viewer, lambda: again(()))
            waiting: Element = html.div()
            with waiting:
                _waiting(viewer, shown.buffers)

    async def again(_: object) -> None:
        fresh = await _Shown.of(viewer, await viewer.reading())
        for place, build in ((month, _calendar), (day, _day)):
            place.clear()
            with place:
                build(viewer, fresh)
        refill(fresh.buffers)

    def refill(buffers: Sequence[Buffer]) -> None:
        waiting.clear()
        with waiting:
            _waiting(viewer, buffers)

    async def said(_: object) -> None:
        refill(await (await viewer.reading()).notes.buffers(space=viewer.space, limit=_COUNTED))

    viewer.live(again, kinds=("note", "topic"))
    viewer.live(said, kinds=("message",), pause=1.0)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the page shows. `day` None: no notes; `more`: the day has further notes."""

    day: date | None
    month: note_cards.Month
    noted: Mapping[date, NotedDay]
    topics: Sequence[Note]
    notes: Sequence[Note]
    next: str | None
    names: Mapping[str, str]
    channels: Sequence[str]
    buffers: Sequence[Buffer]
    asked: Mapping[str, str | None]

    @classmethod
    async def of(cls, viewer: Viewer, memory: Memory) -> _Shown:
        asked = {"channel": viewer.asked("channel") or None, "person": viewer.asked("person") or None}
        narrow = {"space": viewer.space, **asked}
        people, channels, buffers = await asyncio.gather(
            memory.people.list(space=viewer.space, limit=1000),
            memory.channels.list(space=viewer.space),
            memory.notes.buffers(space=viewer.space, limit=_COUNTED),
        )
        day = note_cards.read_day(viewer.asked("day")) if viewer.asked("day") else None
        if day is None and not viewer.asked("month"):
            latest = await memory.notes.list(limit=1, kind="note", **narrow)
            day = latest[0].day if latest else None
        month = (
            note_cards.read_month(viewer.asked("month"))
            if viewer.asked("month")
            else note_cards.month_of(day or datetime.now(UTC).date())
        )
        noted = note_cards.by_day(await memory.notes.days(month.first, month.last, **narrow))
        if day is None and noted:
            day = max(noted)
        found = Page[Note]()
        topics: list[Note] = []
        if day is not None:
            before = viewer.asked("before") or None
            found, topics = await asyncio.gather(
                memory.notes.list(day=day, kind="note", limit=_NOTES, cursor=before, **narrow),
                memory.notes.list(day=day, kind="topic", limit=200, space=viewer.space, person=asked["person"]),
            )
        if asked["channel"]:  # most topics are of no channel: those that its notes were put into
            inside = {each.topic for each in found}
            topics = [each for each in topics if each.id in inside]
        return cls(
            day=day,
            month=month,
            noted=noted,
            topics=topics,
            notes=found,
            next=found.next,
            names={each.person: each.name for each in people},
            channels=[each.channel for each in channels],
            buffers=buffers,
            asked=asked,
        )


# The calendar


def _calendar(viewer: Viewer, shown: _Shown) -> None:
    month = shown.month
    with html.section().classes("card calendar") as made:
        made.props["aria-label"] = f"Calendar of {month.name}"
        with html.div().classes("row between"):
            _turn(viewer, shown, "‹", "Earlier", month.earlier)
            html.h2(month.name)
            _turn(viewer, shown, "›", "Later", month.later)
        with html.div().classes("days"):
            for name in note_cards.WEEKDAYS:
                html.span(name).classes("weekday").props("aria-hidden=true")
            for day in month.cells:
                if day is not None:
                    _cell(viewer, shown, day)
                else:
                    html.span().classes("blank")
        total = sum(each.notes for each in shown.noted.values())
        parts.quiet(f"{total:,} notes on {len(shown.noted)} days" if total else "No notes in this month.")


def _turn(viewer: Viewer, shown: _Shown, sign: str, label: str, month: str | None) -> None:
    if month is None:
        return
    made = parts.link(sign, viewer.url("/notes", month=month, **shown.asked), "button quiet")
    made.props["aria-label"] = f"{label} month"


def _cell(viewer: Viewer, shown: _Shown, day: date) -> None:
    noted = shown.noted.get(day)
    if noted is None:
        html.span(str(day.day)).classes("cell")
        return
    made: Element = html.a(href=viewer.url("/notes", day=day.isoformat(), **shown.asked))
    made.classes("cell").classes(note_cards.LEVELS[note_cards.level(noted, shown.noted)])
    made.props["aria-label"] = (
        f"{note_cards.long(day)}: {parts.count(noted.notes, 'note')}, {parts.count(noted.topics, 'topic')}"
    )
    if day == shown.day:
        made.classes("here").props["aria-current"] = "date"
    with made:
        html.span(str(day.day))
        html.small(f"{noted.notes:,}")


# A day


def _day(viewer: Viewer, shown: _Shown) -> None:
    if shown.day is None:
        _nothing(viewer, shown)
        return
    html.h2(note_cards.long(shown.day)).classes("day-heading")
    noted = shown.noted.get(shown.day)
    if not shown.notes and not shown.topics:
        parts.empty("No notes on this day. Choose a day with a number in the calendar.")
        return
    if noted is not None:
        parts.quiet(f"{parts.count(noted.notes, 'note')}, {parts.count(noted.topics, 'topic')}")
    if shown.topics:
        html.h3("Topics")
        parts.quiet("Choose a topic to highlight its notes.")
        with html.div().classes("topics"):
            for topic in shown.topics:
                topic_card(viewer, topic)
        html.h3("Notes")
    elif noted is not None:
        parts.quiet("The nightly run has not put these notes into topics yet.")
    titles = {topic.id: topic.title for topic in shown.topics}
    with html.div().classes("stack"):
        for each in shown.notes:
            note_card(viewer, each, shown.names, titles)
    day = shown.day.isoformat()
    first = viewer.url("/notes", day=day, **shown.asked) if viewer.asked("before") else None
    parts.pages(first, viewer.url("/notes", day=day, before=shown.next, **shown.asked) if shown.next else None)


def _nothing(viewer: Viewer, shown: _Shown) -> None:
    if any(shown.asked.values()):
        parts.empty("There are no notes with this filter. Remove it, or choose another month.")
    elif shown.noted or shown.names:
        parts.empty(
            "No notes in this month. A conversation gets its note when it has been quiet for a while, or goes on for long; a worker "
            "writes it.",
            commands.example(viewer, "worker"),
        )
    else:
        commands.nothing_yet(viewer, "There are no messages yet. Each conversation gets a note.")


# Beside it


def _narrow(viewer: Viewer, shown: _Shown) -> None:
    day = shown.day.isoformat() if shown.day is not None and viewer.asked("day") else None
    with parts.card("Filter"), parts.form(viewer, "/notes", "stack", day=day):
        _choice("person", "Person", shown.asked["person"], list(shown.names.items()))
        _choice("channel", "Channel", shown.asked["channel"], [(each, "") for each in shown.channels])
        with html.div().classes("row"):
            html.button("Apply", type="submit").classes("button").props["aria-label"] = "Apply the filter"
            if any(shown.asked.values()):
                parts.link("Show all", viewer.url("/notes", day=viewer.asked("day") or None), "button quiet")


def _choice(name: str, label: str, value: str | None, offered: Sequence[tuple[str, str]]) -> None:
    with parts.field(label):
        box = html.input_(type="text", name=name, value=value or "", list=f"all-{name}").props(
            "autocomplete=off dir=auto"
        )
        box.props["placeholder"] = f"Any {name}"
    parts.suggestions(f"all-{name}", offered[:_NAMED])


def _night(viewer: Viewer, done: Callable[[], Awaitable[None]]) -> None:
    if not viewer.may_write:
        return
    with parts.card("Nightly run"):
        parts.quiet("Puts every note without a topic into one. It runs each night by itself.")
        said: Element = html.p().classes("night-said").props("role=status aria-live=polite")

        async def run() -> None:
            memory = await viewer.writing()
            button.props["disabled"] = True
            said.clear()
            with said:
                html.span().classes("spinner").props("aria-hidden=true")
                html.span("Working…")
            told = "It failed."  # why is said in a toast, as with every error
            try:
                night = await memory.notes.nightly(space=viewer.space)
                told = (
                    f"{parts.count(night.notes, 'note')} put into {parts.count(night.topics, 'topic')}; "
                    f"{parts.count(night.people, 'person', 'people')} took part."
                )
            finally:
                button.props.pop("disabled", None)
                said.clear()
                with said:
                    html.span(told)
            await done()

        button = parts.button("Run it now", run)


def _waiting(viewer: Viewer, buffers: Sequence[Buffer]) -> None:
    with parts.card("Waiting for a note"):
        if not buffers:
            parts.quiet("No conversation is waiting.")
            return
        many = (
            f"{_COUNTED} conversations or more"
            if len(buffers) == _COUNTED
            else parts.count(len(buffers), "conversation")
        )
        parts.quiet(f"{many} not noted yet.")
        with html.ul().classes("list"):
            for each in buffers[:_WAITING]:
                with html.li():
                    parts.message_link(viewer, each.channel, each.first_seq, each.channel, "one-line")
                    with html.div().classes("details"):
                        html.span(parts.count(each.messages, "message"))
                        html.span("its note is being written" if each.closed else "still going on")
                        parts.moment(each.updated_at)
