"""The portrait of a person, from what is visible to the reader: the remembered text, today, and the
days before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from erstwhile.base.records import dataclass, from_row
from erstwhile.configuration.visibility import EVERYONE, Visibility
from erstwhile.layers.days import store, week
from erstwhile.layers.days.model import EVERYTHING, WEEK, Day, Moment, Portrait, View, Week
from erstwhile.layers.remembered import store as remembered
from erstwhile.layers.remembered.lines import unquoted
from erstwhile.layers.remembered.model import ToldText
from erstwhile.layers.remembered.names import without_blocked
from erstwhile.log import people
from erstwhile.storage import Transaction
from erstwhile.text import sentences
from erstwhile.writers import checks, halves, transcript, xml
from erstwhile.writers.port import Halves, Writer, WriterQuestion
from erstwhile.writers.prompt import load

_TOKENS = 512  # of an answer, beyond the usual: all facts stay
_MARGIN = 500  # characters between its parts; it says nothing that these do not


@dataclass(frozen=True, slots=True)
class PersonMaterial:
    """What is visible: remembered texts, today, the days `before` by audience, and their `weeks`.
    `writers`: who wrote the weeks."""

    name: str
    told: tuple[ToldText, ...]
    today: tuple[Day, ...]
    before: dict[str, list[Day]]
    weeks: dict[str, Week]
    writers: dict[str, str]


async def gather(
    tx: Transaction, visibility: Visibility, view: View, moment: Moment
) -> PersonMaterial:
    first = moment.today - timedelta(days=WEEK)
    texts = await remembered.of_person(tx, view.person)
    days = await store.of_person(tx, view.person, first)
    audiences = {each.audience for each in texts} | {day.audience for day in days}
    visible = await visibility.only(view.within).visible(tx, view.here, audiences, view.asker)
    operator = view.here is None and view.asker is None
    told = []
    allowed = await without_blocked(tx, [each.text for each in texts])
    for each, text in zip(texts, allowed, strict=True):
        shown = text if operator else unquoted(text)
        if shown and each.audience in visible:
            told.append(replace(each, text=shown))
    days = [day for day in days if day.audience in visible]
    before: dict[str, list[Day]] = {}
    for day in days:
        if day.day < moment.today:
            before.setdefault(day.audience, []).append(day)
    weeks = await tx.all(store.queries.weeks, person=view.person) if before else []
    return PersonMaterial(
        name=(await people.labels_of(tx, [view.person]))[view.person],
        told=tuple(told),
        today=tuple(day for day in days if day.day == moment.today),
        before=before,
        weeks={row["audience"]: from_row(Week, row) for row in weeks},
        writers={row["audience"]: row["writer"] for row in weeks},
    )


async def read(tx: Transaction, visibility: Visibility, view: View, moment: Moment) -> Portrait:
    """Return the portrait from what is stored."""
    if view.person in await people.blocked(tx):
        return Portrait(view.person, view.person)
    found = await gather(tx, visibility, view, moment)
    weeks, before = found.weeks, found.before
    history = [_history(days, weeks.get(each), moment.today) for each, days in before.items()]
    made = Portrait(
        person=view.person,
        name=found.name,
        told="\n".join(each.text for each in found.told),
        today="\n".join(day.text for day in found.today),
        history="\n".join(history),
        view=_slot(view, found),
        told_ids=tuple(each.id for each in found.told),
        today_ids=tuple(day.id for day in found.today),
        history_ids=tuple(day.id for days in before.values() for day in days),
    )
    stored = await tx.first(store.queries.portrait, person=view.person, view=made.view)
    if stored is not None and len(made.known) > 1 and stored["hash"] == hash_of(made):
        return replace(made, text=stored["text"], merged=True)
    return replace(made, text=side_by_side(made))


def _slot(view: View, found: PersonMaterial) -> str:
    """Return the key of a stored portrait. All who see only public content share one. The portrait
    has a hash of its sources: readers in one channel who see different things never get each
    other's; the later one replaces the earlier."""
    audiences = {each.audience for each in found.told} | found.before.keys()
    audiences |= {day.audience for day in found.today}
    if audiences <= {EVERYONE}:
        return EVERYONE
    if view.here is None:
        return EVERYTHING
    return view.here or f"@{view.asker}"


def _history(days: list[Day], made: Week | None, today: date) -> str:
    """Return the text of the week, with the days that are newer; without one, the days themselves."""
    if made is not None and made.hash == week.hash_of(days):
        return made.text
    recent = made is not None and made.until >= today - timedelta(days=2)
    since = made.until if made is not None and recent else date.min
    rows = [week.dated(day.day, day.text) for day in days if day.day > since]
    return "\n".join([*([made.text] if made is not None and recent else []), *rows])


# Making it


def hash_of(portrait: Portrait) -> str:
    return week.digest((portrait.told, portrait.today, portrait.history))


def ask(portrait: Portrait) -> WriterQuestion[str]:
    async def draft(_writer: Writer) -> str:
        return side_by_side(portrait)

    return WriterQuestion(
        prompt=load(__package__, "portray"),
        text=material(portrait),
        read=lambda answer: week.text_of(answer, "portrait"),
        draft=draft,
        schema=week.one_text("portrait", _MARGIN + sum(map(len, portrait.known))),
        room=_TOKENS,
        check=lambda text: checks.borne_text(
            text, (portrait.told, portrait.today, portrait.history), portrait.name
        ),
        halves=lambda: _halves(portrait),
    )


def _halves(portrait: Portrait) -> Halves[WriterQuestion[str], str] | None:
    """Divide the texts between their sentences."""
    rows = [
        (part, row)
        for part in ("told", "today", "history")
        for line in getattr(portrait, part).splitlines()
        for row in sentences.split(line)
    ]

    def of(taken: Sequence[tuple[str, str]]) -> WriterQuestion[str]:
        told, today, history = (
            "\n".join(row for own, row in taken if own == part)
            for part in ("told", "today", "history")
        )
        return ask(replace(portrait, told=told, today=today, history=history))

    return halves.of(rows, of, lambda one, other: f"{one} {other}")


def material(portrait: Portrait) -> str:
    name = xml.escape(" ".join(portrait.name.split()))
    told = {"facts": portrait.told, "today": portrait.today, "history": portrait.history}
    parts = [f"<{part}>{xml.escape(text)}</{part}>" for part, text in told.items()]
    closing = transcript.closing("The portrait as JSON, its text", portrait.known)
    return "\n".join([f'<person name="{name}">', *parts, "</person>", "", closing])


def side_by_side(portrait: Portrait) -> str:
    """Return the texts one after the other: the portrait without a model."""
    if len(portrait.known) == 1:
        return portrait.known[0]
    labels = ("", "Today: ", "In the days before: ")
    texts = (portrait.told, portrait.today, portrait.history)
    return "\n\n".join(f"{label}{text}" for label, text in zip(labels, texts, strict=True) if text)
