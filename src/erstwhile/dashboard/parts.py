"""The elements pages are made of.

What people wrote is only ever a text or the value of an attribute, never markup, props or script.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.dashboard import paths

if TYPE_CHECKING:
    from erstwhile.dashboard.viewer import Viewer

Handler = Callable[[], Awaitable[None] | None]

_CODE = re.compile(r"(`[^`]+`|\bERSTWHILE_[A-Z_]+(?:=\w+)?)")


def icon(name: str) -> Element:
    """An icon of static/icons.svg; beside a text, or on a control that has a name."""
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
    """A text that somebody wrote: with its line breaks, in its own direction."""
    made: Element = html.div(words).classes("text").classes(" ".join(classes)).props("dir=auto")
    return made


def button(label: str, on_click: Handler, *, kind: str = "", name: str | None = None) -> Element:
    """Make a button. `kind` is primary, danger or quiet; `name` is for screen readers."""
    made: Element = html.button(label, type="button").classes("button").classes(kind)
    if name is not None:
        made.props["aria-label"] = name
    made.on("click", on_click, args=[])
    return made


def badge(words: str, kind: str = "") -> Element:
    made: Element = html.span(words).classes("badge").classes(kind)
    return made


def draft() -> None:
    """Mark what was made without a model."""
    badge("draft").props["title"] = "Made without a model; replaced when a model is available."


def crumb(label: str, url: str) -> None:
    """A link before a title, to the list it belongs to."""
    link(label, url, "crumb")
    html.span("›").classes("quiet-text").props("aria-hidden=true")


def moment(at: datetime) -> Element:
    """Show a time, in full on hover; dashboard.js converts it to the reader's time zone."""
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


class Section:
    """A collapsible section. The browser keeps it open or closed while its content is redrawn."""

    def __init__(self, heading: str, *, open: bool = True) -> None:
        self.whole: Element = html.details().classes("section")
        if open:
            self.whole.props["open"] = True
        with self.whole:
            with html.summary():
                html.span(heading).classes("heading")
                self.count: Element = html.span("").classes("count")
            self.inside: Element = html.div().classes("inside")


@contextmanager
def section(heading: str, count: int | None = None, *, open: bool = True) -> Iterator[Element]:
    made = Section(heading, open=open)
    if count is not None:
        reword(made.count, f"{count:,}")
    with made.inside:
        yield made.inside


def later(heading: str, count: int, draw: Callable[[], None]) -> None:
    """A closed section whose content is drawn when it is first opened."""
    made = Section(heading, open=False)
    reword(made.count, f"{count:,}")

    def opened() -> None:
        if not made.inside.default_slot.children:
            with made.inside:
                draw()

    made.whole.on("toggle", opened, args=[])


def empty(words: str, next_command: str = "") -> None:
    """Say why there is nothing yet, and give the next command."""
    with html.div().classes("empty"):
        html.p(words)
        if next_command:
            command(next_command)


def command(text: str) -> Element:
    """A command, or another text to be copied whole."""
    with html.div().classes("command"):
        made: Element = html.code(text)
        copy(text)
    return made


def copy(words: str, label: str = "Copy") -> Element:
    """Copy a text to the clipboard, in the browser alone."""
    made: Element = html.button(label, type="button").classes("button quiet")
    made.props["data-copy"] = words
    return made


def problem(words: str) -> None:
    with html.div().classes("problem").props("role=alert"):
        html.p(words)


def toasts() -> None:
    """The place where toasts appear; one per page."""
    html.div().classes("toasts").props("role=status aria-live=polite id=toasts").mark("toasts")


SHOWN_SECONDS = 12.0  # what can be undone, and what went wrong


def toast(words: str, *, undo: Handler | None = None, wrong: bool = False) -> Callable[[], None]:
    """Say what was done and, for a while, offer to undo it. Call the result when that is too late."""
    found = [each for each in ui.context.client.elements.values() if "toasts" in each._markers]
    if not found:
        return lambda: None
    offered: list[Element] = []
    with found[0]:
        made: Element = html.div().classes("toast").classes("wrong" if wrong else "")
        with made:
            said: Element = html.span(words).props("dir=auto")
            if undo is not None:

                async def back() -> None:
                    made.delete()
                    answer = undo()
                    if answer is not None:
                        await answer

                offered.append(button("Undo", back, kind="quiet"))
            button("Dismiss", made.delete, kind="quiet")

        def over() -> None:
            if not made.is_deleted:  # it was dismissed, or undone, before
                made.delete()

        ui.timer(SHOWN_SECONDS if undo or wrong else 5.0, over, once=True)

    def late() -> None:
        if offered and not made.is_deleted:
            offered.pop().delete()
            reword(said, f"{words} It was changed again since: too late to undo.")

    return late


