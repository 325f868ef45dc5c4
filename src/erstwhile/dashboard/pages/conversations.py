"""Conversations: the channels of a space, and one with its messages beside the memories made from them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from functools import partial
from operator import attrgetter
from typing import Any

from nicegui import html, ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from erstwhile.api.channels import ChannelEntry, ChannelPreview, MemoryCounts
from erstwhile.base.page import Page
from erstwhile.dashboard import commands, conversation, labels, parts
from erstwhile.dashboard.actions import MemoryActions
from erstwhile.dashboard.panel import Rows
from erstwhile.dashboard.parts import tag
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.log.model import Message

_PATH = "/conversations"
_PAGE = 50
_ORDERS = {"recent": "Latest first", "name": "By name"}
_TYPED = "(event) => emit(event.target.value)"


@page(_PATH)
async def conversations(viewer: Viewer) -> None:
    shown = Listing(viewer)
    found = await shown.read()
    shown.draw()
    shown.show(found)
    viewer.again(shown.refresh)


class Listing:
    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._matching = viewer.asked("q").strip()[:500]
        self._order = viewer.asked("order") if viewer.asked("order") in _ORDERS else "recent"
        self._cursor: str | None = viewer.asked("cursor") or None

    async def read(self) -> Page[ChannelEntry]:
        memory = await self._viewer.reading()
        shown: Any = {"order": self._order, "limit": _PAGE, "cursor": self._cursor}
        shown |= {"matching": self._matching or None}
        return await memory.channels.list(counts=True, previews=True, **shown)

    def draw(self) -> None:
        parts.title("Conversations")
        with parts.form(self._viewer, _PATH, "row filters") as form:
            form.props("role=search data-filter")
            box = parts.tag("input", "plain filter", type="search", name="q", value=self._matching)
            box.props("data-search dir=auto maxlength=500 autocomplete=off")
            box.props('placeholder="Title, name or participant" aria-label="Filter conversations"')
            box.on("input", self._typed, js_handler=_TYPED, throttle=0.15)
            order = parts.select("order", _ORDERS.items(), self._order, aria_label="Order")
            order.classes("plain short").on("change", self._ordered, js_handler=_TYPED)
            self._hits = parts.quiet("").props("role=status")
        self._none = parts.tag("div", "maybe")
        with html.section().classes("card") as self._card:
            inside = parts.tag("div", "list", role="list")
        self._rows = Rows[ChannelEntry](inside, lambda each: each.channel, self._row)
        self._turns = parts.tag("div", "maybe")
        self._said: tuple[object, ...] = ()

    def show(self, found: Page[ChannelEntry]) -> None:
        with self._viewer.client:
            self._rows.show(found)
            self._card.set_visibility(bool(found))
            hits = f"{len(found):,}{'+' if found.next else ''} found"
            parts.reword(self._hits, hits if self._matching else "")
            said = (bool(found), found.next, self._matching, self._cursor)
            if said == self._said:
                return
            self._said = said
            with parts.redrawn(self._none):
                if not found:
                    self._nothing()
            with parts.redrawn(self._turns):
                first = self._at() if self._cursor else None
                parts.pages(
                    first, self._at(found.next) if found.next else None, parts.FIRST_OR_NEXT
                )

    async def refresh(self) -> None:
        asked = self._matching, self._order, self._cursor
        found = await self.read()
        if asked == (self._matching, self._order, self._cursor):  # else more was typed since
            self.show(found)

    async def _typed(self, event: GenericEventArguments) -> None:
        self._matching, self._cursor = str(event.args or "").strip()[:500], None
        await self.refresh()

    async def _ordered(self, event: GenericEventArguments) -> None:
        self._order, self._cursor = event.args if event.args in _ORDERS else "recent", None
        await self.refresh()

    def _nothing(self) -> None:
        if self._matching:
            parts.empty(f"No conversation matches “{self._matching}”.")
        elif self._cursor:
            parts.empty("There are no more conversations.")
        else:
            commands.nothing_yet(self._viewer, "There are no messages in this space yet.")

    def _at(self, cursor: str | None = None) -> str:
        order = None if self._order == "recent" else self._order
        return self._viewer.url(_PATH, q=self._matching or None, order=order, cursor=cursor)

    def _row(self, row: Element, shown: ChannelEntry) -> None:
        row.classes("channel-row")
        seen, made = shown.preview or ChannelPreview(), shown.made or MemoryCounts()
        with html.div().classes("row"):
            name = shown.title or shown.channel
            parts.message_link(self._viewer, shown.channel, None, name, "name one-line")
            parts.badge_if(shown.privacy, shown.privacy or "")
            parts.badge_if(made.stale, f"{made.stale:,} stale", "warn")
        with html.span().classes("at"):
            if shown.last_at is not None:
                parts.moment(shown.last_at).props("data-relative")
        if seen.text:
            with html.div().classes("last one-line").props("dir=auto"):
                html.span(f"{seen.by}: ").classes("by")
                html.span(" ".join(seen.text.split())).props("dir=auto")
        with html.div().classes("details"):
            if seen.people:
                rest = seen.many - len(seen.people)
                more = f" and {rest:,} more" if rest > 0 else ""
                parts.said(", ".join(seen.people) + more, "people")
            counted = {"message": shown.size, "fact": made.facts}
            counted |= {"chunk": made.metas + made.chunks, "note": made.notes}
            for kind, number in counted.items():
                if number:
                    html.span(labels.count(number, kind))


_CHANNEL_PATH = "/conversations/channel"
_TABS = tuple(dict.fromkeys(each.tab for each in conversation.SECTIONS.values()))
_NEAR = 1000  # conversations among which a similar name is looked for; people who are named
_MANY = 400  # events at once, of which the oldest may be missing
_LAST = 10  # conversations that wait to be noted


@page(_CHANNEL_PATH)
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
        self._kept: dict[str, Sequence[Any]] = dict.fromkeys(conversation.SECTIONS, ())
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
        self._range = conversation.choose_range(outline.size, around=around, first=first, last=last)
        await self._read(outline, conversation.EVERYTHING)
        self._draw(outline)
        self._show()
        viewer.live(self.told, channel=self.channel)

    async def told(self, news: Sequence[Event]) -> None:
        """Read again only what may have changed."""
        changed = set[str]().union(*(conversation.changed_parts(each.kind) for each in news))
        await self.refresh(changed if len(news) < _MANY else conversation.EVERYTHING)

    async def refresh(self, changed: Collection[str] = conversation.EVERYTHING) -> None:
        async with self._busy:
            memory = await self.viewer.reading()
            outline = await memory.channels.get(memory.channel(self.channel))
            before, self._range = self._range, self._range.moved(outline.size)
            same = before.first == self._range.first
            await self._read(outline, changed if same else conversation.EVERYTHING)
            self._show()

    async def _read(self, outline: ChannelEntry, changed: Collection[str]) -> None:
        memory = await self.viewer.reading()
        chat = memory.channel(self.channel)
        place = self._range
        if conversation.BUFFERS in changed:  # something was said
            many = place.last - place.first + 1
            said = chat.messages(place.first - 1, many)
            self._said = [each async for each in said if each.seq <= place.last]
        self._made = outline.made or MemoryCounts()
        read = conversation.read_sections(memory, outline, place, self._newest, changed)
        self._kept |= await read
        await self._name_people()

    async def _name_people(self) -> None:
        facts, notes = self._kept[conversation.FACTS], self._kept[conversation.NOTES]
        people = {each.person for each in facts if each.person}
        people |= {person for each in notes for person in each.people}
        if unknown := sorted(people - self._names.keys())[:_NEAR]:
            memory = await self.viewer.reading()
            found = await memory.people.list(people=unknown, limit=len(unknown))
            self._names |= {each.person: each.name for each in found}

    def _draw(self, outline: ChannelEntry) -> None:
        with html.div().classes("row between conversation-head"):
            with html.div().classes("row"):
                parts.crumb("Conversations", self.viewer.url("/conversations"))
                parts.title(outline.title or self.channel)
                if outline.title:
                    html.span(self.channel).classes("at one-line")
                parts.badge_if(outline.privacy, outline.privacy or "")
            with parts.form(self.viewer, _CHANNEL_PATH, "row jump-to", channel=self.channel):
                box = tag("input", "plain", type="number", name="seq", min=1, required=True)
                box.props('aria-label="Number of a message" placeholder="Message №"')
                parts.submit("Go to")
        with html.div().classes("row tabs").props('role=group aria-label="Shown"'):
            for name, label in (("thread", "Messages"), ("memory", "Memory")):
                pressed = name == "thread"
                parts.control("button", label, pressed=pressed, data_pane_switch=name)
        with html.div().classes("panes").props("data-panes data-shown=thread"):
            with tag("section", "pane", data_pane="thread", aria_label="Messages"):
                anchored = self._range.follows or "last" in self.viewer.given
                scroller = html.div().classes("scroller from-the-end" if anchored else "scroller")
                with scroller.props("data-scroller tabindex=0"), html.div().classes("thread-whole"):
                    self._older = tag("div", "row turn")
                    inside = html.div().classes("thread").props("role=list")
                    draw = partial(conversation.bubble, self.viewer, self.channel)
                    self._rows = Rows[Message](inside, lambda each: each.seq, draw)
                    self._said_nothing = tag("p", "quiet-text said-nothing", "")
                    self._newer = tag("div", "row turn")
                self._turns: tuple[int | None, int | None] | None = None
            with tag("section", "pane memories", data_pane="memory", aria_label="Memory"):
                self._memory()

    def _memory(self) -> None:
        rows = conversation.MemoryRows(self.viewer, self.channel, self._actions, self._names)
        drawn: dict[str, Callable[[Element, Any], None]] = {
            conversation.FACTS: rows.fact,
            conversation.CHUNK: rows.summary,
            conversation.META: rows.summary,
            conversation.NOTES: rows.note,
            conversation.BUFFERS: rows.buffer,
            conversation.BRIEF: rows.brief,
        }
        self._counts: dict[str, Element] = {}
        self._sections: dict[str, conversation.MemorySection[Any]] = {}
        # Without a model a short conversation has summaries and seldom a fact.
        none = self._made.chunks and not self._made.facts
        begun = conversation.SECTIONS[conversation.CHUNK if none else conversation.FACTS].tab
        with html.div().classes("row memory-tabs").props('role=tablist aria-label="Memory"'):
            for tab in _TABS:
                selected = "true" if tab == begun else "false"
                with parts.control("tab", role="tab", data_tab=tab, aria_selected=selected):
                    html.span(tab)
                    self._counts[tab] = tag("span", "count", "")
        for tab in _TABS:
            panel = tag("div", "scroller stack", tabindex=0, role="tabpanel", aria_label=tab)
            panel.props["data-tab-panel"] = tab
            with panel.props("hidden" if tab != begun else ""):
                for name, kind in conversation.SECTIONS.items():
                    if kind.tab == tab:
                        key = "first_seq" if name == conversation.BUFFERS else "id"
                        self._sections[name] = conversation.MemorySection(
                            kind.heading, drawn[name], attrgetter(key)
                        )
        if self.viewer.may_write:
            with self._sections[conversation.META].head:
                realign = partial(self._actions.realign, self.channel)
                parts.button("Realign", realign, kind="small", busy="")
                self._stale = tag("span", "quiet-text", "")
            with self._sections[conversation.FACTS].head:
                add = partial(self._actions.add_fact, self.channel)
                parts.button("Add a fact", add, kind="small")

    def _show(self) -> None:
        with self.viewer.client:
            self._rows.show(self._said)
            self._show_turns()
            self._show_memory()

    def _show_turns(self) -> None:
        place = self._range
        nothing = (
            "These messages are no longer kept." if place.size else "Nothing was said here yet."
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
        return self.viewer.url(_CHANNEL_PATH, channel=self.channel, **place)

    def _show_memory(self) -> None:
        made, kept = self._made, self._kept
        waiting = sum(each.messages for each in kept[conversation.BUFFERS])
        briefs = len(kept[conversation.BRIEF])
        totals = made.facts, made.chunks, made.metas, made.notes, waiting, briefs
        counted = dict.fromkeys(_TABS, 0)
        for (name, kind), total in zip(conversation.SECTIONS.items(), totals, strict=True):
            section, rows = self._sections[name], kept[name]
            none = "None is about the messages shown." if total and kind.ranged else kind.none
            section.show(rows[-_LAST:] if name == conversation.BUFFERS else rows, total, none)
            if kind.ranged:
                section.offer(len(rows), total, self._newest.get(name), partial(self._widen, name))
            if name != conversation.BUFFERS:
                counted[kind.tab] += total
        for tab, many in counted.items():
            parts.reword(self._counts[tab], f"{many:,}")
        if self.viewer.may_write:
            self._sections[conversation.META].head.set_visibility(made.stale > 0)
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
    """Name conversations with a similar name, and wait for its first message."""
    memory = await viewer.reading()
    listed = await memory.channels.list(limit=_NEAR)
    known = {each.channel: each.title or each.channel for each in listed}
    parts.title("No such conversation")
    words = f"There is no conversation “{channel}” in this space. It appears here with its first message."
    html.p(words).props("dir=auto")
    near = get_close_matches(channel, [*known, *known.values()], 5, 0.5)
    found = [next(name for name in known if word in (name, known[name])) for word in near]
    for each in dict.fromkeys(found):
        parts.link(known[each], viewer.url(_CHANNEL_PATH, channel=each))
    with html.p():
        parts.link("All conversations", viewer.url("/conversations"), "button back")

    async def reload() -> None:
        ui.navigate.reload()

    viewer.again(reload, channel=channel, kinds=("message",))
