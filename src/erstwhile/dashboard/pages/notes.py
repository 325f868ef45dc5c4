"""Notes: a calendar, the notes and topics of a day, and the nightly run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from nicegui import html

from erstwhile.api.memory import Memory
from erstwhile.api.notes import NoteDetails
from erstwhile.base.page import Page, every
from erstwhile.base.records import dataclass
from erstwhile.dashboard import commands, labels, parts
from erstwhile.dashboard.calendar import (
    LEVELS,
    WEEKDAYS,
    Month,
    fullness,
    long,
    month_of,
    read_day,
    read_month,
)
from erstwhile.dashboard.parts import tag
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.notes.model import TOPIC, Buffer, Note, NotedDay

Names = Mapping[str, str]  # by id
_PEOPLE, _EVERYONE = 12, 200  # who took part, of a whole server: in a list, and by itself


def topic_card(viewer: Viewer, topic: Note) -> None:
    """Draw a topic; choosing it highlights its notes (static/notes.js)."""
    with html.div().classes("topic"):
        with parts.control("choose", pressed=False, data_topic=topic.id):
            parts.said(topic.title, "name")
            html.span(parts.count(len(topic.notes), "note")).classes("badge topic-count")
        if len(topic.notes) > 1:
            parts.text(topic.text, "clamped")
        with html.div().classes("details"):
            url = viewer.url("/notes", note=topic.id)
            parts.link("Open", url, name=f"Open topic {topic.title}")
            parts.draft(topic.draft)


def note_card(viewer: Viewer, each: Note, names: Names, titles: Names) -> None:
    with parts.tag("article", "card note", id=each.id, data_row=True, data_in=each.topic or None):
        with html.h3():
            parts.link(each.title or "Without a title", viewer.url("/notes", note=each.id))
        parts.text(each.text)
        _people(viewer, each.people, names)
        with html.div().classes("details"):
            _when(each)
            _messages(viewer, each)
            parts.said(titles.get(each.topic or ""), "badge topic one-line")
            parts.draft(each.draft)


def _when(each: Note) -> None:
    with html.span():
        parts.moment(each.from_at)
        html.span(" to ")
        parts.moment(each.to_at)


def _messages(viewer: Viewer, each: Note) -> None:
    seqs = dict.fromkeys((f"#{each.first_seq}", f"#{each.last_seq}"))
    label = f"{viewer.title_of(each.channel)} {' to '.join(seqs)}"
    parts.message_link(viewer, each.channel, each.first_seq, label)


def _people(viewer: Viewer, people: Sequence[str], names: Names, most: int = _PEOPLE) -> None:
    if not people:
        return
    with html.div().classes("row people").props("role=group aria-label='Who took part'"):
        for person in people[:most]:
            parts.person_link(viewer, person, names.get(person, person), "badge")
        if len(people) > most:
            html.span(f"and {len(people) - most:,} more").classes("quiet-text")


async def whole_note(viewer: Viewer, shown: NoteDetails) -> None:
    each, topic = shown.note, shown.topic
    await viewer.read_titles(note.channel for note in (each, *shown.parts))
    with html.p():
        parts.link(f"‹ {long(each.day)}", viewer.url("/notes", day=each.day.isoformat()))
    parts.title(each.title or "Without a title")
    with parts.card():
        with html.div().classes("details"):
            labels.badge(each.kind)
            parts.draft(each.draft)
            _when(each)
            if each.kind != TOPIC:
                _messages(viewer, each)
            parts.said(f"written by {each.writer}")
        parts.text(each.text)
        _people(viewer, each.people, shown.names, _EVERYONE)
    if each.kind == TOPIC:
        with parts.section("Made from these notes", len(shown.parts)):
            for part in shown.parts:
                note_card(viewer, part, shown.names, {})
        return
    with parts.section("Topic"):
        if topic is None or not topic.text:
            parts.quiet("In no topic yet. The nightly run puts it into one.")
        else:
            parts.link(topic.title, viewer.url("/notes", note=topic.id))
            if len(topic.notes) > 1:
                parts.text(topic.text)
            parts.quiet(f"With {parts.count(len(topic.notes) - 1, 'other note')}.")
    with parts.section("Profile facts from this note", len(shown.facts)):
        if not shown.facts:
            parts.quiet("It says nothing about anyone.")
        for fact in shown.facts:
            with html.div().classes("memory fact"):
                parts.text(fact.text)
                with html.div().classes("details"):
                    name = shown.names.get(fact.person, fact.person)
                    parts.person_link(viewer, fact.person, name)
                    parts.badge(fact.section)
                    if fact.said_by and fact.said_by != fact.person:
                        parts.said(f"said by {shown.names.get(fact.said_by, fact.said_by)}")
                    parts.badge_if(fact.valid_to is not None, "no longer valid", "warn")
                    parts.badge_if(fact.flag, "only quoted", "bad")


_NOTES = 40  # of a day on a page
_WAITING = 8  # conversations that are named
_COUNTED = 100  # conversations that are counted
_NAMED = 300  # people and channels that are offered; others can be typed


@page("/notes")
async def notes(viewer: Viewer) -> None:
    memory = await viewer.reading()
    if viewer.asked("note"):
        await whole_note(viewer, await memory.notes.get(viewer.asked("note")))
        return
    shown = await _Shown.of(viewer, memory)
    about = "A note on each conversation, and the topics that the nightly run makes of them."
    parts.title("Notes", about)
    with html.div().classes("notes-columns"):
        with tag("div", "month") as month:
            _calendar(viewer, shown)
        with tag("div", "stack day") as day:
            _day(viewer, shown)
        with html.div().classes("stack beside"):
            _narrow(viewer, shown)
            _night(viewer, lambda: again())
            with tag("div") as waiting:
                _waiting(viewer, shown.buffers)

    async def again() -> None:
        fresh = await _Shown.of(viewer, await viewer.reading())
        with parts.redrawn(month):
            _calendar(viewer, fresh)
        with parts.redrawn(day):
            _day(viewer, fresh)
        with parts.redrawn(waiting):
            _waiting(viewer, fresh.buffers)

    async def refill() -> None:
        buffers = await (await viewer.reading()).notes.buffers(limit=_COUNTED)
        await viewer.read_titles(each.channel for each in buffers[:_WAITING])
        with parts.redrawn(waiting):
            _waiting(viewer, buffers)

    viewer.again(again, kinds=("note", "topic"))
    viewer.again(refill, kinds=("message",), pause=1.0)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the page shows. `day` None: no notes."""

    day: date | None
    month: Month
    noted: Mapping[date, NotedDay]
    topics: Sequence[Note]
    notes: Page[Note]
    names: Names
    channels: Sequence[str]
    buffers: Sequence[Buffer]
    asked: Mapping[str, str | None]

    @classmethod
    async def of(cls, viewer: Viewer, memory: Memory) -> _Shown:
        asked: dict[str, Any] = {each: viewer.asked(each) or None for each in ("channel", "person")}
        people, channels, buffers = await asyncio.gather(
            memory.people.list(limit=1000),
            every(memory.channels.list),
            memory.notes.buffers(limit=_COUNTED),
        )
        day = read_day(viewer.asked("day")) if viewer.asked("day") else None
        if day is None and not viewer.asked("month"):
            latest = await memory.notes.list(limit=1, kind="note", **asked)
            day = latest[0].day if latest else None
        written = viewer.asked("month")
        today = datetime.now(UTC).date()
        month = read_month(written) if written else month_of(day or today)
        days = await memory.notes.days(month.first, month.last, **asked)
        noted = {each.day: each for each in days}
        if day is None and noted:
            day = max(noted)
        found = Page[Note]()
        topics: list[Note] = []
        if day is not None:
            before = viewer.asked("before") or None
            found, topics = await asyncio.gather(
                memory.notes.list(day=day, kind="note", limit=_NOTES, cursor=before, **asked),
                memory.notes.list(day=day, kind="topic", limit=200, person=asked["person"]),
            )
        if asked["channel"]:  # most topics are of no channel: those that its notes were put into
            inside = {each.topic for each in found}
            topics = [each for each in topics if each.id in inside]
        viewer.titles.update({each.channel: each.title for each in channels if each.title})
        names = {each.person: each.name for each in people}
        known = [each.channel for each in channels]
        return cls(day, month, noted, topics, found, names, known, buffers, asked)


