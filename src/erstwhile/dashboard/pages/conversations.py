"""Conversations: the channels of a space, the latest first."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import html
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from erstwhile.api.channels import ChannelEntry, ChannelPreview, MemoryCounts
from erstwhile.dashboard import commands, labels, parts
from erstwhile.dashboard.panel import Rows
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer

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
        self._page = min(max(1, viewer.number("page", 1)), 10**6)

    async def read(self) -> list[ChannelEntry]:
        """Read one more than a page shows, to know whether there is another."""
        memory = await self._viewer.reading()
        return await memory.channels.list(
            matching=self._matching or None,
            order=self._order,
            limit=_PAGE + 1,
            offset=(self._page - 1) * _PAGE,
            counts=True,
            previews=True,
        )

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

    def show(self, found: Sequence[ChannelEntry]) -> None:
        with self._viewer.client:
            self._rows.show(found[:_PAGE])
            self._card.set_visibility(bool(found))
            more = len(found) > _PAGE
            hits = f"{len(found[:_PAGE]):,}{'+' if more else ''} found"
            parts.reword(self._hits, hits if self._matching else "")
            said = (bool(found), more, self._matching, self._page)
            if said == self._said:
                return
            self._said = said
            with parts.redrawn(self._none):
                if not found:
                    self._nothing()
            with parts.redrawn(self._turns):
                earlier = self._at(self._page - 1) if self._page > 1 else None
                parts.pages(earlier, self._at(self._page + 1) if more else None)

    async def refresh(self) -> None:
        asked = self._matching, self._order, self._page
        found = await self.read()
        if asked == (self._matching, self._order, self._page):  # else more was typed since
            self.show(found)

    async def _typed(self, event: GenericEventArguments) -> None:
        self._matching, self._page = str(event.args or "").strip()[:500], 1
        await self.refresh()

    async def _ordered(self, event: GenericEventArguments) -> None:
        self._order, self._page = event.args if event.args in _ORDERS else "recent", 1
        await self.refresh()

    def _nothing(self) -> None:
        if self._matching:
            parts.empty(f"No conversation matches “{self._matching}”.")
        elif self._page > 1:
            parts.empty("There are no more conversations.")
        else:
            commands.nothing_yet(self._viewer, "There are no messages in this space yet.")

    def _at(self, number: int) -> str:
        order = None if self._order == "recent" else self._order
        return self._viewer.url(
            _PATH, q=self._matching or None, order=order, page=number if number > 1 else None
        )

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
                html.span(" ".join(seen.text.split()))
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
