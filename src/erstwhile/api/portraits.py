"""What is known of a person, by itself (`memory.about`) and in a context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from erstwhile.base.errors import NotFound
from erstwhile.context.build import Wanted
from erstwhile.layers.days import store as days
from erstwhile.layers.days.model import View
from erstwhile.layers.profiles.model import SECTIONS
from erstwhile.layers.profiles.shown import Stated, profile_of
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.storage import Transaction
from erstwhile.writers import xml

if TYPE_CHECKING:
    from erstwhile.api.resource import Resource


def _nothing() -> Mapping[str, tuple[Stated, ...]]:
    return dict.fromkeys(SECTIONS, ())


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a person: `told` to be remembered, what they did `today` and in the six days before (`history`), the three in one
    `text`, and their `profile`: facts by section, each with the note it came from."""

    person: str
    name: str
    told: str = ""
    today: str = ""
    history: str = ""
    text: str = ""
    profile: Mapping[str, tuple[Stated, ...]] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class Reader:
    """Who will read it: in a `channel`, the `asker`, only what was said `within` some channels. Nothing given: everything is shown."""

    channel: str | None = None
    asker: str | None = None
    within: Sequence[str] | None = None

    @property
    def here(self) -> str | None:
        alone = None if self.asker is None and self.within is None else ""  # nobody but the asker reads it
        return alone if self.channel is None else self.channel


async def about(api: Resource, space: str, named: str, reader: Reader, *, fresh: bool) -> About:
    """What is missing of the last days is made now, where it has to be `fresh`."""
    if not api._remembered(space):
        return About(named, named)
    who = await api._person(space, named)
    await api._read(space, lambda tx: _known(tx, who))
    if who in await api._read(space, people.blocked):
        return About(who, who)
    runtime, here = api._runtime, reader.here
    view = View(who, here, reader.asker, None if reader.within is None else tuple(reader.within))
    if fresh:
        found = await runtime.days.about(space, view)
    else:
        found = await api._read(space, lambda tx: runtime.days.shown(tx, view))
    hearing = runtime.hearing.only(view.within)
    profile = await api._read(space, lambda tx: profile_of(tx, hearing, who, here, reader.asker))
    return About(who, found.name, found.told, found.today, found.history, found.text, profile)


async def with_people(api: Resource, space: str, wanted: Wanted) -> Wanted:
    """For the recipe that shows people: whoever asks, and those named in the question. Nobody waits for a model: what is stored is
    shown; only where nothing but the extractive writer writes, what is missing is made."""
    if wanted.recipe != "person" or not api._remembered(space):
        return wanted
    runtime, beside = api._runtime, api._memory.settings.profiles_beside
    chosen = await api._read(space, lambda tx: _concerned(tx, wanted, beside))
    views = [View(person, wanted.channel, wanted.person, wanted.within) for person in chosen]
    if (await runtime.writers.for_space(space)).best.draft:
        found = [await runtime.days.about(space, view) for view in views]
    else:
        found = [
            await api._read(space, lambda tx, view=view: runtime.days.shown(tx, view))  # type: ignore[misc]
            for view in views
        ]
    return replace(wanted, people=tuple(found))


async def request_updates(api: Resource, space: str, wanted: Wanted) -> None:
    """After a context was built: what it had to do without is asked for."""
    runtime, now = api._runtime, api._now()
    if not wanted.people or (await runtime.writers.for_space(space)).best.draft:
        return

    async def unit(tx: Transaction) -> None:
        for portrait in wanted.people:
            await runtime.days.ask(tx, View(portrait.person, wanted.channel, wanted.person, wanted.within), now)

    await runtime.database.write(space, unit)
    runtime.worker.wake()


async def _known(tx: Transaction, person: str) -> None:
    if not await days.known(tx, person):
        raise NotFound(f"Nobody called {person!r} ever spoke in space {tx.space!r}, and nothing was told of them.")


async def _concerned(tx: Transaction, wanted: Wanted, beside: int) -> list[str]:
    """Whoever asks first; of the others, as many as are shown beside."""
    silent = await people.blocked(tx)
    named = [*xml.mentions(wanted.query), *(person for person, _ in await log.people_named(tx, wanted.query))]
    others = [
        person
        for person in dict.fromkeys(named)
        if person != wanted.person and person not in silent and await days.known(tx, person)
    ]
    asker = [wanted.person] if wanted.person and wanted.person not in silent else []
    return [*asker, *others[:beside]]
