"""The part of the door for notes of conversations, the topics of a day, and the night's work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.door import Door
from erstwhile.layers.notes import store
from erstwhile.layers.notes.model import KINDS, Buffer, Night, Note, NotedDay
from erstwhile.layers.notes.store import Asked
from erstwhile.layers.profiles import store as profiles
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.log import check, people
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class NoteShown:
    """A note or a topic: what it was put into (`topic`), or what it was made of (`parts`); the profile facts that came from it; and the
    names of everyone in them."""

    note: Note
    topic: Note | None
    parts: tuple[Note, ...]
    facts: tuple[ProfileFact, ...]
    names: Mapping[str, str]


class Noting(Door):
    async def notes(
        self,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        day: date | str | None = None,
        kind: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[Note]:
        """Notes of conversations and the topics they were put into, newest first: of a channel, with a person, of a day (2026-03-02), or
        of one kind, "note" or "topic". Topics of one note, which say the same as it, are listed only where topics are asked for. The next
        page is `before` the id of the last one seen."""
        if kind is not None and kind not in KINDS:
            raise InvalidInput(f"Unknown kind {kind!r}. Kinds are {', '.join(KINDS)}.")
        if limit < 1:
            raise InvalidInput("`limit` must be at least 1.")
        chosen = self._space(space)
        wanted = Asked(
            kind=kind,
            channel=None if channel is None else check.identifier("channel", channel),
            person=None if person is None else await self._who(chosen, person),
            day=_day(day) if isinstance(day, str) else day,
            limit=limit,
        )

        async def unit(tx: Transaction) -> list[Note]:
            last = None if before is None else await _note(tx, before)
            return await store.listed(tx, replace(wanted, before=last))

        return await self._read(chosen, unit)

    async def noted(
        self,
        since: date | str,
        until: date | str,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
    ) -> list[NotedDay]:
        """The days from `since` to `until`, both included, that have notes, with how many each: of all, of a channel, or with a person."""
        first, last = (_day(each) if isinstance(each, str) else each for each in (since, until))
        chosen = self._space(space)
        wanted = Asked(
            channel=None if channel is None else check.identifier("channel", channel),
            person=None if person is None else await self._who(chosen, person),
        )
        return await self._read(chosen, lambda tx: store.days(tx, wanted, first, last))

    async def note(self, id: str, *, space: str | None = None) -> NoteShown:
        """One note or topic, with what belongs to it."""

        async def unit(tx: Transaction) -> NoteShown:
            found = await _note(tx, id)
            around = await store.by_ids(tx, [*found.notes, *([found.topic] if found.topic else [])])
            facts = await profiles.of_note(tx, id)
            who = {*found.people, *(each.person for each in facts), *(each.said_by for each in facts if each.said_by)}
            return NoteShown(
                note=found,
                topic=next((each for each in around if each.id == found.topic), None),
                parts=tuple(each for each in around if each.id != found.topic),
                facts=tuple(facts),
                names=await people.names_of(tx, who),
            )

        return await self._read(self._space(space), unit)

    async def buffers(
        self, *, space: str | None = None, channel: str | None = None, limit: int | None = None
    ) -> list[Buffer]:
        """The conversations that are still going on, or whose note is being written; of one channel, or of all; with `limit`, as many of
        the latest."""
        if limit is not None and limit < 1:
            raise InvalidInput("`limit` must be at least 1.")
        here = None if channel is None else check.identifier("channel", channel)
        return await self._read(self._space(space), lambda tx: store.buffers(tx, here, limit))

    async def nightly(self, *, space: str | None = None) -> Night:
        """The night's work, here and now: every note that is in no topic yet is put into one. Conversations that go on stay open. In a
        space that is not remembered nothing is done."""
        chosen = self._space(space)
        if not self._remembered(chosen):
            return self.house.notes.no_night()
        night = await self.house.notes.nightly(chosen)
        self.house.worker.wake()
        return night


async def _note(tx: Transaction, id: str) -> Note:
    found = await store.get(tx, id) if ids.kind_of(id) in KINDS else None
    if found is None or not found.text or found.expired:
        raise NotFound(f"There is no note {id} in space {tx.space!r}. It may have been deleted, or its time is over.")
    return found


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise InvalidInput(f"{written!r} is not a day. Write it like 2026-03-02.") from None
