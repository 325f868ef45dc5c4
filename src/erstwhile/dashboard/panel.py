"""A part of a person's page that follows what is known of them."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import html
from nicegui.element import Element

from erstwhile.dashboard.people.knowledge import Knowledge

_NEVER = object()


class Panel:
    """A part of the page that is drawn anew when what it shows has changed, and left alone otherwise; asleep, it is not drawn at all."""

    def __init__(self, draw: Callable[[Knowledge], None], of: Callable[[Knowledge], object]) -> None:
        self._draw, self._of, self._shown, self._awake = draw, of, _NEVER, True
        self._known: Knowledge | None = None
        self._box: Element = html.div().classes("stack")

    def sleep(self) -> None:
        self._awake = False

    def wake(self) -> None:
        self._awake = True
        if self._known is not None:
            self.show(self._known)

    def show(self, known: Knowledge) -> None:
        self._known = known
        if not self._awake:
            return
        now = self._of(known)
        if now == self._shown:
            return
        self._shown = now
        self._box.clear()
        with self._box:
            self._draw(known)