def _calendar(viewer: Viewer, shown: _Shown) -> None:
    month = shown.month
    with tag("section", "card calendar", aria_label=f"Calendar of {month.name}"):
        with html.div().classes("row between"):
            _turn(viewer, shown, "‹", "Earlier", month.earlier)
            html.h2(month.name)
            _turn(viewer, shown, "›", "Later", month.later)
        with html.div().classes("days"):
            for name in WEEKDAYS:
                html.span(name).classes("weekday").props("aria-hidden=true")
            for day in month.cells:
                if day is not None:
                    _cell(viewer, shown, day)
                else:
                    html.span().classes("blank")
        total = sum(each.notes for each in shown.noted.values())
        noted = f"{parts.count(total, 'note')} on {parts.count(len(shown.noted), 'day')}"
        parts.quiet(noted if total else "No notes in this month.")


def _turn(viewer: Viewer, shown: _Shown, sign: str, label: str, month: str | None) -> None:
    if month is not None:
        url = viewer.url("/notes", month=month, **shown.asked)
        parts.link(sign, url, "button quiet", name=f"{label} month")


def _cell(viewer: Viewer, shown: _Shown, day: date) -> None:
    noted = shown.noted.get(day)
    if noted is None:
        html.span(str(day.day)).classes("cell")
        return
    url = viewer.url("/notes", day=day.isoformat(), **shown.asked)
    level = LEVELS[fullness(noted, shown.noted)]
    here = "date" if day == shown.day else None
    with parts.link("", url, f"cell {level}", here=here, name=f"{long(day)}: {_counts(noted)}"):
        html.span(str(day.day)).props("aria-hidden=true")
        html.small(f"{noted.notes:,}").props("aria-hidden=true")


