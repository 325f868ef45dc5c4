"""The part of the door for profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from erstwhile.base.clock import parse
from erstwhile.base.errors import InvalidInput
from erstwhile.door import Door
from erstwhile.layers.profiles import by_hand, store
from erstwhile.layers.profiles.by_hand import Told
from erstwhile.layers.profiles.model import SECTIONS, Profile, ProfileFact
from erstwhile.log import check, people
from erstwhile.storage import Transaction


class Profiling(Door):
    async def profile(self, person: str, *, space: str | None = None, ended: bool = False) -> Profile:
        """Who a person is, in six sections, each fact with the notes it came from; with `ended`, also what no longer holds."""
        chosen = self._space(space)
        who = await self._who(chosen, person)
        if not self._remembered(chosen):
            return Profile(who, who, dict.fromkeys(SECTIONS, ()))

        async def unit(tx: Transaction) -> Profile:
            facts = await store.of_person(tx, who, ended=ended)
            sections = {name: tuple(fact for fact in facts if fact.section == name) for name in SECTIONS}
            return Profile(who, (await people.names_of(tx, [who]))[who], sections)

        return await self._read(chosen, unit)

    async def add_to_profile(
        self, person: str, section: str, text: str, *, by: str, space: str | None = None
    ) -> ProfileFact:
        """Adds a fact by hand, which nobody but a person changes. The same again changes nothing."""
        told = Told(
            person=check.identifier("person", person),
            section=section,
            text=check.memory_text(text, self.settings.limits.message_bytes),
            by=check.identifier("person", by),
        )
        now = self._clock()
        return await self.house.database.write(self._remembering(space), lambda tx: by_hand.add(tx, told, now))

    async def import_profile(
        self, person: str, facts: Sequence[str | Mapping[str, Any]], *, by: str, space: str | None = None
    ) -> int:
        """Takes in facts that another memory had: lines, or `{"text", "section", "at"}` of which only the text is needed. Says how many are
        new; the same again changes nothing."""
        who, importer, now = check.identifier("person", person), check.identifier("person", by), self._clock()
        given = [self._flat(each) for each in facts]
        return await self.house.database.write(
            self._remembering(space), lambda tx: by_hand.import_flat(tx, who, given, importer, now)
        )

    async def export_profile(self, person: str, *, space: str | None = None) -> dict[str, Any]:
        """All that is known about a person, the ended facts too, each with who said it, its notes and their messages; ready for JSON."""
        chosen = self._space(space)
        who = await self._who(chosen, person)
        return await self._read(chosen, lambda tx: by_hand.export(tx, who))

    async def delete_profile(self, person: str, *, by: str, space: str | None = None) -> int:
        """Takes all facts about a person away and says how many; what was said up to now does not come back by itself."""
        who, hand, now = check.identifier("person", person), check.identifier("person", by), self._clock()
        return await self.house.database.write(self._space(space), lambda tx: store.delete_profile(tx, who, hand, now))

    def _flat(self, given: object) -> dict[str, Any]:
        told = {"text": given} if isinstance(given, str) else given
        if not isinstance(told, Mapping):
            raise InvalidInput('A fact is a line of text, or {"text": …, "section": …, "at": …}.')
        at = told.get("at")
        return {
            **told,
            "text": check.memory_text(told.get("text"), self.settings.limits.message_bytes),
            "at": parse(at) if isinstance(at, str) else at,
        }
