"""`memory.people`: list and block people, and manage their profiles."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from erstwhile.api import verb
from erstwhile.api.resource import Resource
from erstwhile.api.types import (
    AnyList,
    By,
    Cursor,
    IdList,
    Limit,
    Matching,
    OneOf,
    PersonId,
    Space,
    Text,
)
from erstwhile.base.clock import parse
from erstwhile.base.errors import InvalidInput
from erstwhile.base.page import DEFAULT, Page, cut, number
from erstwhile.layers.profiles import by_hand, store
from erstwhile.layers.profiles.by_hand import NewProfileFact as ToldFact
from erstwhile.layers.profiles.model import SECTIONS, Profile, ProfileFact
from erstwhile.layers.remembered import store as remembered
from erstwhile.layers.remembered.model import ToldText
from erstwhile.log import people
from erstwhile.log.people import PeopleFilter, PersonEntry, directory
from erstwhile.search import listing
from erstwhile.search.model import Hit
from erstwhile.storage import Transaction

These = Annotated[
    Sequence[str] | None, IdList("Only these, by their ids.", what="person", most=500, none=True)
]
Section = Annotated[str, OneOf("The section of the profile.", "skills", choices=tuple(SECTIONS))]
FlatFacts = Annotated[
    Sequence[str | Mapping[str, Any]],
    AnyList("Lines, or objects with `text` and perhaps `section` and `at`.", ["Plays the cello."]),
]


class People(Resource, noun="people"):
    @verb.get("people")
    async def list(
        self,
        *,
        people: These = None,
        matching: Matching | None = None,
        cursor: Cursor = None,
        limit: Limit = DEFAULT,
        space: Space = None,
    ) -> Page[PersonEntry]:
        """List the people of a space, the most recently active first. Each has their names, the
        number of stored messages and the time of the last. `matching` is part of an id or name."""
        these = None if people is None else tuple(people)
        filters = PeopleFilter(these, matching or None, number(cursor), limit)
        return await self._read(space, lambda tx: directory(tx, filters))

    @verb.put("people/{person}/blocked")
    async def block(
        self, person: PersonId, *, by: PersonId | None = None, space: Space = None
    ) -> None:
        """Block a person: their messages are not stored, and what is stored about them is not
        found. People who blocked themselves (`by`) may unblock themselves."""
        await self._set_blocked(person, by, space, blocked=True)

    @verb.delete("people/{person}/blocked", repeatable=True)
    async def unblock(
        self, person: PersonId, *, by: PersonId | None = None, space: Space = None
    ) -> None:
        """Unblock a person, so that what was stored before is found again. People can't unblock
        themselves if someone else blocked them."""
        await self._set_blocked(person, by, space, blocked=False)

    @verb.put("people/{person}/shares")
    async def share(self, person: PersonId, shares: bool = True, *, space: Space = None) -> None:
        """Set whether the person shares their private channels. A private channel is visible
        elsewhere once all its people share."""
        now = self._now()
        await self._write(space, lambda tx: people.share(tx, person, now, shares=shares))

    @verb.get("people/{person}/messages", answer="hits", refusals=(404,))
    async def messages(
        self,
        person: PersonId,
        *,
        cursor: Cursor = None,
        limit: Limit = DEFAULT,
        space: Space = None,
    ) -> Page[Hit]:
        """List a person's own messages over all channels, newest first."""
        found = await self._read(space, lambda tx: listing.said_by(tx, person, cursor, limit + 1))
        return cut(found, limit, lambda hit: hit.id)

    @verb.get("people/{person}/remembered")
    async def remembered(self, person: PersonId, *, space: Space = None) -> Page[ToldText]:
        """Show what is remembered about a person: visible to everyone first, then per private
        channel."""
        if not self._remembered(self._space(space)):
            return Page()
        who = await self._person(space, person)
        return Page(await self._read(space, lambda tx: remembered.of_person(tx, who)))

    @verb.get("people/{person}/profile")
    async def profile(
        self, person: PersonId, *, ended: bool = False, space: Space = None
    ) -> Profile:
        """Show a person's profile in six sections, each fact with its source notes. With `ended`,
        include facts that are no longer valid."""
        who = await self._person(space, person)
        if not self._remembered(self._space(space)):
            return Profile(who, who, dict.fromkeys(SECTIONS, ()))

        async def unit(tx: Transaction) -> Profile:
            facts = await store.of_person(tx, who, ended=ended)
            sections = {name: tuple(f for f in facts if f.section == name) for name in SECTIONS}
            return Profile(who, (await people.names_of(tx, [who]))[who], sections)

        return await self._read(space, unit)

    @verb.post("people/{person}/profile", status=201, repeatable=True)
    async def add_to_profile(
        self, person: PersonId, section: Section, text: Text, *, by: By, space: Space = None
    ) -> ProfileFact:
        """Add a fact to a profile by hand. Only a person can change it. Adding it again changes
        nothing."""
        words = await self._memory_text(text)
        fact = ToldFact(person, section, words, by)
        now = self._now()
        return await self._write(self._remembering(space), lambda tx: by_hand.add(tx, fact, now))

    @verb.post("people/{person}/profile/import", answer="imported")
    async def import_profile(
        self, person: PersonId, facts: FlatFacts, *, by: By, space: Space = None
    ) -> int:
        """Import profile facts from another system: lines, or `{"text", "section", "at"}` of which
        only the text is required. Returns how many are new."""
        given, now = [await self._flat(each) for each in facts], self._now()
        put, chosen = by_hand.import_facts, self._remembering(space)
        made = await asyncio.to_thread(by_hand.imported, chosen, person, given, by, now)
        return await self._write(chosen, lambda tx: put(tx, person, made, by, now))

    @verb.get("people/{person}/profile/export")
    async def export_profile(self, person: PersonId, *, space: Space = None) -> dict[str, Any]:
        """Export a profile as JSON data: every fact, ended ones included, with its author, notes
        and their messages."""
        who = await self._person(space, person)
        return await self._read(space, lambda tx: by_hand.export(tx, who))

    @verb.delete("people/{person}/profile", answer="deleted")
    async def delete_profile(self, person: PersonId, *, by: By, space: Space = None) -> int:
        """Delete all facts of a profile and return how many. They are not extracted again from past
        messages."""
        now = self._now()
        return await self._write(space, lambda tx: store.delete_profile(tx, person, by, now))

    async def kept(self, person: str | None, *, space: str | None = None) -> bool:
        """Return whether messages of the person are stored in the space."""
        if not self._remembered(self._space(space)):
            return False
        return person is None or person not in await self._read(space, people.blocked)

    async def _set_blocked(
        self, person: str, by: str | None, space: str | None, *, blocked: bool
    ) -> None:
        now = self._now()
        own = by == person
        await self._write(space, lambda tx: people.block(tx, person, now, blocked=blocked, own=own))

    async def _flat(self, given: object) -> dict[str, Any]:
        told = {"text": given} if isinstance(given, str) else given
        if not isinstance(told, Mapping):
            raise InvalidInput('A fact is a line of text, or {"text": …, "section": …, "at": …}.')
        at, text = told.get("at"), await self._memory_text(told.get("text"))
        return {**told, "text": text, "at": parse(at) if isinstance(at, str) else at}
