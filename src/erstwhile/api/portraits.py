"""What is known about a person, for `memory.about` and for contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from erstwhile.base.records import dataclass
from erstwhile.context import facts_on_file
from erstwhile.context.build import ContextRequest
from erstwhile.context.facts_on_file import StatedFact
from erstwhile.index.documents import Scope
from erstwhile.layers.days import store as days
from erstwhile.layers.days.model import Portrait, View
from erstwhile.layers.profiles.model import SECTIONS, ProfileStatement
from erstwhile.layers.profiles.store import profile_of
from erstwhile.layers.remembered.names import known_here
from erstwhile.layers.standing import store as standing
from erstwhile.layers.standing.model import StandingRequest
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.search import find
from erstwhile.search.model import SearchQuery
from erstwhile.storage import Transaction
from erstwhile.writers import xml

if TYPE_CHECKING:
    from erstwhile.api.resource import Resource


_NAMED = 50  # facts of others that name the person


Statements = Mapping[str, tuple[ProfileStatement, ...]]  # by section


@dataclass(frozen=True, slots=True)
class About:
    """What is known about a person: what was `told`, what they did `today` and in the six days
    before (`history`), all three as one `text`, their `profile`: facts by section, each with its
    source note, and the `facts` on file that none of these says: what holds first, newest first.
    `standing`: what they want from every answer, those that hold first."""

    person: str
    name: str
    told: str = ""
    today: str = ""
    history: str = ""
    text: str = ""
    profile: Statements = field(default_factory=lambda: dict.fromkeys(SECTIONS, ()))
    facts: tuple[StatedFact, ...] = ()
    standing: tuple[StandingRequest, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether nothing is known."""
        return not (self.text or self.facts or self.standing or any(self.profile.values()))

    def __str__(self) -> str:
        """Return all of it as text."""
        if self.nothing:
            return f"Nothing is known about {self.name} yet."
        named = self.name if self.name == self.person else f"{self.name} ({self.person})"
        wants = "\n".join(f"- {each.line}" for each in self.standing)
        texts = (self.told, self.today, self.history)
        # Without a model, the text only repeats what follows.
        short = "" if all(text in self.text for text in texts) else self.text
        facts = "\n".join(f"- {each.line}" for each in self.facts)
        parts = [("Wants from every answer", wants), ("In short", short)]
        parts += zip(("Remembered", "Today", "The days before"), texts, strict=True)
        parts += [(each.capitalize(), _listed(those)) for each, those in self.profile.items()]
        shown = [named]
        for heading, text in [*parts, ("Facts", facts)]:
            if text:
                shown.append("\n".join([heading, *(f"  {row}" for row in text.splitlines())]))
        return "\n\n".join(shown)


def _listed(facts: Sequence[ProfileStatement]) -> str:
    return "\n".join(f"- {each.text}{f' [{each.source}]' if each.source else ''}" for each in facts)


@dataclass(frozen=True, slots=True)
class PortraitReader:
    """Who reads it: people in a `channel`, or the `asker`; `within` limits the channels it draws
    from. By default everything is shown."""

    channel: str | None = None
    asker: str | None = None
    within: Sequence[str] | None = None

    @property
    def here(self) -> str | None:
        # only the asker reads it
        alone = None if self.asker is None and self.within is None else ""
        return alone if self.channel is None else self.channel


async def about(
    api: Resource, space: str, named: str, reader: PortraitReader, *, fresh: bool
) -> About:
    """Collect what is known about a person. With `fresh`, make missing daily summaries first."""
    if not api._remembered(space):
        return About(named, named)
    who = await _whom(api, space, named, reader)
    if not await api._read(space, lambda tx: days.known(tx, who)):
        raise api._unknown(space, who)
    if who in await api._read(space, people.blocked):
        return About(who, who)
    runtime, here = api._runtime, reader.here
    view = View(who, here, reader.asker, None if reader.within is None else tuple(reader.within))
    found = await _portrait(api, space, view, fresh=fresh)
    visibility = runtime.visibility.only(view.within)
    profile = await api._read(space, lambda tx: profile_of(tx, visibility, who, here, reader.asker))
    facts = await _facts(api, space, view, found, profile)
    wants = await api._read(
        space, lambda tx: standing.of_person(tx, who, visibility, here, reader.asker)
    )
    texts = found.told, found.today, found.history, found.text
    return About(who, found.name, *texts, profile, tuple(facts), tuple(wants))


