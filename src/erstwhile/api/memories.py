"""`memory.memories`: read, search, edit and delete memories of every kind."""

from __future__ import annotations

from typing import Annotated

from erstwhile.api import verb
from erstwhile.api.resource import Resource
from erstwhile.api.types import (
    By,
    ChannelId,
    Conversation,
    Cursor,
    Kinds,
    Limit,
    MemoryId,
    OneOf,
    PersonId,
    Seq,
    Since,
    Space,
    Text,
    Trust,
    Until,
    Words,
    WriterName,
)
from erstwhile.base import ids, tracing
from erstwhile.base.errors import ConflictError, InvalidInput, NotFound
from erstwhile.base.page import DEFAULT, Page, cut, number
from erstwhile.base.trust import tier
from erstwhile.index import documents, flags
from erstwhile.index.documents import Scope
from erstwhile.index.flags import REASONS
from erstwhile.layers.backfill import BackfillReport, Progress
from erstwhile.layers.regenerate import WHAT, RegenerateRange, RegenerateResult
from erstwhile.log import check
from erstwhile.memories import history as histories
from erstwhile.memories.history import Version
from erstwhile.search import flagged as flagging
from erstwhile.search import listing
from erstwhile.search import sources as recall_sources
from erstwhile.search.flagged import DECISIONS, FlaggedMemory
from erstwhile.search.model import BrowsePage, Source
from erstwhile.search.model import Hit as Hit
from erstwhile.search.period import between
from erstwhile.storage import Transaction, Unit

Reason = Annotated[str, OneOf("Only those flagged for this.", choices=tuple(REASONS))]
Decision = Annotated[
    str, OneOf("`keep`: leave it as it is. `reopen`: review it again.", choices=DECISIONS)
]
What = Annotated[str, OneOf("What to regenerate.", "chunk", choices=WHAT)]
_ExpectedMemory = tuple[str, str | None, str | None]  # id, space, the text it must have
Searched = Annotated[str, Words("Words it contains.", "busan", name="q")]


