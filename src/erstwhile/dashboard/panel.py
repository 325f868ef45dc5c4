"""A part of a page that is redrawn when what it shows has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from nicegui import html
from nicegui.element import Element

T = TypeVar("T")
_NEVER = object()


class Panel(Generic[T]):
    """`of` picks what `draw` uses of an item. A panel that sleeps is not drawn until it wakes."""

    def __init__(
        self, draw: Callable[[T], None], of: Callable[[T], object] = lambda item: item, box: Element | None = None
    ) -> None:
        self._draw, self._of, self._shown, self._awake = draw, of, _NEVER, True
        self._item: T | None = None
        self._box: Element = box or html.div().classes("stack")

    def sleep(self) -> None:
        self._awake = False

    def wake(self) -> None:
        self._awake = True
        if self._item is not None:
            self.show(self._item)

    def show(self, item: T) -> None:
        self._item = item
        now = self._of(item)
        if not self._awake or now == self._shown:
            return
        self._shown = now
        self._box.clear()
        with self._box:
            self._draw(item)
