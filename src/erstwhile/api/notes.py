"""`memory.notes`: notes of conversations, daily topics, and the nightly run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Annotated

from erstwhile.api import types, verb
from erstwhile.api.resource import Resource
from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.base.page import DEFAULT, Page, cut, cut_at, number
from erstwhile.base.records import dataclass
from erstwhile.layers.notes import store
from erstwhile.layers.notes.model import KINDS, Buffer, Night, Note, NotedDay
from erstwhile.layers.notes.store import NoteFilter
from erstwhile.layers.profiles import store as profiles
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.log import people
from erstwhile.storage import Transaction

Day = Annotated[date | str, types.ParameterRule("A day.", "2026-03-02")]
NoteKind = Annotated[str, types.OneOf("Only notes, or only topics.", choices=tuple(KINDS))]


@dataclass(frozen=True, slots=True)
class NoteDetails:
    """A note with its `topic`, or a topic with its notes (`parts`); the profile facts made from it,
    and the names of the people in it."""

    note: Note
    topic: Note | None
    parts: tuple[Note, ...]
    facts: tuple[ProfileFact, ...]
    names: Mapping[str, str]


class Notes(Resource, noun="notes"):
    @verb.get("notes", refusals=(404,))
    async def list(
        self,
        *,
        channel: types.ChannelId | None = None,
        person: types.PersonId | None = None,
        day: Day | None = None,
        kind: NoteKind | None = None,
        cursor: types.Cursor = None,
        limit: types.Limit = DEFAULT,
        space: types.Space = None,
    ) -> Page[Note]:
        """List notes and topics, newest first. A topic of a single note is listed only with
        `kind="topic"`."""
        who = None if person is None else await self._person(space, person)
        filters = NoteFilter(kind, channel, who, None if day is None else _day(day), limit + 1)

        async def unit(tx: Transaction) -> Page[Note]:
            last = None if cursor is None else await _note(tx, cursor)
            found = await store.listed(tx, replace(filters, before=last))
            return cut(found, limit, lambda note: note.id)

        return await self._read(space, unit)

    @verb.get("notes/{id}", refusals=(404,))
    async def get(self, id: types.MemoryId, *, space: types.Space = None) -> NoteDetails:
        """Show one note or topic, with its topic or its notes, its profile facts and the names of
        its people."""

        async def unit(tx: Transaction) -> NoteDetails:
            found = await _note(tx, id)
            around = await store.by_ids(tx, [*found.notes, *([found.topic] if found.topic else [])])
            facts = await profiles.of_note(tx, id)
            authors = [each.said_by for each in facts if each.said_by]
            who = {*found.people, *authors, *(each.person for each in facts)}
            topic = next((each for each in around if each.id == found.topic), None)
            parts = tuple(each for each in around if each.id != found.topic)
            names = await people.names_of(tx, who)
            return NoteDetails(found, topic, parts, tuple(facts), names)

        return await self._read(space, unit)

    @verb.get("noted", answer="days")
    async def days(
        self,
        since: Day,
        until: Day,
        *,
        channel: types.ChannelId | None = None,
        person: types.PersonId | None = None,
        space: types.Space = None,
    ) -> Page[NotedDay]:
        """List the days from `since` to `until`, both included, that have notes, with the number of
        notes."""
        who = None if person is None else await self._person(space, person)
        filters = NoteFilter(channel=channel, person=who)
        between = _day(since), _day(until)
        return Page(await self._read(space, lambda tx: store.days(tx, filters, *between)))

    @verb.get("buffers")
    async def buffers(
        self,
        *,
        channel: types.ChannelId | None = None,
        cursor: types.Cursor = None,
        limit: types.Limit = DEFAULT,
        space: types.Space = None,
    ) -> Page[Buffer]:
        """List open conversations, and those whose note is being written, the most recently active
        first."""
        start = number(cursor)
        most = start + limit + 1
        found = await self._read(space, lambda tx: store.buffers(tx, channel, most))
        return cut_at(found[start:], start, limit)

    @verb.post("nightly", slow=True, refusals=(502,), repeatable=True)
    async def nightly(self, *, space: types.Space = None) -> Night:
        """Do the nightly run now: group notes without a topic into topics. Open conversations stay
        open.

        Does nothing in a space that is not remembered."""
        chosen = self._space(space)
        if not self._remembered(chosen):
            return self._runtime.layers.notes.no_night()
        night = await self._runtime.layers.notes.nightly(chosen)
        self._runtime.worker.wake()
        return night


async def _note(tx: Transaction, id: str) -> Note:
    found = await store.get(tx, id) if ids.kind_of(id) in KINDS else None
    if found is None or not found.text or found.expired:
        why = f"There is no note {id} in space {tx.space!r}."
        raise NotFound(f"{why} It may have been deleted, or has expired.")
    return found


def _day(given: date | str) -> date:
    try:
        return date.fromisoformat(given) if isinstance(given, str) else given
    except ValueError:
        raise InvalidInput(f"{given!r} is not a day. Write it like 2026-03-02.") from None
