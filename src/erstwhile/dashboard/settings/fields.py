"""The elements of the settings forms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.dashboard import parts
from erstwhile.dashboard.viewer import Viewer

Changed = Callable[[str], Awaitable[None] | None]


def line(label: str, value: str = "", *, hint: str = "", secret: bool = False, bare: bool = False) -> ui.input:
    """One line of text; `bare` hides the label. Password managers stay away."""
    with html.div().classes("setting-line"):
        if not bare:
            html.span(label).props("aria-hidden=true")
        made = ui.input(value=value, password=secret).props("outlined dense autocomplete=off")
    made.props["aria-label"] = label
    if hint:
        made.props["placeholder"] = hint
    if secret:
        made.props["autocomplete"] = "new-password"
    return made


def choice(label: str, options: Mapping[str, str], value: str, changed: Changed, *, bare: bool = False) -> Element:
    """A choice of one value; `options` are values with their labels."""
    with html.div().classes("setting-line"):
        if not bare:
            html.span(label).props("aria-hidden=true")
        made = parts.select("", options.items(), value)
        made.props["aria-label"] = label

    async def told(event: Any) -> None:
        answer = changed(str(event.args))
        if answer is not None:
            await answer

    made.on("change", told, js_handler="(event) => emit(event.target.value)")
    return made


def tick(label: str, changed: Callable[[bool], None]) -> None:
    with html.label().classes("row tick"):
        box = html.input_(type="checkbox")
        html.span(label)
    box.on("change", lambda event: changed(bool(event.args)), js_handler="(event) => emit(event.target.checked)")


def pairs(rows: Mapping[str, str]) -> None:
    with html.dl().classes("pairs"):
        for name, value in rows.items():
            html.dt(name)
            html.dd(value).props("dir=auto")


def note(words: str, kind: str = "") -> Element:
    made: Element = html.p(words).classes("setting-note").classes(kind)
    return made


@contextmanager
def table(*headings: str) -> Iterator[None]:
    """A table of `cells`; on a phone each cell is on a line of its own, with its heading."""
    with html.div().classes("scroll"), parts.table(*headings, classes="stacked"):
        yield


@contextmanager
def cell(heading: str) -> Iterator[None]:
    made = html.td()
    made.props["data-label"] = heading
    with made:
        yield


class Busy:
    """`with Busy(button)`: disable a button and say that something is under way."""

    def __init__(self, button: Element, words: str) -> None:
        self._button, self._words = button, words

    def __enter__(self) -> None:
        self._said = self._button._text
        self._button._text = self._words
        self._button.props["disabled"] = True
        self._button.update()

    def __exit__(self, *_: object) -> None:
        if not self._button.is_deleted:
            self._button._text = self._said
            self._button.props.pop("disabled", None)
            self._button.update()


class SettingsPart(ABC):
    """A part of the page that is redrawn after each change. Dialogs are outside it, so that redrawing keeps them."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._aside: Element = html.div()
        self._box: Element = html.div().classes("stack loose")

    @abstractmethod
    async def draw(self) -> None: ...

    async def done(self, words: str, undo: parts.Handler | None = None) -> None:
        """Redraw, then show a toast: the button that was pressed is gone by then."""
        with self._box:
            await self.draw()
            parts.toast(words, undo=undo)

    async def confirm(self, question: str, yes: str, more: str) -> bool:
        with self._aside:
            return await parts.confirm(question, yes, more=more)
