"""Notes and topics: as cards in the list of a day, and whole."""

from __future__ import annotations

from calendar import Calendar
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from nicegui import html

from erstwhile.api.notes import NoteDetails
from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.notes.model import TOPIC, Note, NotedDay

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
            parts.link(
                "Open", viewer.url("/notes", note=topic.id), name=f"Open topic {topic.title}"
            )
            parts.draft(topic.draft)


def note_card(
    viewer: Viewer, each: Note, names: Mapping[str, str], titles: Mapping[str, str]
) -> None:
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


def _people(
    viewer: Viewer, people: Sequence[str], names: Mapping[str, str], most: int = _PEOPLE
) -> None:
    if not people:
        return
    with html.div().classes("row people").props("role=group aria-label='Who took part'"):
        for person in people[:most]:
            parts.person_link(viewer, person, names.get(person, person), "badge")
        if len(people) > most:
            html.span(f"and {len(people) - most:,} more").classes("quiet-text")


# By itself


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
                    parts.person_link(
                        viewer, fact.person, shown.names.get(fact.person, fact.person)
                    )
                    parts.badge(fact.section)
                    if fact.said_by and fact.said_by != fact.person:
                        parts.said(f"said by {shown.names.get(fact.said_by, fact.said_by)}")
                    parts.badge_if(fact.valid_to is not None, "no longer valid", "warn")
                    parts.badge_if(fact.flag, "only quoted", "bad")


WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
LEVELS = ("", "level-1", "level-2", "level-3", "level-4")  # how dark a day is


@dataclass(frozen=True, slots=True)
class Month:
    """`cells` are its days in rows of seven from Monday; None belongs to another month."""

    first: date
    last: date
    cells: tuple[date | None, ...]

    @property
    def name(self) -> str:
        return f"{self.first:%B %Y}"

    @property
    def earlier(self) -> str | None:
        """The month before, as in an address; None at the beginning of time."""
        return None if self.first == date.min else (self.first - timedelta(days=1)).isoformat()[:7]

    @property
    def later(self) -> str | None:
        return None if self.last == date.max else (self.last + timedelta(days=1)).isoformat()[:7]


def month_of(day: date) -> Month:
    cells = [
        day.replace(day=each) if each else None
        for each in Calendar().itermonthdays(day.year, day.month)
    ]
    days = [each for each in cells if each is not None]
    return Month(days[0], days[-1], tuple(cells))


def read_month(written: str) -> Month:
    try:
        return month_of(date.fromisoformat(f"{written}-01"))
    except ValueError:
        raise InvalidInput(f"{written!r} is not a month. Write it like 2026-03.") from None


def read_day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise InvalidInput(f"{written!r} is not a day. Write it like 2026-03-02.") from None


def level(day: NotedDay | None, of: Mapping[date, NotedDay]) -> int:
    """Return how full a day is compared with the fullest, from 0 to 4."""
    most = max((each.notes for each in of.values()), default=0)
    return 0 if day is None or not most else max(1, -(-(len(LEVELS) - 1) * day.notes // most))


def long(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"
