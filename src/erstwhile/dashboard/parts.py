"""The pieces pages are made of. Whatever people wrote goes in as text or as the value of an attribute, never as markup, props or script."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.dashboard import paths

Handler = Callable[[], Awaitable[None] | None]

_CODE = re.compile(r"(`[^`]+`|\bERSTWHILE_[A-Z_]+(?:=\w+)?)")


def icon(name: str) -> Element:
    """One of static/icons.svg; beside words, or on a control that has a name."""
    made = ui.element("svg").classes("icon").props('aria-hidden=true viewBox="0 0 24 24"')
    with made:
        ui.element("use").props["href"] = f"{paths.static('icons.svg')}#{name}"
    return made


def title(text: str, about: str = "") -> None:
    """The page's only h1."""
    html.h1(text).props("dir=auto")
    if about:
        html.p(about).classes("about")


def text(words: str, *classes: str) -> Element:
    """What somebody wrote: as it is, line breaks too, in its own direction."""
    made: Element = html.div(words).classes("text").classes(" ".join(classes)).props("dir=auto")
    return made


def button(label: str, on_click: Handler, *, kind: str = "", name: str | None = None) -> Element:
    """`kind`: primary, danger or quiet. `name` is what a screen reader says, where the label alone is not enough."""
    made: Element = html.button(label, type="button").classes("button").classes(kind)
    if name is not None:
        made.props["aria-label"] = name
    made.on("click", on_click, args=[])
    return made


def badge(words: str, kind: str = "") -> Element:
    made: Element = html.span(words).classes("badge").classes(kind)
    return made


def draft() -> None:
    """On what was made without a model."""
    badge("draft").props["title"] = "Made without a model; a model writes it anew when there is one."


def crumb(label: str, url: str) -> None:
    """Before a title: the list it is from."""
    link(label, url)
    html.span("›").classes("quiet-text").props("aria-hidden=true")


def moment(at: datetime) -> Element:
    """A time: short in the page, whole for whoever points at it; dashboard.js shows it in the reader's own zone."""
    made: Element = html.time(at.astimezone(UTC).strftime("%Y-%m-%d %H:%M"))
    made.props["datetime"] = made.props["title"] = at.astimezone(UTC).isoformat(timespec="seconds")
    return made


@contextmanager
def card(heading: str = "", *classes: str) -> Iterator[Element]:
    made: Element = html.section().classes("card").classes(" ".join(classes))
    with made:
        if heading:
            html.h2(heading)
        yield made


@contextmanager
def section(heading: str, count: int | None = None, *, open: bool = True) -> Iterator[Element]:
    """Collapsible; the browser keeps it open or closed, also while what is in it is shown anew."""
    made: Element = html.details().classes("section")
    if open:
        made.props["open"] = True
    with made:
        with html.summary():
            html.span(heading).classes("heading")
            if count is not None:
                html.span(f"{count:,}").classes("count")
        with html.div().classes("inside") as inside:
            yield inside


def later(heading: str, count: int, draw: Callable[[], None]) -> None:
    """A closed section whose inside is drawn when it is first opened: what is seldom looked at costs a page nothing."""
    with section(heading, count, open=False) as inside:
        pass

    def opened() -> None:
        if not inside.default_slot.children:
            with inside:
                draw()

    around = inside.parent_slot
    if around is not None:
        around.parent.on("toggle", opened, args=[])


def empty(words: str, command: str = "") -> None:
    """Nothing is there yet: why, and the very next command."""
    with html.div().classes("empty"):
        html.p(words)
        if command:
            with html.div().classes("command"):
                html.code(command)
                copy(command)


def copy(words: str, label: str = "Copy") -> Element:
    """Puts words on the clipboard, in the browser alone."""
    made: Element = html.button(label, type="button").classes("button quiet")
    made.props["data-copy"] = words
    return made


def problem(words: str) -> None:
    with html.div().classes("problem").props("role=alert"):
        html.p(words)


def toasts() -> None:
    """Where short messages appear; one to a page."""
    html.div().classes("toasts").props("role=status aria-live=polite id=toasts").mark("toasts")


def toast(words: str, *, undo: Handler | None = None, wrong: bool = False) -> None:
    """Says what was done and, for a while, offers to undo it."""
    found = [each for each in ui.context.client.elements.values() if "toasts" in each._markers]
    if not found:
        return
    with found[0]:
        made: Element = html.div().classes("toast").classes("wrong" if wrong else "")
        with made:
            html.span(words).props("dir=auto")
            if undo is not None:

                async def back() -> None:
                    made.delete()
                    answer = undo()
                    if answer is not None:
                        await answer

                button("Undo", back, kind="quiet")
            button("Dismiss", made.delete, kind="quiet")

        def over() -> None:
            if not made.is_deleted:  # it was dismissed, or undone, before
                made.delete()

        ui.timer(12.0 if undo or wrong else 5.0, over, once=True)


async def sure(question: str, yes: str, *, more: str = "") -> bool:
    """Asks before what can't be undone."""
    with ui.dialog() as dialog, html.div().classes("dialog").props("role=document"):
        html.h2(question).props("dir=auto")
        if more:
            html.p(more).props("dir=auto")
        with html.div().classes("row end"):
            button("Cancel", lambda: dialog.submit(False), kind="quiet")
            button(yes, lambda: dialog.submit(True), kind="danger")
    answer: Any = await dialog
    dialog.delete()
    return bool(answer)


async def written(heading: str, words: str, *, save: str = "Save") -> str | None:
    """Asks for words; None when they are not to be kept."""
    with ui.dialog() as dialog, html.div().classes("dialog wide").props("role=document"):
        html.h2(heading)
        area = ui.textarea(value=words).props('autogrow outlined aria-label="Text" input-class=text').classes("grow")
        with html.div().classes("row end"):
            button("Cancel", lambda: dialog.submit(None), kind="quiet")
            button(save, lambda: dialog.submit(area.value), kind="primary")
    answer: Any = await dialog
    dialog.delete()
    return None if answer is None else str(answer)


def link(label: str, url: str, *classes: str) -> Element:
    """Within the dashboard."""
    made: Element = html.a(label, href=url).classes(" ".join(classes)).props("dir=auto")
    return made


def pages(earlier: str | None, later: str | None) -> None:
    """Links to the page before and after; a list that is whole has none."""
    if earlier is None and later is None:
        return
    with html.nav().classes("row pages").props('aria-label="More"'):
        if earlier is not None:
            link("‹ Newer", earlier, "button")
        if later is not None:
            link("Older ›", later, "button")


def worded(words: str, *classes: str) -> None:
    """Advice: the commands (`so`) and settings in it stand out."""
    with html.p().classes(" ".join(classes)).props("dir=auto"):
        for at, piece in enumerate(_CODE.split(words)):
            if piece:
                (html.code if at % 2 else html.span)(piece.strip("`"))


def reword(element: Element, words: str) -> None:
    """Other words in the same place; the same again are not sent."""
    if element._text != words:
        element._text = words
        element.update()
