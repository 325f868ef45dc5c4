"""The page of a person, for the operator or for the person themselves: read, drawn, refreshed and erased."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import html
from nicegui.element import Element

from erstwhile.base.errors import NotFound
from erstwhile.dashboard import parts
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.people import knowledge
from erstwhile.dashboard.people.actions import PersonActions, receipt_card
from erstwhile.dashboard.people.knowledge import Knowledge
from erstwhile.dashboard.people.portrait import Portrait
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.layers.erasure.model import Receipt

_KINDS = ("profile", "told", "day", "structured", "person", "message", "note")


class PersonView:
    """`own`: the person looks at it themselves. `erased` draws what is shown once they are erased."""

    def __init__(self, viewer: Viewer, person: str, erased: Callable[[str], None], *, own: bool = False) -> None:
        self._viewer, self._person, self._erased, self._own = viewer, person, erased, own
        self.actions = PersonActions(viewer, person, own=own)
        self._gone = False

    async def open(self, head: Callable[[Knowledge], None]) -> None:
        known = await self._read()
        self._name = known.name
        self._box: Element = html.div().classes("stack person")
        with self._box:
            self._head = Panel[Knowledge](head, lambda known: known.shown)
            self._head.show(known)
            if known.nothing and not self._own:
                parts.quiet("Nothing is known about them yet.")
            self._portrait = Portrait(self._viewer, self.actions, own=self._own)
            self._portrait.build(known)
        self.actions.changed, self.actions.gone = self._refresh, self._show_receipt
        self.actions.leave = self._viewer.live(self._told, kinds=_KINDS, person=self._person)

    async def _read(self) -> Knowledge:
        memory = await self._viewer.reading()
        read = knowledge.of_oneself if self._own else knowledge.of_person
        return await read(memory, self._viewer.space, self._person)

    async def _told(self, _news: Sequence[Event]) -> None:
        await self._refresh()

    async def _refresh(self) -> None:
        if self._gone:
            return
        try:
            known = await self._read()
            if known.shown is None and self._own:
                raise NotFound(self._person)
        except NotFound:  # erased elsewhere
            self._box.clear()
            with self._box:
                self._erased(self._name) if self._own else parts.problem(f"{self._person} was erased.")
            return
        self._head.show(known)
        self._portrait.show(known)

    def _show_receipt(self, receipt: Receipt) -> None:
        self._gone = True
        self._box.clear()
        with self._box:
            self._erased(self._name)
            receipt_card(receipt)
