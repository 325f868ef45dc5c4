"""The memories beside a conversation: those about the messages shown, or all, in sections with
counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from nicegui import html
from nicegui.element import Element

from erstwhile.api.channel import Channel
from erstwhile.api.channels import BriefShown, MemoryCounts, Summary
from erstwhile.api.memory import Memory
from erstwhile.dashboard import parts
from erstwhile.dashboard.conversations.message_range import MessageRange
from erstwhile.dashboard.rows import Rows
from erstwhile.layers.facts.model import Fact
from erstwhile.layers.notes.model import Buffer, Note

T = TypeVar("T")

MORE = 50  # rows that are asked for at a time
_FEW = 20  # so many metas are shown whatever they are about
_LAST = 10  # conversations that wait to be noted
META, CHUNK, FACTS, NOTES = "meta", "chunk", "facts", "notes"


@dataclass
class SectionSizes:
    """How many of the newest memories a section shows, where it does not show those about the
    messages."""

    newest: dict[str, int] = field(default_factory=lambda: {NOTES: 10})


@dataclass(frozen=True, slots=True)
class ChannelMemories:
    """What the sections show. `waiting` counts the messages that are in no note yet."""

    made: MemoryCounts
    metas: Sequence[Summary]
    chunks: Sequence[Summary]
    facts: Sequence[Fact]
    brief: BriefShown | None
    notes: Sequence[Note]
    buffers: Sequence[Buffer]
    waiting: int


NOTHING = ChannelMemories(MemoryCounts(), (), (), (), None, (), (), 0)


# Which kinds of event change what; any other kind changes everything.
PARTS = {
    "message": {"buffers"},
    "chunk": {"summaries"},
    "meta": {"summaries"},
    "fact": {"facts"},
    "brief": {"brief"},
    "note": {"notes", "buffers"},
    "structured": set[str](),
    "profile": set[str](),
    "day": set[str](),
}
EVERYTHING = frozenset[str]().union(*PARTS.values())


@dataclass(frozen=True, slots=True)
class Reader:
    """Read what the sections show; with `known`, only the parts that changed."""

    memory: Memory
    chat: Channel
    shown: MessageRange
    sizes: SectionSizes

    async def read(
        self, made: MemoryCounts, known: ChannelMemories | None = None, parts: Collection[str] = EVERYTHING
    ) -> ChannelMemories:
        found = replace(known or NOTHING, made=made)
        if "summaries" in parts:
            metas, chunks = await self._summaries(made)
            found = replace(found, metas=metas, chunks=chunks)
        if "facts" in parts:
            found = replace(found, facts=await self._facts())
        if "brief" in parts:
            found = replace(found, brief=await self.memory.channels.brief(self.chat))
        if "notes" in parts:
            asked = {"space": self.chat.space, "channel": self.chat.channel, "kind": "note"}
            found = replace(found, notes=await self.memory.notes.list(**asked, limit=self.sizes.newest[NOTES]))
        if "buffers" in parts:
            buffers = await self.memory.notes.buffers(space=self.chat.space, channel=self.chat.channel)
            found = replace(found, buffers=buffers[-_LAST:], waiting=sum(each.messages for each in buffers))
        return found

    async def _summaries(self, made: MemoryCounts) -> tuple[list[Summary], list[Summary]]:
        near = await self.memory.channels.summaries(self.chat, first=self.shown.first, last=self.shown.last)
        newest = self.sizes.newest
        metas, chunks = [each for each in near if each.level], [each for each in near if not each.level]
        if META in newest or made.metas <= _FEW:
            metas = await _metas(self.memory, self.chat, made.levels, newest.get(META, _FEW))
        if CHUNK in newest:
            chunks = (await self.memory.channels.summaries(self.chat, level=0, limit=newest[CHUNK]))[::-1]
        return metas, chunks

    async def _facts(self) -> list[Fact]:
        if FACTS in self.sizes.newest:
            return (await self.memory.facts.list(self.chat, limit=self.sizes.newest[FACTS]))[::-1]
        return await self.memory.facts.list(self.chat, first=self.shown.first, last=self.shown.last)


async def _metas(memory: Memory, chat: Channel, levels: int, limit: int) -> list[Summary]:
    """Read the highest level first: it covers most in the fewest words."""
    found: list[Summary] = []
    for level in range(levels, 0, -1):
        if len(found) < limit:
            found += (await memory.channels.summaries(chat, level=level, limit=limit - len(found)))[::-1]
    return found


class MemorySection(Generic[T]):
    """A collapsible section with a total. `widen` gets how many of the newest to show, or None for those
    about the messages shown."""

    def __init__(self, heading: str, draw: Callable[[Element, T], None], key: Callable[[T], Hashable]) -> None:
        made = parts.Section(heading)
        self._count = made.count
        with made.inside:
            self.head: Element = html.div().classes("row")
            self._rows = Rows[T](html.div().classes("stack").props("role=list"), key, draw)
            self._none = parts.quiet("")
            self._foot: Element = html.div().classes("row foot")
        self._said: tuple[object, ...] = ()

    def show(self, items: Sequence[T], total: int, none: str) -> None:
        self._rows.show(items)
        parts.reword(self._count, f"{total:,}")
        parts.reword(self._none, none if not items else "")
        self._none.set_visibility(not items)

    def offer(self, shown: int, total: int, newest: int | None, widen: Callable[[int | None], parts.Handler]) -> None:
        """Offer the rest; redrawn only when it changed."""
        if self._said == (shown, total, newest):
            return
        self._said = (shown, total, newest)
        self._foot.clear()
        with self._foot:
            if newest is None and shown < total:
                html.span(f"{shown:,} of {total:,}: about the messages shown.").classes("quiet-text")
                parts.button("Show all", widen(MORE), kind="small")
            elif newest is not None:
                if shown < total:
                    parts.button(f"Show {min(MORE, total - shown):,} more", widen(newest + MORE), kind="small")
                parts.button("Only about these messages", widen(None), kind="small quiet")
