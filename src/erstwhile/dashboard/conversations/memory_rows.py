"""Memories of a conversation as rows: text, sources, writer and actions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import field, replace
from typing import Generic, TypeVar

from nicegui import html
from nicegui.element import Element

from erstwhile.api.channel import Channel
from erstwhile.api.channels import BriefShown, MemoryCounts, Summary
from erstwhile.api.memory import Memory
from erstwhile.base import ids
from erstwhile.base.records import dataclass
from erstwhile.dashboard import parts
from erstwhile.dashboard.actions import MemoryActions, busy
from erstwhile.dashboard.conversations import thread
from erstwhile.dashboard.conversations.thread import ShownRange
from erstwhile.dashboard.panel import Rows
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.facts.model import Fact
from erstwhile.layers.notes.model import Buffer, Note

_WEIGHTY = 4  # of 5


@dataclass(frozen=True, slots=True)
class MemoryRows:
    """Draw the memories of one channel for one viewer."""

    viewer: Viewer
    channel: str
    actions: MemoryActions

    def summary(self, row: Element, summary: Summary) -> None:
        row.classes("memory meta" if summary.level else "memory chunk")
        self._mark(row, summary.id, summary.first, summary.last)
        row.classes(add="stale" if summary.stale else "", remove="" if summary.stale else "stale")
        parts.text(summary.text)
        with html.div().classes("details"):
            if summary.level > 1:
                parts.badge(f"level {summary.level}", "meta")
            if summary.stale:
                parts.badge("stale", "warn").props["title"] = "What it was made from has changed since."
            self._from(summary.id, summary.first, summary.last)
            _writer(summary.writer, summary.draft, summary.edited_by)
            parts.moment(summary.to_at)
        with self._actions(summary.id, summary.text):
            self._regenerate(summary)

    def fact(self, row: Element, fact: Fact) -> None:
        row.classes("memory fact")
        self._mark(row, fact.id, fact.first_seq, fact.last_seq)
        if fact.seq is not None:
            row.props["data-lean"] = fact.seq
        parts.text(fact.text)
        with html.div().classes("details"):
            parts.badge(fact.category, "fact")
            if fact.importance >= _WEIGHTY:
                parts.badge("very important" if fact.importance > _WEIGHTY else "important")
            if fact.person is not None:
                parts.person_link(self.viewer, fact.person, fact.person)
            if fact.seq is not None:
                self._from(fact.id, fact.seq, fact.seq)
            else:
                self._from(fact.id, fact.first_seq, fact.last_seq)
            if fact.links:
                html.span(f"also in {parts.count(len(fact.links), 'other place')}")
            _writer(fact.writer, fact.draft, fact.edited_by)
            parts.moment(fact.at)
        with self._actions(fact.id, fact.text):
            pass

    def brief(self, row: Element, brief: BriefShown) -> None:
        row.classes("memory brief")
        self._mark(row, brief.id, 1, brief.through_seq)
        parts.text(brief.text)
        with html.div().classes("details"):
            html.span(f"covers messages up to {brief.through_seq:,}")
            html.span(parts.count(brief.tokens, "token"))
            _writer(brief.writer, brief.draft, None)
            parts.moment(brief.updated_at)

    def note(self, row: Element, note: Note) -> None:
        row.classes("memory note")
        self._mark(row, note.id, note.first_seq, note.last_seq if note.kind == "note" else -1)
        if note.title:
            html.h3(note.title).props("dir=auto")
        parts.text(note.text)
        with html.div().classes("details"):
            if note.kind == "topic":
                parts.badge("topic", "topic")
            html.span(note.day.isoformat())
            for person in note.people:
                parts.person_link(self.viewer, person, person)
            if note.kind == "note":
                self._from(note.id, note.first_seq, note.last_seq)
            _writer(note.writer, note.draft, None)
        with self._actions(note.id, note.text):
            pass

    def buffer(self, row: Element, buffer: Buffer) -> None:
        row.classes("memory buffer")
        self._mark(row, f"buffer-{buffer.first_seq}", buffer.first_seq, buffer.last_seq)
        state = "being noted" if buffer.closed else "noted once the conversation is quiet"
        html.div(f"{parts.count(buffer.messages, 'message')} by people, {state}.")
        with html.div().classes("details"):
            self._from(f"buffer-{buffer.first_seq}", buffer.first_seq, buffer.last_seq)
            html.span("last message")
            parts.moment(buffer.updated_at)

    def _mark(self, row: Element, id: str, first: int, last: int) -> None:
        row.props["data-id"] = id
        row.props["data-sources"] = thread.sources(first, last)

    def _from(self, id: str, first: int, last: int) -> None:
        """Link to the sources, also on another page; the memory stays chosen."""
        if last < first:
            html.span("added by hand")
            return
        url = self.viewer.url("/conversations/channel", channel=self.channel, seq=first, memory=id)
        made = html.a(thread.messages(first, last), href=url).classes("jump")
        made.props["data-jump"] = first

    def _actions(self, id: str, text: str) -> Element:
        made: Element = html.div().classes("actions")
        with made:
            if self.viewer.may_write:
                _small("Edit", lambda: self.actions.edit(id, text, expected=text), text)
                _small("Delete", lambda: self.actions.delete(id, expected=text), text)
            _small("History", lambda: self.actions.history(id, text), text)
        return made

    def _regenerate(self, summary: Summary) -> None:
        if not self.viewer.may_write:
            return
        whats = (("meta", "Make again"),) if summary.level else (("chunk", "Make again"), ("facts", "Facts again"))
        for what, label in whats:
            self._regenerate_button(summary, what, label)

    def _regenerate_button(self, summary: Summary, what: str, label: str) -> None:
        edited = what != "facts" and summary.edited_by is not None
        made: Element = html.button(label, type="button").classes("button quiet small")
        made.props["aria-label"] = f"{label}: {_gist(summary.text)}"
        place = (self.channel, summary.first, summary.last, what)
        made.on("click", busy(made, lambda: self.actions.regenerate(*place, edited=edited)), args=[])


def _small(label: str, work: parts.Handler, text: str) -> None:
    parts.button(label, work, kind="quiet", name=f"{label}: {_gist(text)}").classes("small")


def _gist(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _writer(writer: str, draft: bool, edited_by: str | None) -> None:
    if draft:
        parts.draft()
    if edited_by is not None:
        html.span(f"by {edited_by}" if writer == f"hand:{edited_by}" else f"edited by {edited_by}").props("dir=auto")
    elif writer and not draft:
        html.span(f"by {writer}").props("dir=auto")


T = TypeVar("T")

MORE = 50  # rows that are asked for at a time
_FEW = 20  # so many metas are shown whatever they are about
_LAST = 10  # conversations that wait to be noted
META, CHUNK, FACTS, NOTES = "meta", "chunk", "facts", "notes"


@dataclass
class SectionSizes:
    """How many of the newest memories each section shows."""

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


# Which kinds of event change what. Other memories change nothing here, other events everything.
PARTS = {
    "message": {"buffers"},
    "chunk": {"summaries"},
    "meta": {"summaries"},
    "fact": {"facts"},
    "brief": {"brief"},
    "note": {"notes", "buffers"},
    "topic": {"notes", "buffers"},
}
EVERYTHING = frozenset[str]().union(*PARTS.values())


def changed_parts(kind: str) -> Collection[str]:
    return PARTS.get(kind, () if kind in ids.kinds() else EVERYTHING)


@dataclass(frozen=True, slots=True)
class Reader:
    """Read what the sections show; with `known`, only the parts that changed."""

    memory: Memory
    chat: Channel
    shown: ShownRange
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
