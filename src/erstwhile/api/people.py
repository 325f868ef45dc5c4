"""`memory.people`: who spoke, whether they are remembered, and their profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from erstwhile.api import verb
from erstwhile.api.page import DEFAULT, Page, cut
from erstwhile.api.resource import Resource
from erstwhile.api.types import By, Cursor, Limit, Matching, Offset, OneOf, PersonId, Rule, Several, Space, Text
from erstwhile.base.clock import parse
from erstwhile.base.errors import InvalidInput
from erstwhile.layers.profiles import by_hand, store
from erstwhile.layers.profiles.by_hand import Told as ToldFact
from erstwhile.layers.profiles.model import SECTIONS, Profile, ProfileFact
from erstwhile.layers.remembered import store as remembered
from erstwhile.layers.remembered.model import Told
from erstwhile.log import check, people
from erstwhile.log.people import PersonShown, Wanted, directory
from erstwhile.search import listing
from erstwhile.search.model import Hit
from erstwhile.storage import Transaction

These = Annotated[Sequence[str] | None, Several("Only these, by their ids.", what="person", most=500, none=True)]
Section = Annotated[str, OneOf("The section of the profile.", "skills", choices=tuple(SECTIONS))]
FlatFacts = Annotated[
    Sequence[str | Mapping[str, Any]],
    Rule("Lines, or objects with `text` and perhaps `section` and `at`.", ["Plays the cello."]),
]


class People(Resource, noun="people"):
    @verb.get("people")
    async def list(
        self,
        *,
        people: These = None,
        matching: Matching | None = None,
        offset: Offset = 0,
        limit: Limit = DEFAULT,
        space: Space = None,
    ) -> Page[PersonShown]:
        """List the people of a space, whoever spoke last first. Each comes with the names they went by, how many of their messages are
        kept, and when they wrote the last. `matching` is in their id or in a name."""
        wanted = Wanted(None if people is None else tuple(people), matching or None, offset, limit)
        found = await self._read(space, lambda tx: directory(tx, wanted))
        return Page(found.people, total=found.total)

    @verb.put("people/{person}/blocked")
    async def block(self, person: PersonId, *, by: PersonId | None = None, space: Space = None) -> None:
        """Block a person: nothing they say is kept, and nothing that is kept of them is found, until they are unblocked. Whoever blocked
        themselves (`by`) may take it back."""
        await self._set_blocked(person, by, space, blocked=True)

    @verb.delete("people/{person}/blocked", repeatable=True)
    async def unblock(self, person: PersonId, *, by: PersonId | None = None, space: Space = None) -> None:
        """Unblock a person: what was kept before is found again. Refused where the person asks for it and someone else has blocked them."""
        await self._set_blocked(person, by, space, blocked=False)

    @verb.put("people/{person}/shares")
    async def share(self, person: PersonId, shares: bool = True, *, space: Space = None) -> None:
        """Set whether what the person said in private channels is visible in others. A channel is, once all its people share."""
        now = self._now()
        await self._write(space, lambda tx: people.share(tx, person, now, shares=shares))

    @verb.get("people/{person}/messages", answer="hits", refusals=(404,))
    async def messages(
        self, person: PersonId, *, cursor: Cursor = None, limit: Limit = DEFAULT, space: Space = None
    ) -> Page[Hit]:
        """List a person's own messages over all channels, newest first."""
        found = await self._read(space, lambda tx: listing.said(tx, person, cursor, limit + 1))
        return cut(found, limit, lambda hit: hit.id)

    @verb.get("people/{person}/remembered")
    async def remembered(self, person: PersonId, *, space: Space = None) -> Page[Told]:
        """Show what was asked to be remembered of a person: for everyone in the space, then for each private channel."""
        if not self._remembered(self._space(space)):
            return Page()
        who = await self._person(space, person)
        return Page(await self._read(space, lambda tx: remembered.of_person(tx, who)))

    @verb.get("people/{person}/profile")
    async def profile(self, person: PersonId, *, ended: bool = False, space: Space = None) -> Profile:
        """Show a person's profile in six sections, each fact with the notes it came from; with `ended`, also what no longer holds."""
        who = await self._person(space, person)
        if not self._remembered(self._space(space)):
            return Profile(who, who, dict.fromkeys(SECTIONS, ()))

        async def unit(tx: Transaction) -> Profile:
            facts = await store.of_person(tx, who, ended=ended)
            sections = {name: tuple(fact for fact in facts if fact.section == name) for name in SECTIONS}
            return Profile(who, (await people.names_of(tx, [who]))[who], sections)

        return await self._read(space, unit)

    @verb.post("people/{person}/profile", status=201, repeatable=True)
    async def add_to_profile(
        self, person: PersonId, section: Section, text: Text, *, by: By, space: Space = None
    ) -> ProfileFact:
        """Add a fact to a profile by hand. Only a person changes it. The same again changes nothing."""
        told = ToldFact(person, section, check.memory_text(text, self._memory.settings.limits.message_bytes), by)
        now = self._now()
        return await self._write(self._remembering(space), lambda tx: by_hand.add(tx, told, now))

    @verb.post("people/{person}/profile/import", answer="imported")
    async def import_profile(self, person: PersonId, facts: FlatFacts, *, by: By, space: Space = None) -> int:
        """Import facts that another memory had: lines, or `{"text", "section", "at"}` of which only the text is needed. Says how many are
        new; the same again changes nothing."""
        given, now = [self._flat(each) for each in facts], self._now()
        return await self._write(self._remembering(space), lambda tx: by_hand.import_flat(tx, person, given, by, now))

    @verb.get("people/{person}/profile/export")
    async def export_profile(self, person: PersonId, *, space: Space = None) -> dict[str, Any]:
        """Export a profile: every fact, the ended ones too, each with who said it, its notes and their messages; ready for JSON."""
        who = await self._person(space, person)
        return await self._read(space, lambda tx: by_hand.export(tx, who))

    @verb.delete("people/{person}/profile", answer="deleted")
    async def delete_profile(self, person: PersonId, *, by: By, space: Space = None) -> int:
        """Delete all facts of a profile and say how many; what was said up to now does not come back by itself."""
        now = self._now()
        return await self._write(space, lambda tx: store.delete_profile(tx, person, by, now))

    async def kept(self, person: str | None, *, space: str | None = None) -> bool:
        """Whether what the person says in the space is kept."""
        if not self._remembered(self._space(space)):
            return False
        return person is None or person not in await self._read(space, people.blocked)

    async def _set_blocked(self, person: str, by: str | None, space: str | None, *, blocked: bool) -> None:
        now = self._now()
        await self._write(space, lambda tx: people.block(tx, person, now, blocked=blocked, own=by == person))

    def _flat(self, given: object) -> dict[str, Any]:
        told = {"text": given} if isinstance(given, str) else given
        if not isinstance(told, Mapping):
            raise InvalidInput('A fact is a line of text, or {"text": …, "section": …, "at": …}.')
        at = told.get("at")
        return {
            **told,
            "text": check.memory_text(told.get("text"), self._memory.settings.limits.message_bytes),
            "at": parse(at) if isinstance(at, str) else at,
        }
