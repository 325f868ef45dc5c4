"""The part of the door for what someone asks to be remembered or forgotten."""

from __future__ import annotations

from erstwhile.base import tracing
from erstwhile.base.errors import InvalidInput
from erstwhile.door import Door
from erstwhile.layers.remembered import model, store
from erstwhile.layers.remembered.commands import Commands, Said
from erstwhile.layers.remembered.model import FORGET, REMEMBER, TALK, Commanded, Forgotten, Told
from erstwhile.log import check

LONGEST_FACT = 4_000  # characters


class Telling(Door):
    async def remember(
        self, person: str, fact: str, *, space: str | None = None, by: str | None = None, channel: str | None = None
    ) -> Told:
        """Takes a fact into what is told of a person: newer wins, nothing else is lost. When this returns, it is on disk. `by` is who says
        it, without one the app itself; what someone says of another stays their word. What is told in a private `channel` stays there."""
        given = self._telling(person, REMEMBER, fact, by, channel)
        with tracing.span("upsert_memory", space=self._space(space)) as span:
            told = await self.house.told.remember(self._remembering(space), given)
            span.note(id=told.id)
        self.house.worker.wake()
        return told

    async def forget(
        self, person: str, fact: str, *, space: str | None = None, by: str | None = None, channel: str | None = None
    ) -> Forgotten:
        """Takes a fact out of what is told of a person, and says whether it was there. Of another, one takes back only one's own word."""
        given = self._telling(person, FORGET, fact, by, channel)
        with tracing.span("delete_memory", space=self._space(space)):
            gone = await self.house.told.forget(self._remembering(space), given)
        self.house.worker.wake()
        return gone

    async def told(self, person: str, *, space: str | None = None) -> list[Told]:
        """What is told of a person: for everyone in the space, then for each private channel."""
        chosen = self._space(space)
        who = await self._who(chosen, person)
        return await self._read(chosen, lambda tx: store.of_person(tx, who)) if self._remembered(chosen) else []

    async def _command(self, space: str, said: Said) -> Commanded:
        if not isinstance(said.text, str) or not said.text.strip() or not self._remembered(space):
            return Commanded(TALK)
        check.memory_text(said.text, self.settings.limits.message_bytes)  # refuses what no database stores
        house = self.house
        done = await Commands(house.database, house.writers, house.told, self._clock).command(space, said)
        house.worker.wake()
        return done

    def _telling(self, person: str, action: str, fact: str, by: str | None, channel: str | None) -> model.Telling:
        if not isinstance(fact, str) or not fact.strip():
            raise InvalidInput(f"There is nothing to {action}. Say it in a sentence.")
        words = check.memory_text(fact, self.settings.limits.message_bytes)
        if len(words) > LONGEST_FACT:
            raise InvalidInput(
                f"The fact has {len(words):,} characters; the longest taken is {LONGEST_FACT:,}. Split it."
            )
        return model.Telling(
            person=check.identifier("person", person),
            action=action,
            words=words,
            said_by=None if by is None else check.identifier("person", by),
            channel=None if channel is None else check.identifier("channel", channel),
            at=self._clock(),
        )
