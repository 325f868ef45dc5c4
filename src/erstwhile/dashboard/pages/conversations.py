"""Conversations: the channels of a space, the latest first."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import html
from nicegui.element import Element

from erstwhile.api.channels import ChannelShown, MemoryCounts
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.panel import Rows
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event

_PATH = "/conversations"
_PAGE = 50
_ORDERS = {"recent": "Latest", "name": "Name"}


@page(_PATH)
async def conversations(viewer: Viewer) -> None:
    shown = Listing(viewer)
    found = await shown.read()
    shown.draw()
    shown.show(found)
    viewer.live(shown.told)


class Listing:
    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._matching = viewer.asked("q").strip()[:500]
        self._order = viewer.asked("order") if viewer.asked("order") in _ORDERS else "recent"
        self._page = min(max(1, viewer.number("page", 1)), 10**6)

    async def read(self) -> list[ChannelShown]:
        """Read one more than a page shows, to know whether there is another."""
        memory = await self._viewer.reading()
        return await memory.channels.list(
            space=self._viewer.space,
            matching=self._matching or None,
            order=self._order,
            limit=_PAGE + 1,
            offset=(self._page - 1) * _PAGE,
            counts=True,
        )

    def draw(self) -> None:
        parts.title("Conversations")
        self._filters()
        self._none: Element = html.div().classes("maybe")
        with html.section().classes("card") as self._card:
            inside: Element = html.div().classes("list").props("role=list")
        self._rows = Rows[ChannelShown](inside, lambda each: each.channel, self._row)
        self._turns: Element = html.div().classes("maybe")
        self._said: tuple[bool, bool] | None = None

    def show(self, found: Sequence[ChannelShown]) -> None:
        with self._viewer.client:
            self._rows.show(found[:_PAGE])
            self._card.set_visibility(bool(found))
            said = (bool(found), len(found) > _PAGE)
            if said == self._said:
                return
            self._said = said
            self._none.clear()
            self._turns.clear()
            with self._none:
                if not found:
                    self._nothing()
            with self._turns:
                earlier = self._at(self._page - 1) if self._page > 1 else None
                parts.pages(earlier, self._at(self._page + 1) if said[1] else None)

    async def told(self, _news: Sequence[Event]) -> None:
        self.show(await self.read())

    def _filters(self) -> None:
        with parts.form(self._viewer, _PATH, "row filters") as form:
            form.props("role=search")
            with parts.field("Name"):
                html.input_(type="search", name="q", value=self._matching, placeholder="Part of a name").props(
                    "data-search dir=auto maxlength=500"
                )
            with parts.field("Order", "short"):
                parts.select("order", _ORDERS.items(), self._order)
            html.button("Show", type="submit").classes("button")
            if self._matching:
                parts.link("All", self._viewer.url(_PATH), "button", "quiet")

    def _nothing(self) -> None:
        if self._matching:
            parts.empty("No conversation has this in its name.")
        elif self._page > 1:
            parts.empty("There are no more conversations.")
        else:
            parts.empty(
                "There are no messages in this space yet. Add one:",
                'erstwhile add hello user "I moved to Busan last week" --person alice',
            )

    def _at(self, number: int) -> str:
        order = None if self._order == "recent" else self._order
        return self._viewer.url(_PATH, q=self._matching or None, order=order, page=number if number > 1 else None)

    def _row(self, row: Element, shown: ChannelShown) -> None:
        row.classes("channel-row")
        name = shown.title or shown.channel
        parts.link(name, self._viewer.url("/conversations/channel", channel=shown.channel), "name")
        with html.span().classes("at"):
            if shown.last_at is not None:
                parts.moment(shown.last_at)
        made = shown.made or MemoryCounts()
        with html.div().classes("details"):
            if shown.privacy:
                parts.badge(shown.privacy)
            if shown.title:
                html.span(shown.channel)
            html.span(labels.count(shown.size, "message"))
            for number, one in (
                (made.metas, "meta"),
                (made.chunks, "chunk"),
                (made.facts, "fact"),
                (made.notes, "note"),
            ):
                if number:
                    html.span(labels.count(number, one))
            if made.stale:
                parts.badge(f"{made.stale:,} stale", "warn")
