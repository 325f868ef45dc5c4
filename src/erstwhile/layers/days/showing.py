"""What is stored of a person, as far as those who hear it may: told, today, the days before, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta

from erstwhile.configuration.visibility import EVERYONE, Visibility
from erstwhile.layers.days import portray, store, week
from erstwhile.layers.days.model import EVERYTHING, WEEK, Day, Moment, Portrait, View, Week, week_from_row
from erstwhile.layers.remembered import store as remembered
from erstwhile.layers.remembered.model import Told
from erstwhile.layers.remembered.names import without_blocked
from erstwhile.log import people
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class PersonMaterial:
    """All that may be heard: what was told, today's days, the days `before` and their `weeks` by audience, and who wrote those."""

    name: str
    told: tuple[Told, ...]
    today: tuple[Day, ...]
    before: dict[str, list[Day]]
    weeks: dict[str, Week]
    writers: dict[str, str]


async def gather(tx: Transaction, hearing: Visibility, view: View, moment: Moment) -> PersonMaterial:
    first = moment.today - timedelta(days=WEEK)
    told = await remembered.of_person(tx, view.person)
    heeded = await without_blocked(tx, [each.text for each in told])
    told = [replace(each, text=text) for each, text in zip(told, heeded, strict=True)]
    days = [day for day in await store.of_person(tx, view.person, first) if day.day <= moment.today]
    audiences = {each.audience for each in told} | {day.audience for day in days}
    heard = await hearing.only(view.within).heard(tx, view.here, audiences, view.asker)
    owner = view.here is None and view.asker is None

    def said(each: Told) -> Told:
        """What is only quoted is for whoever runs the memory."""
        return each if owner else replace(each, text=each.plain)

    before: dict[str, list[Day]] = {}
    for day in days:
        if day.day < moment.today and day.audience in heard:
            before.setdefault(day.audience, []).append(day)
    weeks = await tx.all(store.queries.weeks, person=view.person) if before else []
    return PersonMaterial(
        name=(await people.names_of(tx, [view.person]))[view.person],
        told=tuple(each for each in map(said, told) if each.audience in heard and each.text),
        today=tuple(day for day in days if day.day == moment.today and day.audience in heard),
        before=before,
        weeks={row["audience"]: week_from_row(row) for row in weeks},
        writers={row["audience"]: row["writer"] for row in weeks},
    )


async def portrait(tx: Transaction, hearing: Visibility, view: View, moment: Moment) -> Portrait:
    if view.person in await people.blocked(tx):
        return Portrait(view.person, view.person)
    found = await gather(tx, hearing, view, moment)
    made = Portrait(
        person=view.person,
        name=found.name,
        told="\n".join(each.text for each in found.told),
        today="\n".join(day.text for day in found.today),
        history="\n".join(
            _history(days, found.weeks.get(audience), moment.today) for audience, days in found.before.items()
        ),
        told_ids=tuple(each.id for each in found.told),
        today_ids=tuple(day.id for day in found.today),
        history_ids=tuple(day.id for days in found.before.values() for day in days),
    )
    made = replace(made, view=_slot(view, found))
    stored = await tx.first(store.queries.portrait, person=view.person, view=made.view)
    if stored is not None and len(made.known) > 1 and stored["hash"] == portray.hash_of(made):
        return replace(made, text=stored["text"], merged=True)
    return replace(made, text=portray.side_by_side(made))


def _slot(view: View, found: PersonMaterial) -> str:
    """Where the portrait is kept: one for all who hear no more than everyone does. What it was made of is in its hash, so that two who hear
    different things in one channel are never mixed up: the later one takes the place."""
    audiences = {each.audience for each in found.told} | {day.audience for day in found.today} | found.before.keys()
    if audiences <= {EVERYONE}:
        return EVERYONE
    if view.here is None:
        return EVERYTHING
    return view.here or f"@{view.asker}"


def _history(days: list[Day], made: Week | None, today: date) -> str:
    """The account of the week; where the day has turned since, with the days it does not know yet; without any, the days themselves."""
    if made is not None and made.hash == week.hash_of(days):
        return made.text
    recent = made is not None and made.until >= today - timedelta(days=2)
    since = made.until if made is not None and recent else date.min
    rows = [week.dated(day.day, day.text) for day in days if day.day > since]
    return "\n".join([*([made.text] if made is not None and recent else []), *rows])