async def _whom(api: Resource, space: str, named: str, reader: PortraitReader) -> str:
    """Resolve a person's id or name. Readers who don't see everything learn nothing of people who
    only show up where they can't look."""
    here, visibility = reader.here, api._runtime.visibility.only(reader.within)
    if here is None or (reader.channel is None and reader.asker is None):  # the app itself asks
        return await api._person(space, named)
    return await api._person(
        space, named, lambda tx, ids: known_here(tx, visibility, ids, here, reader.asker)
    )


async def _facts(
    api: Resource, space: str, view: View, found: Portrait, profile: Statements
) -> list[StatedFact]:
    """List the facts on file about a person, without those in the portrait or the profile."""
    told = [*found.told.splitlines(), *(each.text for those in profile.values() for each in those)]
    scope = Scope(kinds=facts_on_file.KINDS)
    query = SearchQuery(
        found.name, scope, _NAMED, asker=view.asker, here=view.here, within=view.within
    )
    outcome = await find.search(api._runtime.recall, space, query)

    async def unit(tx: Transaction) -> list[StatedFact]:
        visibility, blocked = api._runtime.visibility.only(view.within), await people.blocked(tx)
        reader = facts_on_file.FactReader(visibility, view.here, view.asker, blocked)
        named = facts_on_file.naming(list(outcome.stored.values()), found.name)
        return await facts_on_file.about(tx, reader, view.person, told, named)

    return await api._read(space, unit)


async def with_people(api: Resource, space: str, request: ContextRequest) -> ContextRequest:
    """Add the asker and the people named in the question, for the recipe `person`. Only the
    extractive writer fills gaps here: a context never waits for a model."""
    runtime, beside = api._runtime, api._memory.settings.profiles_beside
    chosen = await api._read(space, lambda tx: _concerned(tx, request, beside))
    views = [View(person, request.channel, request.person, request.within) for person in chosen]
    fresh = (await runtime.writers.for_space(space)).best.draft
    portraits = []
    for view in views:
        found = await _portrait(api, space, view, fresh=fresh)
        facts = await _facts(api, space, view, found, {})
        known, ids = "\n".join(each.line for each in facts), tuple(each.id for each in facts)
        portraits.append(replace(found, stated=known, stated_ids=ids))
    return replace(request, people=tuple(portraits))


async def _portrait(api: Resource, space: str, view: View, *, fresh: bool) -> Portrait:
    days = api._runtime.layers.days
    if fresh:
        return await days.about(space, view)
    return await api._read(space, lambda tx: days.shown(tx, view))


async def request_updates(api: Resource, space: str, request: ContextRequest) -> None:
    """Enqueue the daily summaries that were missing when the context was built."""
    runtime, now = api._runtime, api._now()
    if (await runtime.writers.for_space(space)).best.draft:
        return

    async def unit(tx: Transaction) -> None:
        for portrait in request.people:
            view = View(portrait.person, request.channel, request.person, request.within)
            await runtime.layers.days.ask(tx, view, now)

    await runtime.database.write(space, unit)
    runtime.worker.wake()


async def _concerned(tx: Transaction, request: ContextRequest, beside: int) -> list[str]:
    """Return the asker first, then at most `beside` others."""
    blocked = await people.blocked(tx)
    named = xml.mentions(request.query)
    named = [*named, *(person for person, _ in await log.people_named(tx, request.query))]
    others = [
        person
        for person in dict.fromkeys(named)
        if person != request.person and person not in blocked and await days.known(tx, person)
    ]
    asker = [request.person] if request.person and request.person not in blocked else []
    return [*asker, *others[:beside]]
