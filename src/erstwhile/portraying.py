"""The part of the door for what is known of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from erstwhile.base.errors import NotFound
from erstwhile.context.build import Wanted
from erstwhile.door import Door
from erstwhile.layers.days import store as days
from erstwhile.layers.days.model import View
from erstwhile.layers.profiles.model import SECTIONS
from erstwhile.layers.profiles.shown import Stated, profile_of
from erstwhile.log import check, people
from erstwhile.log import store as log
from erstwhile.storage import Transaction
from erstwhile.writers import xml


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


class Portraying(Door):
    async def about(
        self,
        person: str,
        *,
        space: str | None = None,
        channel: str | None = None,
        asker: str | None = None,
        fresh: bool = True,
        within: Sequence[str] | None = None,
    ) -> About:
        """What is known of a person, by their id or name; what is missing of the last days is made now, unless it need not be `fresh`: then
        nobody waits for a model, and what is there is shown. With a `channel`, only what may be told there; with an `asker`, what they may
        hear; without either, everything. `within`: only what was said in these channels, or in `channel`, and what everyone may hear."""
        chosen, called = self._space(space), check.identifier("person", person)
        if not self._remembered(chosen):
            return About(called, called)
        listener = None if asker is None else check.identifier("person", asker)
        limit = check.channels(within)
        alone = None if asker is None and limit is None else ""  # nobody but the asker listens
        here = alone if channel is None else check.identifier("channel", channel)
        who = await self._who(chosen, called)
        await self._read(chosen, lambda tx: _known(tx, who))
        if who in await self._read(chosen, people.blocked):
            return About(who, who)
        house, view = self.house, View(who, here, listener, limit)
        if fresh:
            found = await house.days.about(chosen, view)
        else:
            found = await self._read(chosen, lambda tx: house.days.shown(tx, view))
        hearing = house.hearing.only(limit)
        profile = await self._read(chosen, lambda tx: profile_of(tx, hearing, who, here, listener))
        return About(who, found.name, found.told, found.today, found.history, found.text, profile)

    async def _with_people(self, space: str, wanted: Wanted) -> Wanted:
        """For the recipe that shows people: whoever asks, and those named in the question. Nobody waits for a model: what is stored is
        shown; only where nothing but the extractive writer writes, what is missing is made."""
        if wanted.recipe != "person" or not self._remembered(space):
            return wanted
        house = self.house
        chosen = await self._read(space, lambda tx: _concerned(tx, wanted, self.settings.profiles_beside))
        views = [View(person, wanted.channel, wanted.person, wanted.within) for person in chosen]
        if (await house.writers.for_space(space)).best.draft:
            found = [await house.days.about(space, view) for view in views]
        else:
            found = [
                await self._read(space, lambda tx, view=view: house.days.shown(tx, view))  # type: ignore[misc]
                for view in views
            ]
        return replace(wanted, people=tuple(found))

    async def _freshen(self, space: str, wanted: Wanted) -> None:
        """After a context was built: what it had to do without is asked for."""
        if not wanted.people or (await self.house.writers.for_space(space)).best.draft:
            return
        house, now = self.house, self._clock()

        async def unit(tx: Transaction) -> None:
            for portrait in wanted.people:
                await house.days.ask(tx, View(portrait.person, wanted.channel, wanted.person, wanted.within), now)

        await house.database.write(space, unit)
        house.worker.wake()


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
