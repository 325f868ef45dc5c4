"""The part of the door for what people do to memories: see their history, edit, delete, add, make again, backfill."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from erstwhile.base import ids, tracing
from erstwhile.base.clock import micros, parse
from erstwhile.base.errors import Changed, InvalidInput, NotFound
from erstwhile.door import Door
from erstwhile.index import documents
from erstwhile.layers.backfill import Backfilled, Progress
from erstwhile.layers.facts import store as fact_store
from erstwhile.layers.facts.classify import CATEGORIES
from erstwhile.layers.facts.model import Fact
from erstwhile.layers.facts.steps import NewFact
from erstwhile.layers.preview import Preview, Trial
from erstwhile.layers.regenerate import Regenerated, Wanted
from erstwhile.layers.structured import store as structured_store
from erstwhile.layers.structured.model import TYPES, Change, Structured
from erstwhile.layers.structured.store import Asked
from erstwhile.log import check
from erstwhile.memories import history as histories
from erstwhile.memories.history import Version
from erstwhile.memories.store import MemoryFilter
from erstwhile.search import sources as recall_sources
from erstwhile.storage import Transaction


class Conversation(Protocol):
    """A channel of either door."""

    channel: str
    space: str


class ByHand(Door):
    async def history(self, id: str, *, space: str | None = None) -> list[Version]:
        """What a memory has said so far, who wrote it and when, oldest first; also of one that was deleted."""
        kind = ids.kind_of(id)
        if kind == "message":
            raise InvalidInput("A message never changes, so it has no history. `sources` shows it.")
        found = await self.house.database.read(self._space(space), lambda tx: histories.versions(tx, id))
        if not found:
            raise NotFound(f"There is no history of {id} in this space. It may belong to another.")
        return found

    async def edit(
        self, id: str, text: str, *, by: str, space: str | None = None, expected: str | None = None
    ) -> Version:
        """Puts a person's words in place of a chunk's, meta's, fact's or structured memory's. They stay until someone asks for others.
        With `expected`, only if it still says that."""
        words, who = check.memory_text(text, self.settings.message_bytes), check.identifier("person", by)
        house = self.house

        async def unit(tx: Transaction) -> Version:
            await _as_expected(tx, id, expected)
            return await house.hands.edit(tx, id, words, who)

        with tracing.span("update_memory", space=self._space(space), id=id):
            return await house.database.write(self._space(space), unit)

    async def delete(self, id: str, *, by: str, space: str | None = None, expected: str | None = None) -> Version:
        """Takes a chunk, meta, fact or structured memory away. It does not come back by itself, not even in a rebuild. With `expected`,
        only if it still says that."""
        who, house = check.identifier("person", by), self.house

        async def unit(tx: Transaction) -> Version:
            await _as_expected(tx, id, expected)
            return await house.hands.delete(tx, id, who)

        with tracing.span("delete_memory", space=self._space(space), id=id):
            return await house.database.write(self._space(space), unit)

    async def restore(self, id: str, *, by: str, space: str | None = None) -> Version:
        """Brings back what someone deleted, as it was. Where what it was made of is gone, or something else has taken its place, an error
        says so."""
        who, house = check.identifier("person", by), self.house
        with tracing.span("update_memory", space=self._space(space), id=id):
            return await house.database.write(self._space(space), lambda tx: house.restore.restore(tx, id, who))

    async def add_fact(self, chat: Conversation, text: str, *, by: str, person: str | None = None) -> Fact:
        """Adds a fact that nobody said, `person` being whom it is about. The same again, at the same place, changes nothing."""
        new = NewFact(
            channel=chat.channel,
            text=check.memory_text(text, self.settings.message_bytes),
            by=check.identifier("person", by),
            person=None if person is None else check.identifier("person", person),
        )
        house = self.house
        with tracing.span("create_memory", space=chat.space) as span:
            fact = await house.database.write(self._remembering(chat.space), lambda tx: house.facts.add(tx, new))
            span.note(id=fact.id)
            return fact

    async def facts(
        self,
        chat: Conversation,
        *,
        category: str | None = None,
        min_importance: int | None = None,
        first: int | None = None,
        last: int | None = None,
        limit: int | None = None,
    ) -> list[Fact]:
        """The facts of a channel in order, with what each is about (category), how much it matters (1 to 5) and its links. Those of the
        messages `first` to `last`, where these are given; with `limit`, the latest so many."""
        if category is not None and category not in CATEGORIES:
            raise InvalidInput(f"Unknown category {category!r}. Categories are {', '.join(CATEGORIES)}.")
        if not self._remembered(chat.space):
            return []

        part = check.part(first, last, limit)
        wanted = MemoryFilter(part.first, part.last, part.limit, category, min_importance or 0)

        async def unit(tx: Transaction) -> list[Fact]:
            found = await fact_store.of_channel(tx, chat.channel, wanted)
            return await fact_store.with_links(tx, chat.channel, found)

        return await self.house.database.read(chat.space, unit)

    async def structured(
        self,
        *,
        space: str | None = None,
        person: str | None = None,
        type: str | None = None,
        valid: datetime | str = "now",
        open: bool = False,
        asker: str | None = None,
        limit: int = 100,
    ) -> list[Structured]:
        """What is known as structured memories, newest first, each with its sources: those that hold now, at a moment, or (`all`) that ever
        did. `open` leaves only the todos that nobody has done; with an `asker`, only what they may hear."""
        if type is not None and type not in TYPES:
            raise InvalidInput(f"Unknown type {type!r}. Types are {', '.join(TYPES)}.")
        if limit < 1:
            raise InvalidInput("`limit` must be at least 1.")
        who = None if person is None else check.identifier("person", person)
        listener = None if asker is None else check.identifier("person", asker)
        wanted, hearing = Asked(who, type, self._moment(valid), open, limit), self.house.hearing

        async def unit(tx: Transaction) -> list[Structured]:
            found = await structured_store.asked(tx, wanted)
            if listener is None:
                return found
            heard = await hearing.heard(tx, "", {each.channel for each in found}, listener)  # nobody else listens
            return [each for each in found if each.channel in heard]

        return await self.house.database.read(self._space(space), unit)

    async def changes(self, *, space: str | None = None, person: str | None = None) -> list[Change]:
        """What was so until something else was said, in the order of the changes, each side with its sources."""
        who = None if person is None else check.identifier("person", person)
        return await self.house.database.read(self._space(space), lambda tx: structured_store.changes(tx, who))

    def _moment(self, valid: datetime | str) -> datetime | None:
        if isinstance(valid, datetime):
            micros(valid)  # refuses a time without a zone
            return valid
        if valid == "all":
            return None
        return self._clock() if valid == "now" else parse(valid)

    async def regenerate(
        self, chat: Conversation, first: int, last: int, what: str = "chunk", *, overwrite: bool = False
    ) -> Regenerated:
        """Makes one range again, now: `chunk` (summary, facts and structured memories), `facts`, `structured`, `meta`, or `embeddings`
        (what search finds it by). All of it is replaced or nothing; what people wrote is left, unless `overwrite`. Metas above it
        become stale."""
        wanted = Wanted(chat.channel, first, last, what, overwrite)
        made = await self.house.regenerate.regenerate(chat.space, wanted)
        self.house.worker.wake()
        return made

    async def preview(
        self, chat: Conversation, first: int, last: int, *, prompt: str, instructions: str | None = None
    ) -> Preview:
        """What these instructions would make of a range as the prompt (summarise, condense for a meta, extract, structure or fold), beside
        what is stored; without instructions, the prompt in force. Nothing is stored; what it takes is recorded as `preview`."""
        return await self.house.previews.preview(chat.space, Trial(chat.channel, first, last, prompt, instructions))

    async def undo_regenerate(self, chat: Conversation, made: Regenerated, *, by: str) -> int:
        """Brings back what `regenerate` replaced, as it was, and takes away what it made; says how many came back. All of it, or nothing
        where anything of it was changed since."""
        who, house = check.identifier("person", by), self.house
        for id in (made.undo, *made.replaced, *made.gone):
            check.identifier("id", id)
        return await house.database.write(chat.space, lambda tx: house.undo.undo(tx, chat.channel, made, who))

    async def realign(self, chat: Conversation) -> int:
        """Makes every stale meta of a channel again from what is now below it, lowest level first; says how many."""
        return await self.house.regenerate.realign(chat.space, chat.channel)

    async def backfill(self, *, space: str | None = None, progress: Progress | None = None) -> Backfilled:
        """Reads every full chunk for facts that never was, at most two a second; `progress` is told how many of how many are done."""
        return await self.house.backfill.backfill(self._space(space), progress or _quiet)


async def _as_expected(tx: Transaction, id: str, expected: str | None) -> None:
    """What it says is what `get` shows, or the last of its history: of some kinds the one has a title or an author besides."""
    if expected is None:
        return
    await documents.hold(tx, id)
    says = {(await recall_sources.sources(tx, id, deep=False)).text}
    if expected not in says | {each.text for each in (await histories.versions(tx, id))[-1:]}:
        raise Changed(f"{id} no longer says what was expected. Look at it again, then decide.")


def _quiet(_done: int, _total: int) -> None:
    """Nobody watches."""