class Memories(Resource, noun="memories"):
    @verb.get("memories", refusals=(404,))
    async def list(
        self,
        *,
        channel: ChannelId | None = None,
        person: PersonId | None = None,
        kinds: Kinds = None,
        cursor: Cursor = None,
        limit: Limit = DEFAULT,
        space: Space = None,
    ) -> Page[Hit]:
        """List memories, newest first. Messages are listed only if `kinds` names them."""
        scope = Scope(channel=channel, person=person, kinds=None if kinds is None else tuple(kinds))
        page = cursor, limit + 1
        found = await self._read(space, lambda tx: listing.list_newest(tx, scope, *page))
        return cut(found, limit, lambda hit: hit.id)

    @verb.get("browse", answer="hits")
    async def browse(
        self,
        words: Searched = "",
        *,
        channel: ChannelId | None = None,
        person: PersonId | None = None,
        kinds: Kinds = None,
        since: Since = None,
        until: Until = None,
        writer: WriterName | None = None,
        trust: Trust | None = None,
        cursor: Cursor = None,
        limit: Limit = DEFAULT,
        space: Space = None,
    ) -> BrowsePage:
        """Browse messages and memories that contain the words, best first; without words all of
        them, newest first.

        Returns counts by kind, channel, person, writer and month. Unlike `search`, it matches words
        only, returns every match and is not recorded."""
        # numpy is only loaded by whoever searches
        from erstwhile.search.browse import BrowseQuery as Shown
        from erstwhile.search.browse import browse

        chosen = self._space(space)
        if not self._remembered(chosen):
            return BrowsePage()
        only = None if kinds is None else tuple(kinds)
        scope = Scope(channel, person, only, *between(since, until), writer, tier(trust))
        return await browse(
            self._runtime.recall, chosen, Shown(words, scope, number(cursor), limit)
        )

    @verb.get("memories/{id}", routed=False)
    async def get(self, id: MemoryId, *, space: Space = None) -> Source:
        """Show one memory or message, with its direct sources."""
        return await self._read(space, lambda tx: recall_sources.sources(tx, id, deep=False))

    @verb.get("memories/{id}/sources", refusals=(404,))
    async def sources(self, id: MemoryId, *, space: Space = None) -> Source:
        """Show the sources of a memory, down to its messages."""
        return await self._read(space, lambda tx: recall_sources.sources(tx, id))

    @verb.get("memories/{id}/history", answer="versions", refusals=(404,))
    async def history(self, id: MemoryId, *, space: Space = None) -> Page[Version]:
        """List the versions of a memory, oldest first, with who wrote each and when. Works for
        deleted memories too."""
        if ids.kind_of(id) == "message":
            raise InvalidInput("A message never changes, so it has no history. `sources` shows it.")
        found = await self._read(space, lambda tx: histories.versions(tx, id))
        if not found:
            raise NotFound(f"There is no history of {id} in this space. It may belong to another.")
        return Page(found)

    @verb.by_hand
    async def edit(
        self, id: MemoryId, text: Text, *, by: By, expected: str | None = None, space: Space = None
    ) -> Version:
        """Edit a memory. Regeneration does not overwrite the new text. With `expected`, edit only
        if that is the current text."""
        words, edits = await self._memory_text(text), self._runtime.changes
        of = (id, space, expected)
        return await self._change("update_memory", of, lambda tx: edits.edit(tx, id, words, by))

    @verb.by_hand
    async def delete(
        self, id: MemoryId, *, by: By, expected: str | None = None, space: Space = None
    ) -> Version:
        """Delete a memory. A rebuild does not bring it back; `restore` does. With `expected`,
        delete only if that is the current text."""
        edits, of = self._runtime.changes, (id, space, expected)
        return await self._change("delete_memory", of, lambda tx: edits.delete(tx, id, by))

    @verb.post("memories/{id}/restore", refusals=(404, 412))
    async def restore(self, id: MemoryId, *, by: By, space: Space = None) -> Version:
        """Restore a deleted memory. Fails if its sources are gone or another memory has replaced
        it."""
        edits, of = self._runtime.changes, (id, space, None)
        return await self._change("update_memory", of, lambda tx: edits.restore(tx, id, by))

    @verb.post("channels/{channel}/regenerate", slow=True, repeatable=True, refusals=(404, 502))
    async def regenerate(
        self,
        chat: Conversation,
        first: Seq,
        last: Seq,
        what: What = "chunk",
        *,
        overwrite: bool = False,
    ) -> RegenerateResult:
        """Regenerate the memories of a range of messages now.

        `chunk` regenerates everything that is made from its messages; any other value only what
        it names. All is replaced, or nothing. People's edits are kept unless `overwrite` is set.
        Metas above the range become stale."""
        wanted = RegenerateRange(chat.channel, first, last, what, overwrite)
        made = await self._runtime.regenerate.regenerate(chat.space, wanted)
        self._runtime.worker.wake()
        return made

    @verb.by_hand
    async def undo(self, chat: Conversation, made: RegenerateResult, *, by: By) -> int:
        """Undo `regenerate` and return how many memories were restored. Fails as a whole if any of
        them changed since."""
        for id in (made.undo, *made.replaced, *made.gone):
            check.identifier("id", id)
        undo = self._runtime.undo.undo
        return await self._write(chat.space, lambda tx: undo(tx, chat.channel, made, by))

    @verb.post(
        "channels/{channel}/realign",
        slow=True,
        repeatable=True,
        answer="realigned",
        refusals=(502,),
    )
    async def realign(self, chat: Conversation) -> int:
        """Regenerate every stale meta of a channel from its current parts, lowest level first.
        Returns how many."""
        return await self._runtime.regenerate.realign(chat.space, chat.channel)

    @verb.by_hand
    async def backfill(
        self, *, progress: Progress | None = None, space: Space = None
    ) -> BackfillReport:
        """Extract facts from chunks that have none yet, at most two a second. Safe to interrupt: it
        resumes. Calls `progress(done, total)`."""
        return await self._runtime.backfill.backfill(self._space(space), progress or _silent)

    @verb.get("flagged", refusals=(404,))
    async def flagged(
        self,
        *,
        reason: Reason | None = None,
        reviewed: bool = False,
        cursor: Cursor = None,
        limit: Limit = DEFAULT,
        space: Space = None,
    ) -> Page[FlaggedMemory]:
        """List flagged memories, newest first: those not reviewed yet, or with `reviewed` those
        that were."""
        filters = flags.FlagFilter(reason, reviewed, limit + 1, cursor)
        found = await self._read(space, lambda tx: flagging.page(tx, filters))
        return cut(found, limit, lambda each: each.id)

    @verb.post("memories/{id}/review", answer="reviewed", repeatable=True, refusals=(404,))
    async def review(
        self, id: MemoryId, *, by: By, decision: Decision = "keep", space: Space = None
    ) -> int:
        """Review a flagged memory: keep it, or reopen the review. Returns for how many reasons it
        was flagged. Use `edit` or `delete` to change it."""
        now = self._now()
        return await self._write(space, lambda tx: flagging.review(tx, id, decision, by, now))

    async def _change(self, span: str, of: _ExpectedMemory, change: Unit[Version]) -> Version:
        """Change a memory; raise ConflictError unless it has the expected text. For some kinds `get` adds
        a title or author, so the last version counts too."""
        id, space, expected = of

        async def unit(tx: Transaction) -> Version:
            if expected is not None:
                await documents.hold(tx, id)
                says = {each.text for each in (await histories.versions(tx, id))[-1:]}
                if expected not in says | {(await recall_sources.sources(tx, id, deep=False)).text}:
                    why = f"{id} no longer says what was expected."
                    raise ConflictError(f"{why} Look at it again, then decide.")
            return await change(tx)

        with tracing.span(span, space=self._space(space), id=id):
            return await self._write(space, unit)


def _silent(_done: int, _total: int) -> None:
    """Ignore progress."""
