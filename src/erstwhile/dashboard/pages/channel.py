"""One conversation: its messages beside the memories made from them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from functools import partial
from operator import attrgetter
from typing import Any

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.api.channels import ChannelEntry, MemoryCounts
from erstwhile.dashboard import parts
from erstwhile.dashboard.actions import MemoryActions
from erstwhile.dashboard.conversations import memory_rows
from erstwhile.dashboard.conversations.memory_rows import (
    EVERYTHING,
    SECTIONS,
    MemoryRows,
    MemorySection,
    Reader,
)
from erstwhile.dashboard.conversations.thread import bubble, choose_range
from erstwhile.dashboard.panel import Rows
from erstwhile.dashboard.parts import tag
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.log.model import Message

_PATH = "/conversations/channel"
_TABS = tuple(dict.fromkeys(each.tab for each in SECTIONS.values()))
_NEAR = 1000  # conversations among which a similar name is looked for; people who are named
_MANY = 400  # events at once, of which the oldest may be missing
_LAST = 10  # conversations that wait to be noted


@page(_PATH)
async def channel(viewer: Viewer) -> None:
    await ConversationView(viewer, viewer.needs("channel")).open()


class ConversationView:
    def __init__(self, viewer: Viewer, channel: str) -> None:
        self.viewer, self.channel = viewer, channel
        self._actions = MemoryActions(viewer)
        self._newest: dict[str, int] = {}
        self._busy = asyncio.Lock()
        self._said: list[Message] = []
        self._made = MemoryCounts()
        self._kept: dict[str, Sequence[Any]] = dict.fromkeys(SECTIONS, ())
        self._names: dict[str, str] = {}

    async def open(self) -> None:
        viewer = self.viewer
        memory = await viewer.reading()
        around, first, last = (viewer.number(name, 0) for name in ("seq", "first", "last"))
        outline = await memory.channels.get(memory.channel(self.channel))
        if not outline.size and outline.privacy is None and not outline.title:
            viewer.client.status_code = 404
            await unknown(viewer, self.channel)
            return
        self._range = choose_range(outline.size, around=around, first=first, last=last)
        await self._read(outline, EVERYTHING)
        self._draw(outline)
        self._show()
        viewer.live(self.told, channel=self.channel)

    async def told(self, news: Sequence[Event]) -> None:
        """Read again only what may have changed."""
        changed = set[str]().union(*(memory_rows.changed_parts(each.kind) for each in news))
        await self.refresh(changed if len(news) < _MANY else EVERYTHING)

    async def refresh(self, changed: Collection[str] = EVERYTHING) -> None:
        async with self._busy:
            memory = await self.viewer.reading()
            outline = await memory.channels.get(memory.channel(self.channel))
            before, self._range = self._range, self._range.moved(outline.size)
            await self._read(outline, changed if before.first == self._range.first else EVERYTHING)
            self._show()

    async def _read(self, outline: ChannelEntry, changed: Collection[str]) -> None:
        memory = await self.viewer.reading()
        chat = memory.channel(self.channel)
        place = self._range
        if memory_rows.BUFFERS in changed:  # something was said
            many = place.last - place.first + 1
            self._said = [
                each
                async for each in chat.messages(place.first - 1, many)
                if each.seq <= place.last
            ]
        self._made = outline.made or MemoryCounts()
        self._kept |= await Reader(memory, chat, place, self._newest).read(self._made, changed)
        await self._name_people()

    async def _name_people(self) -> None:
        """Look up the names of those whom the memories are about."""
        facts, notes = self._kept[memory_rows.FACTS], self._kept[memory_rows.NOTES]
        people = {each.person for each in facts if each.person}
        people |= {person for each in notes for person in each.people}
        if unknown := sorted(people - self._names.keys())[:_NEAR]:
            memory = await self.viewer.reading()
            found = await memory.people.list(people=unknown, limit=len(unknown))
            self._names |= {each.person: each.name for each in found}

    # Drawing, once

    def _draw(self, outline: ChannelEntry) -> None:
        with html.div().classes("row between conversation-head"):
            with html.div().classes("row"):
                parts.crumb("Conversations", self.viewer.url("/conversations"))
                parts.title(outline.title or self.channel)
                if outline.title:
                    html.span(self.channel).classes("at one-line")
                parts.badge_if(outline.privacy, outline.privacy or "")
            with parts.form(self.viewer, _PATH, "row jump-to", channel=self.channel):
                box = tag("input", "plain", type="number", name="seq", min=1, required=True)
                box.props('aria-label="Number of a message" placeholder="Message №"')
                parts.submit("Go to")
        with html.div().classes("row tabs").props('role=group aria-label="Shown"'):
            for name, label in (("thread", "Messages"), ("memory", "Memory")):
                pressed = name == "thread"
                parts.control("button", label, pressed=pressed, data_pane_switch=name)
        with html.div().classes("panes").props("data-panes data-shown=thread"):
            with tag("section", "pane", data_pane="thread", aria_label="Messages"):
                self._thread()
            with tag("section", "pane memories", data_pane="memory", aria_label="Memory"):
                self._memory()

    def _thread(self) -> None:
        anchored = self._range.follows or "last" in self.viewer.given
        scroller = html.div().classes("scroller from-the-end" if anchored else "scroller")
        with scroller.props("data-scroller tabindex=0"), html.div().classes("thread-whole"):
            self._older = tag("div", "row turn")
            inside = html.div().classes("thread").props("role=list")
            self._rows = Rows[Message](
                inside, lambda each: each.seq, partial(bubble, self.viewer, self.channel)
            )
            self._said_nothing = tag("p", "quiet-text said-nothing", "")
            self._newer = tag("div", "row turn")
        self._turns: tuple[int | None, int | None] | None = None

    def _memory(self) -> None:
        rows = MemoryRows(self.viewer, self.channel, self._actions, self._names)
        drawn: dict[str, Callable[[Element, Any], None]] = {
            memory_rows.FACTS: rows.fact,
            memory_rows.CHUNK: rows.summary,
            memory_rows.META: rows.summary,
            memory_rows.NOTES: rows.note,
            memory_rows.BUFFERS: rows.buffer,
            memory_rows.BRIEF: rows.brief,
        }
        self._counts: dict[str, Element] = {}
        self._sections: dict[str, MemorySection[Any]] = {}
        with html.div().classes("row memory-tabs").props('role=tablist aria-label="Memory"'):
            for tab in _TABS:
                selected = "true" if tab == _TABS[0] else "false"
                with parts.control("tab", role="tab", data_tab=tab, aria_selected=selected):
                    html.span(tab)
                    self._counts[tab] = tag("span", "count", "")
        for tab in _TABS:
            panel = tag("div", "scroller stack", tabindex=0, role="tabpanel", aria_label=tab)
            panel.props["data-tab-panel"] = tab
            with panel.props("hidden" if tab != _TABS[0] else ""):
                for name, kind in SECTIONS.items():
                    if kind.tab == tab:
                        key = "first_seq" if name == memory_rows.BUFFERS else "id"
                        self._sections[name] = MemorySection(
                            kind.heading, drawn[name], attrgetter(key)
                        )
        if self.viewer.may_write:
            with self._sections[memory_rows.META].head:
                parts.button(
                    "Realign", lambda: self._actions.realign(self.channel), kind="small", busy=""
                )
                self._stale = tag("span", "quiet-text", "")
            with self._sections[memory_rows.FACTS].head:
                parts.button(
                    "Add a fact", lambda: self._actions.add_fact(self.channel), kind="small"
                )

    # Showing, again and again

    def _show(self) -> None:
        with self.viewer.client:
            self._rows.show(self._said)
            self._show_turns()
            self._show_memory()

    def _show_turns(self) -> None:
        place = self._range
        nothing = (
            "Nothing was said here yet." if not place.size else "These messages are no longer kept."
        )
        parts.reword(self._said_nothing, "" if self._said else nothing)
        self._said_nothing.set_visibility(not self._said)
        if self._turns == (place.older, place.newer):
            return
        self._turns = (place.older, place.newer)
        with parts.redrawn(self._older):
            if place.older is not None:
                parts.link("Older", self._at(last=place.older), "button")
        with parts.redrawn(self._newer):
            if place.newer is not None:
                parts.link("Newer", self._at(first=place.newer), "button")
                parts.link("Newest", self._at(), "button")

    def _at(self, **place: int) -> str:
        return self.viewer.url(_PATH, channel=self.channel, **place)

    def _show_memory(self) -> None:
        made, kept = self._made, self._kept
        waiting = sum(each.messages for each in kept[memory_rows.BUFFERS])
        briefs = len(kept[memory_rows.BRIEF])
        totals = made.facts, made.chunks, made.metas, made.notes, waiting, briefs
        counted = dict.fromkeys(_TABS, 0)
        for (name, kind), total in zip(SECTIONS.items(), totals, strict=True):
            section, rows = self._sections[name], kept[name]
            none = "None is about the messages shown." if total and kind.ranged else kind.none
            section.show(rows[-_LAST:] if name == memory_rows.BUFFERS else rows, total, none)
            if kind.ranged:
                section.offer(len(rows), total, self._newest.get(name), partial(self._widen, name))
            if name != memory_rows.BUFFERS:
                counted[kind.tab] += total
        for tab, many in counted.items():
            parts.reword(self._counts[tab], f"{many:,}")
        if self.viewer.may_write:
            self._sections[memory_rows.META].head.set_visibility(made.stale > 0)
            parts.reword(self._stale, f"{made.stale:,} stale: the summaries below changed.")

    def _widen(self, name: str, many: int | None) -> parts.Handler:
        async def work() -> None:
            if many is None:
                self._newest.pop(name, None)
            else:
                self._newest[name] = many
            await self.refresh()

        return work


async def unknown(viewer: Viewer, channel: str) -> None:
    """Say that there is no such conversation, name those with a similar name, and wait for its
    first message."""
    memory = await viewer.reading()
    listed = await memory.channels.list(limit=_NEAR)
    known = {each.channel: each.title or each.channel for each in listed}
    parts.title("No such conversation")
    words = f"There is no conversation “{channel}” in this space. It appears here with its first message."
    html.p(words).props("dir=auto")
    near = get_close_matches(channel, [*known, *known.values()], 5, 0.5)
    for each in dict.fromkeys(
        next(name for name, title in known.items() if word in (name, title)) for word in near
    ):
        parts.link(known[each], viewer.url(_PATH, channel=each))
    with html.p():
        parts.link("All conversations", viewer.url("/conversations"), "button back")

    async def reload() -> None:
        ui.navigate.reload()

    viewer.again(reload, channel=channel, kinds=("message",))
