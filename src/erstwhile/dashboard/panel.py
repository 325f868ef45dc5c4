"""Parts and rows of a page that are redrawn only when what they show has changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from nicegui import html
from nicegui.element import Element

T = TypeVar("T")


class Rows(Generic[T]):
    """`key` tells rows apart; `draw` fills one, again only when its item is no longer equal."""

    def __init__(
        self, inside: Element, key: Callable[[T], Hashable], draw: Callable[[Element, T], None]
    ) -> None:
        self._inside, self._key, self._draw = inside, key, draw
        self._rows: dict[Hashable, tuple[Element, T]] = {}

    def show(self, items: Sequence[T]) -> None:
        wanted = {self._key(item): item for item in items}
        for gone in self._rows.keys() - wanted.keys():
            self._rows.pop(gone)[0].delete()
        for key, item in wanted.items():
            self._put(key, item)
        there = self._inside.default_slot.children
        for index, row in enumerate([self._rows[key][0] for key in wanted]):
            if there[index] is not row:
                row.move(target_index=index)

    def _put(self, key: Hashable, item: T) -> None:
        known = self._rows.get(key)
        if known is not None and known[1] == item:
            return
        if known is None:
            with self._inside:
                row: Element = html.div().props("role=listitem data-row")
        else:
            row = known[0]
            row.clear()
        self._rows[key] = (row, item)
        with row:
            self._draw(row, item)


_NEVER = object()


class Panel(Generic[T]):
    """`of` picks what `draw` uses of an item. A panel that sleeps is not drawn until it wakes."""

    def __init__(
        self,
        draw: Callable[[T], object],
        of: Callable[[T], object] = lambda item: item,
        box: Element | None = None,
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
