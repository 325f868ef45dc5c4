"""`memory.facts`: facts of a channel, structured memories, and how they changed."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from erstwhile.api import types, verb
from erstwhile.api.resource import Resource
from erstwhile.base import tracing
from erstwhile.base.clock import micros, parse
from erstwhile.base.page import DEFAULT, Page, cut_at, cut_latest, number
from erstwhile.base.trust import TIERS
from erstwhile.layers.facts import store as fact_store
from erstwhile.layers.facts.model import Fact
from erstwhile.layers.facts.steps import NewFact
from erstwhile.layers.structured import store as structured_store
from erstwhile.layers.structured.model import TYPES, Change, StructuredMemory
from erstwhile.log.model import FURTHEST
from erstwhile.memories.classify import CATEGORIES
from erstwhile.memories.select import ValidityFilter
from erstwhile.memories.store import MemoryFilter
from erstwhile.storage import Transaction

Category = Annotated[str, types.OneOf("Only facts about this.", choices=CATEGORIES)]
Importance = Annotated[
    int, types.Number("Only facts of at least this importance, 1 to 5.", low=1, high=5)
]
MemoryType = Annotated[str, types.OneOf("Only memories of this type.", choices=TYPES)]
Valid = Annotated[
    datetime | str,
    types.ParameterRule("`now`, `all`, or a time: 2026-03-01T09:30:00+09:00.", "now"),
]


WrittenBy = Annotated[str, types.OneOf("Whose words it is, as a trust tier.", choices=TIERS[:-1])]


class Facts(Resource, noun="facts"):
    @verb.get("channels/{channel}/facts")
    async def list(
        self,
        chat: types.Conversation,
        *,
        category: Category | None = None,
        min_importance: Importance | None = None,
        first: types.Seq | None = None,
        last: types.Seq | None = None,
        cursor: types.Cursor = None,
        limit: types.Limit = DEFAULT,
    ) -> Page[Fact]:
        """List the latest facts of a channel in order, with category, importance (1 to 5) and
        links. `first` and `last` select a range of messages."""
        if not self._remembered(chat.space):
            return Page()
        start = number(cursor)
        place = first or 0, FURTHEST if last is None else last, start + limit + 1
        filters = MemoryFilter(*place, category, min_importance or 0)

        async def unit(tx: Transaction) -> Page[Fact]:
            found = await fact_store.of_channel(tx, chat.channel, filters)
            page = cut_latest(found, start, limit)
            page[:] = await fact_store.with_links(tx, chat.channel, page)
            return page

        return await self._read(chat.space, unit)

    @verb.post("channels/{channel}/facts", status=201, repeatable=True)
    async def add(
        self,
        chat: types.Conversation,
        text: types.Text,
        *,
        by: types.By,
        person: types.PersonId | None = None,
        trust: WrittenBy = "user",
    ) -> Fact:
        """Add a fact by hand. `person` is who it is about. `trust` is `assistant` if a model wrote
        it, `third_party` if it is copied from elsewhere. Adding the same fact again changes
        nothing."""
        words = await self._memory_text(text)
        new = NewFact(chat.channel, words, by, person, TIERS.index(trust))
        facts = self._runtime.layers.facts
        with tracing.span("create_memory", space=chat.space) as span:
            fact = await self._write(self._remembering(chat.space), lambda tx: facts.add(tx, new))
            span.note(id=fact.id)
            return fact

    @verb.get("structured")
    async def structured(
        self,
        *,
        person: types.PersonId | None = None,
        type: MemoryType | None = None,
        valid: Valid = "now",
        open: bool = False,
        asker: types.PersonId | None = None,
        cursor: types.Cursor = None,
        limit: types.Limit = DEFAULT,
        space: types.Space = None,
    ) -> Page[StructuredMemory]:
        """List structured memories with their sources, newest first: those valid now, at a given
        time, or at any time (`all`).

        With `open`, only todos that are not done. With an `asker`, only what is visible to them."""
        start = number(cursor)
        most = start + limit + 1
        filters = ValidityFilter("structured", person, type, self._moment(valid), open, most)
        visibility = self._runtime.visibility

        async def unit(tx: Transaction) -> Page[StructuredMemory]:
            page = cut_at((await structured_store.find(tx, filters))[start:], start, limit)
            if asker is None:
                return page
            # nobody else reads it
            visible = await visibility.visible(tx, "", {each.channel for each in page}, asker)
            page[:] = [each for each in page if visible.shows(each.channel, each.seq)]
            return page

        return await self._read(space, unit)

    @verb.get("changes")
    async def changes(
        self,
        *,
        person: types.PersonId | None = None,
        cursor: types.Cursor = None,
        limit: types.Limit = DEFAULT,
        space: types.Space = None,
    ) -> Page[Change]:
        """List facts that changed, with old and new value, each with its sources, in the order of
        the changes."""
        found = await self._read(space, lambda tx: structured_store.changes(tx, person))
        start = number(cursor)
        return cut_at(found[start:], start, limit, len(found))

    def _moment(self, valid: datetime | str) -> datetime | None:
        if isinstance(valid, datetime):
            micros(valid)  # refuses a time without a zone
            return valid
        if valid == "all":
            return None
        return self._now() if valid == "now" else parse(valid)