def _counts(noted: NotedDay) -> str:
    return f"{parts.count(noted.notes, 'note')}, {parts.count(noted.topics, 'topic')}"


def _day(viewer: Viewer, shown: _Shown) -> None:
    if shown.day is None:
        if any(shown.asked.values()):
            parts.empty("There are no notes with this filter. Remove it, or choose another month.")
        elif shown.noted or shown.names:
            parts.empty(
                "No notes in this month. A conversation gets its note when it has been quiet for a while, or goes on "
                "for long; a worker writes it.",
                commands.example(viewer, "worker"),
            )
        else:
            nothing = "There are no messages yet. Each conversation gets a note."
            commands.nothing_yet(viewer, nothing)
        return
    html.h2(long(shown.day)).classes("day-heading")
    noted = shown.noted.get(shown.day)
    if not shown.notes and not shown.topics:
        parts.empty("No notes on this day. Choose a day with a number in the calendar.")
        return
    if noted is not None:
        parts.quiet(_counts(noted))
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
    older = viewer.url("/notes", day=day, before=shown.notes.next, **shown.asked)
    parts.pages(first, older if shown.notes.next else None)


def _narrow(viewer: Viewer, shown: _Shown) -> None:
    day = shown.day.isoformat() if shown.day is not None and viewer.asked("day") else None
    with parts.card("Filter"), parts.form(viewer, "/notes", "stack", day=day):
        channels = [(each, viewer.title_of(each)) for each in shown.channels]
        people = list(shown.names.items())
        named = (("person", "person", people), ("channel", "conversation", channels))
        for name, word, offered in named:
            field = {"type": "text", "autocomplete": "off", "dir": "auto", "list": f"all-{name}"}
            chosen = shown.asked[name] or ""
            parts.entry(word.capitalize(), name, chosen, placeholder=f"Any {word}", **field)
            parts.suggestions(f"all-{name}", offered[:_NAMED])
        with html.div().classes("row"):
            parts.submit("Apply", name="Apply the filter")
            if any(shown.asked.values()):
                everything = viewer.url("/notes", day=viewer.asked("day") or None)
                parts.link("Show all", everything, "button quiet")


def _night(viewer: Viewer, done: Callable[[], Awaitable[None]]) -> None:
    if not viewer.may_write:
        return

    async def run() -> None:
        memory = await viewer.writing()
        with parts.redrawn(said):
            parts.spinner()
            html.span("Working…")
        told = "It failed."  # why is said in a toast, as with every error
        try:
            night = await memory.notes.nightly()
            told = (
                f"{parts.count(night.notes, 'note')} put into {parts.count(night.topics, 'topic')}; "
                f"{parts.count(night.people, 'person', 'people')} took part."
            )
        finally:
            with parts.redrawn(said):
                html.span(told)
        await done()

    with parts.card("Nightly run"):
        parts.quiet("Puts every note without a topic into one. It runs each night by itself.")
        said = tag("p", "night-said", role="status", aria_live="polite")
        parts.button("Run it now", run, busy="")


def _waiting(viewer: Viewer, buffers: Sequence[Buffer]) -> None:
    with parts.card("Waiting for a note"):
        if not buffers:
            parts.quiet("No conversation is waiting.")
            return
        counted = parts.count(len(buffers), "conversation")
        many = f"{_COUNTED} conversations or more" if len(buffers) == _COUNTED else counted
        parts.quiet(f"{many} not noted yet.")
        with html.ul().classes("list"):
            for each in buffers[:_WAITING]:
                with html.li():
                    name = viewer.title_of(each.channel)
                    parts.message_link(viewer, each.channel, each.first_seq, name, "one-line")
                    with html.div().classes("details"):
                        html.span(parts.count(each.messages, "message"))
                        html.span("its note is being written" if each.closed else "still going on")
                        parts.moment(each.updated_at)