@contextmanager
def dialog(heading: str, *, wide: bool = False) -> Iterator[ui.dialog]:
    """Closed at first: open it, or wait for what is submitted."""
    with ui.dialog() as made, html.div().classes("dialog").props("role=document") as inside:
        inside.classes("wide" if wide else "")
        html.h2(heading).props("dir=auto")
        yield made


async def confirm(question: str, yes: str, *, more: str = "") -> bool:
    """Ask before something that can't be undone."""
    with dialog(question) as asked:
        if more:
            html.p(more).props("dir=auto")
        with html.div().classes("row end"):
            button("Cancel", lambda: asked.submit(False), kind="quiet")
            button(yes, lambda: asked.submit(True), kind="danger")
    answer: Any = await asked
    asked.delete()
    return bool(answer)


async def ask_text(heading: str, words: str, *, save: str = "Save") -> str | None:
    """Ask for a text; None when it was cancelled."""
    with dialog(heading, wide=True) as asked:
        area = ui.textarea(value=words).props('autogrow outlined aria-label="Text" input-class=text').classes("grow")
        with html.div().classes("row end"):
            button("Cancel", lambda: asked.submit(None), kind="quiet")
            button(save, lambda: asked.submit(area.value), kind="primary")
    answer: Any = await asked
    asked.delete()
    return None if answer is None else str(answer)


def link(label: str, url: str, *classes: str) -> Element:
    """A link within the dashboard."""
    made: Element = html.a(label, href=url).classes(" ".join(classes)).props("dir=auto")
    return made


def pages(before: str | None, after: str | None, labels: tuple[str, str] = ("Newer", "Older"), place: str = "") -> None:
    """Links to the page before and after; a list that fits one page has none."""
    if before is None and after is None:
        return
    with html.nav().classes("row pages").props('aria-label="More"'):
        if before is not None:
            link(f"‹ {labels[0]}", before, "button")
        if place:
            html.span(place).classes("quiet-text")
        if after is not None:
            link(f"{labels[1]} ›", after, "button")


@contextmanager
def form(viewer: Viewer, path: str, *classes: str, **hidden: str | None) -> Iterator[Element]:
    """A form that goes to a page of the same space; `hidden` values go along."""
    made: Element = html.form(method="get", action=path).classes(" ".join(classes))
    with made:
        for name, value in {"space": viewer.given.get("space"), **hidden}.items():
            if value:
                html.input_(type="hidden", name=name, value=value)
        yield made


def field(label: str, *classes: str) -> Element:
    """A label for the control that is put into it."""
    made: Element = html.label().classes("field").classes(" ".join(classes))
    with made:
        html.span(label)
    return made


def select(name: str, every: Iterable[tuple[str, str]], chosen: str) -> Element:
    """One of several values, each with what is shown for it."""
    made: Element = html.select(name=name) if name else html.select()
    with made:
        for value, label in every:
            option = html.option(label, value=value)
            if value == chosen:
                option.props["selected"] = True
    return made


def suggestions(id: str, values: Iterable[tuple[str, str]]) -> None:
    """What an input offers to choose from; anything else can be typed."""
    with html.datalist(id=id):
        for value, label in values:
            html.option(value=value, label=label if label != value else "")


def count(number: int, noun: str, plural: str = "") -> str:
    """ "1 note", "1,200 notes"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def tile(name: str, value: str = "") -> Element:
    """A figure with its name, in a list of tiles."""
    with html.div().classes("tile"):
        html.dt(name)
        made: Element = html.dd(value).classes("figure")
    made.props["data-figure"] = name.lower()
    return made


def quiet(words: str) -> Element:
    made: Element = html.p(words).classes("quiet-text")
    return made


def message_link(viewer: Viewer, channel: str, seq: int | None, label: str, *classes: str) -> Element:
    """To a message in its conversation, or to the conversation."""
    return link(label, viewer.url("/conversations/channel", channel=channel, seq=seq), *classes)


def person_link(viewer: Viewer, person: str, name: str, *classes: str) -> Element:
    return link(name, viewer.url("/people/person", person=person), *classes)


@contextmanager
def table(*headings: str, numbers: Collection[str] = (), classes: str = "") -> Iterator[None]:
    """A table whose rows are made inside; columns of `numbers` are aligned to the right."""
    with html.table().classes("table").classes(classes):
        with html.thead(), html.tr():
            for each in headings:
                html.th(each).props("scope=col").classes("number" if each in numbers else "")
        with html.tbody():
            yield


def advice(words: str, *classes: str) -> None:
    """A text in which commands (`like this`) and settings stand out."""
    with html.p().classes(" ".join(classes)).props("dir=auto"):
        for at, piece in enumerate(_CODE.split(words)):
            if piece:
                (html.code if at % 2 else html.span)(piece.strip("`"))


def reword(element: Element, words: str) -> None:
    """Change a text in place; the same text is not sent again."""
    if element._text != words:
        element._text = words
        element.update()
