"""One conversation: its messages beside the memories made from them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from functools import partial

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.api.channels import ChannelShown, MemoryCounts
from erstwhile.dashboard import parts
from erstwhile.dashboard.actions import MemoryActions, busy
from erstwhile.dashboard.conversations.memory_rows import (
    CHUNK,
    EVERYTHING,
    FACTS,
    META,
    NOTHING,
    ChannelMemories,
    MemoryRows,
    MemorySection,
    Reader,
    SectionSizes,
    changed_parts,
)
from erstwhile.dashboard.conversations.thread import bubble, choose_range
from erstwhile.dashboard.panel import Rows
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.log.model import Message

_PATH = "/conversations/channel"
_TABS = ("Facts", "Summaries", "Notes", "Brief")
_NEAR = 1000  # conversations among which a similar name is looked for
_MANY = 400  # events at once, of which the oldest may be missing


@page(_PATH)
async def channel(viewer: Viewer) -> None:
    shown = ConversationView(viewer, viewer.needs("channel"))
    await shown.open()


class ConversationView:
    def __init__(self, viewer: Viewer, channel: str) -> None:
        self.viewer, self.channel = viewer, channel
        self._actions = MemoryActions(viewer)
        self._wanted = SectionSizes()
        self._busy = asyncio.Lock()
        self._said: list[Message] = []
        self._kept: ChannelMemories | None = None

    async def open(self) -> None:
        viewer = self.viewer
        memory = await viewer.reading()
        places = {
            "around": viewer.number("seq", 0),
            "first": viewer.number("first", 0),
            "last": viewer.number("last", 0),
        }
        outline = await memory.channels.get(memory.channel(self.channel, space=viewer.space))
        if not outline.size and outline.privacy is None and not outline.title:
            viewer.client.status_code = 404
            await unknown(viewer, self.channel)
            return
        self._range = choose_range(outline.size, **places)
        await self._read(outline, EVERYTHING)
        self._draw(outline)
        self._show()
        viewer.live(self.told, channel=self.channel)

    async def told(self, news: Sequence[Event]) -> None:
        """Read again only what may have changed."""
        parts = set[str]().union(*(changed_parts(each.kind) for each in news))
        await self.refresh(parts if len(news) < _MANY else EVERYTHING)

    async def refresh(self, parts: Collection[str] = EVERYTHING) -> None:
        async with self._busy:
            memory = await self.viewer.reading()
            outline = await memory.channels.get(memory.channel(self.channel, space=self.viewer.space))
            before, self._range = self._range, self._range.moved(outline.size)
            await self._read(outline, parts if before.first == self._range.first else EVERYTHING)
            self._show()

    async def _read(self, outline: ChannelShown, parts: Collection[str]) -> None:
        memory = await self.viewer.reading()
        chat = memory.channel(self.channel, space=self.viewer.space)
        place = self._range
        if "buffers" in parts:  # something was said
            many = place.last - place.first + 1
            self._said = [each async for each in chat.messages(place.first - 1, many) if each.seq <= place.last]
        reader = Reader(memory, chat, place, self._wanted)
        self._kept = await reader.read(outline.made or MemoryCounts(), self._kept, parts)

    # Drawing, once

    def _draw(self, outline: ChannelShown) -> None:
        self._head(outline)
        with html.div().classes("panes").props("data-panes data-shown=thread"):
            with html.section().classes("pane").props('data-pane=thread aria-label="Messages"'):
                self._thread()
            with html.section().classes("pane memories").props('data-pane=memory aria-label="Memory"'):
                self._memory()

    def _head(self, outline: ChannelShown) -> None:
        with html.div().classes("row between conversation-head"):
            with html.div().classes("row"):
                parts.crumb("Conversations", self.viewer.url("/conversations"))
                parts.title(outline.title or self.channel)
                if outline.title:
                    html.span(self.channel).classes("at one-line")
                if outline.privacy:
                    parts.badge(outline.privacy)
            self._jump()
        with html.div().classes("row tabs").props('role=group aria-label="Shown"'):
            for name, label in (("thread", "Messages"), ("memory", "Memory")):
                tab = html.button(label, type="button").classes("button")
                tab.props["data-pane-switch"] = name
                tab.props["aria-pressed"] = "true" if name == "thread" else "false"

    def _jump(self) -> None:
        with parts.form(self.viewer, _PATH, "row jump-to", channel=self.channel):
            box = html.input_(type="number", name="seq", min="1", required=True).classes("plain")
            box.props["aria-label"] = "Number of a message"
            box.props["placeholder"] = "Message №"
            html.button("Go to", type="submit").classes("button")

    def _thread(self) -> None:
        anchored = self._range.follows or "last" in self.viewer.given
        scroller = html.div().classes("scroller from-the-end" if anchored else "scroller")
        with scroller.props("data-scroller tabindex=0"), html.div().classes("thread-whole"):
            self._older: Element = html.div().classes("row turn")
            inside = html.div().classes("thread").props("role=list")
            self._rows = Rows[Message](inside, lambda each: each.seq, partial(bubble, self.viewer, self.channel))
            self._said_nothing: Element = html.p("").classes("quiet-text said-nothing")
            self._newer: Element = html.div().classes("row turn")
        self._turns: tuple[int | None, int | None] | None = None

    def _memory(self) -> None:
        drawn = MemoryRows(self.viewer, self.channel, self._actions)
        self._counts: dict[str, Element] = {}
        with html.div().classes("row memory-tabs").props('role=tablist aria-label="Memory"'):
            for name in _TABS:
                self._tab(name)
        with self._panel("Facts"):
            self._facts = MemorySection("Facts", drawn.fact, lambda each: each.id)
        with self._panel("Summaries"):
            self._chunks = MemorySection("Summaries", drawn.summary, lambda each: each.id)
            self._metas = MemorySection("Meta summaries", drawn.summary, lambda each: each.id)
        with self._panel("Notes"):
            self._notes = MemorySection("Notes", drawn.note, lambda each: each.id)
            self._buffers = MemorySection("Not in a note yet", drawn.buffer, lambda each: each.first_seq)
        with self._panel("Brief"):
            self._brief = MemorySection("Brief", drawn.brief, lambda each: each.id)
        if self.viewer.may_write:
            with self._metas.head:
                realign: Element = html.button("Realign", type="button").classes("button small")
                realign.on("click", busy(realign, lambda: self._actions.realign(self.channel)), args=[])
                self._stale: Element = html.span("").classes("quiet-text")
            with self._facts.head:
                parts.button("Add a fact", lambda: self._actions.add_fact(self.channel), kind="small")

    def _tab(self, name: str) -> None:
        made = html.button(type="button").classes("tab").props("role=tab")
        made.props["data-tab"] = name
        made.props["aria-selected"] = "true" if name == _TABS[0] else "false"
        with made:
            html.span(name)
            self._counts[name] = html.span("").classes("count")

    def _panel(self, name: str) -> Element:
        made: Element = html.div().classes("scroller stack").props("tabindex=0 role=tabpanel")
        made.props["data-tab-panel"] = made.props["aria-label"] = name
        if name != _TABS[0]:
            made.props["hidden"] = True
        return made

    # Showing, again and again

    def _show(self) -> None:
        with self.viewer.client:
            self._rows.show(self._said)
            self._show_turns(self._said)
            self._show_memory(self._kept or NOTHING)

    def _show_turns(self, said: Sequence[Message]) -> None:
        place = self._range
        nothing = "Nothing was said here yet." if not place.size else "These messages are no longer kept."
        parts.reword(self._said_nothing, "" if said else nothing)
        self._said_nothing.set_visibility(not said)
        if self._turns == (place.older, place.newer):
            return
        self._turns = (place.older, place.newer)
        self._older.clear()
        self._newer.clear()
        if place.older is not None:
            with self._older:
                parts.link("Older", self._at(last=place.older), "button")
        if place.newer is not None:
            with self._newer:
                parts.link("Newer", self._at(first=place.newer), "button")
                parts.link("Newest", self._at(), "button")

    def _at(self, **place: int) -> str:
        return self.viewer.url(_PATH, channel=self.channel, **place)

    def _show_memory(self, kept: ChannelMemories) -> None:
        made = kept.made
        self._metas.show(kept.metas, made.metas, _none(made.metas, "Ten summaries make a meta summary."))
        self._chunks.show(kept.chunks, made.chunks, _none(made.chunks, "Ten messages make a summary."))
        self._facts.show(kept.facts, made.facts, _none(made.facts, "Facts are extracted with each summary."))
        self._brief.show([kept.brief] if kept.brief else [], int(kept.brief is not None), "There is no brief yet.")
        self._notes.show(kept.notes, made.notes, "A note is written when the conversation has been quiet for a while.")
        self._buffers.show(kept.buffers, kept.waiting, "Every message is in a note.")
        summaries, brief = made.chunks + made.metas, int(kept.brief is not None)
        for name, many in zip(_TABS, (made.facts, summaries, made.notes, brief), strict=True):
            parts.reword(self._counts[name], f"{many:,}")
        for name, section, shown, total in (
            (META, self._metas, len(kept.metas), made.metas),
            (CHUNK, self._chunks, len(kept.chunks), made.chunks),
            (FACTS, self._facts, len(kept.facts), made.facts),
        ):
            section.offer(shown, total, self._wanted.newest.get(name), partial(self._widen, name))
        if self.viewer.may_write:
            self._metas.head.set_visibility(made.stale > 0)
            parts.reword(self._stale, f"{made.stale:,} stale: the summaries below changed.")

    def _widen(self, name: str, many: int | None) -> parts.Handler:
        async def work() -> None:
            if many is None:
                self._wanted.newest.pop(name, None)
            else:
                self._wanted.newest[name] = many
            await self.refresh()

        return work


async def unknown(viewer: Viewer, channel: str) -> None:
    """Say that there is no such conversation, name those with a similar name, and wait for its first message."""
    memory = await viewer.reading()
    known = {
        each.channel: each.title or each.channel for each in await memory.channels.list(limit=_NEAR, space=viewer.space)
    }
    parts.title("No such conversation")
    html.p(f"There is no conversation “{channel}” in this space. It appears here with its first message.").props(
        "dir=auto"
    )
    near = get_close_matches(channel, [*known, *known.values()], 5, 0.5)
    for each in dict.fromkeys(next(name for name, title in known.items() if word in (name, title)) for word in near):
        parts.link(known[each], viewer.url(_PATH, channel=each))
    parts.link("All conversations", viewer.url("/conversations"), "button", "back")

    async def told(_news: Sequence[Event]) -> None:
        ui.navigate.reload()

    viewer.live(told, channel=channel, kinds=("message",))


def _none(total: int, about: str) -> str:
    return "None is about the messages shown." if total else about
