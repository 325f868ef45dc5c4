"""The elements pages are made of.

What people wrote is only ever a text or the value of an attribute, never markup, props or script.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from nicegui import html
from nicegui.element import Element

from erstwhile.dashboard import paths

if TYPE_CHECKING:
    from erstwhile.dashboard.viewer import Viewer

Handler = Callable[[], Awaitable[object] | None]
Choices = Iterable[tuple[str, str]]  # values, each with what is shown for it
Cell = str | Callable[[], object]  # a text, or what draws one

_CODE = re.compile(r"(`[^`]+`|\bERSTWHILE_[A-Z_]+(?:=\w+)?)")


def tag(name: str, classes: str = "", words: str | None = None, /, **attributes: object) -> Element:
    """`aria_label` is the attribute aria-label; one that is None or False is left out."""
    made = Element(name).classes(classes)
    made._text = words
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    if name == "input":  # an attribute: as a property it would replace what is being typed
        given["^value"] = given.pop("value", None)
    made.props.update(
        {key: value for key, value in given.items() if value is not None and value is not False}
    )
    return made


def icon(name: str) -> Element:
    """Add an icon of static/icons.svg; beside a text, or on a control that has a name."""
    with tag("svg", "icon", aria_hidden="true", viewBox="0 0 24 24") as made:
        tag("use", href=f"{paths.static('icons.svg')}#{name}")
    return made


def title(text: str, about: str = "") -> None:
    """Add the page's only h1."""
    html.h1(text).props("dir=auto")
    if about:
        html.p(about).classes("about")


def text(words: str, classes: str = "") -> Element:
    """Add a text that somebody wrote: with its line breaks, in its own direction."""
    return tag("div", f"text {classes}", words, dir="auto")


def said(words: str | None, classes: str = "") -> None:
    """Add a few words, in their own direction; nothing where there are none."""
    if words:
        tag("span", classes, words, dir="auto")


def quiet(words: str) -> Element:
    return tag("p", "quiet-text", words)


def control(
    classes: str, label: str | None = None, *, pressed: bool | None = None, **attributes: object
) -> Element:
    """Add a button that a script of the page handles. `pressed`: it chooses one of several."""
    turned = None if pressed is None else str(pressed).lower()
    return tag("button", classes, label, type="button", aria_pressed=turned, **attributes)


def button(
    label: str,
    on_click: Handler,
    *,
    kind: str = "",
    name: str | None = None,
    busy: str | None = None,
) -> Element:
    """Make a button. `kind` is primary, danger or quiet; `name` is for screen readers. With `busy`,
    the button is disabled while it works, and says so in these words, if any."""
    made = control(f"button {kind}", label, aria_label=name)

    async def work() -> None:
        with busy_button(made, busy or ""):
            answer = on_click()
            if answer is not None:
                await answer

    return made.on("click", on_click if busy is None else work, args=[])


@contextmanager
def busy_button(button: Element, words: str) -> Iterator[None]:
    """Disable a button and say that something is under way."""
    before = button._text
    button._text = words or before
    button.props["disabled"] = True
    button.update()
    try:
        yield
    finally:
        if not button.is_deleted:
            button._text = before
            button.props.pop("disabled", None)
            button.update()


def badge(words: str, kind: str = "") -> Element:
    return tag("span", f"badge {kind}", words)


def badge_if(shown: object, words: str, kind: str = "") -> None:
    if shown:
        badge(words, kind)


def draft(shown: bool) -> None:
    """Mark what was made without a model."""
    if shown:
        badge("draft").props["title"] = "Made without a model; replaced when a model is available."


def crumb(label: str, url: str) -> None:
    """Add a link before a title, to the list it belongs to."""
    link(label, url, "crumb")
    tag("span", "quiet-text", "›", aria_hidden="true")


def moment(at: datetime) -> Element:
    """Show a time, in full on hover; dashboard.js converts it to the reader's time zone."""
    full = at.astimezone(UTC).isoformat(timespec="seconds")
    return tag("time", "", at.astimezone(UTC).strftime("%Y-%m-%d %H:%M"), datetime=full, title=full)


@contextmanager
def card(heading: str = "", classes: str = "") -> Iterator[Element]:
    with tag("section", f"card {classes}") as made:
        if heading:
            html.h2(heading)
        yield made


class Section:
    """A collapsible section. The browser keeps it open or closed while its content is redrawn."""

    def __init__(self, heading: str, *, open: bool = True) -> None:
        with tag("details", "section", open=open) as self.whole:
            with html.summary():
                html.span(heading).classes("heading")
                self.count = tag("span", "count", "")
            self.inside = tag("div", "inside")


@contextmanager
def section(heading: str, count: int | None = None, *, open: bool = True) -> Iterator[Element]:
    made = Section(heading, open=open)
    if count is not None:
        reword(made.count, f"{count:,}")
    with made.inside:
        yield made.inside


def later(heading: str, count: int, draw: Callable[[], None]) -> None:
    """Add a closed section whose content is drawn when it is first opened."""
    made = Section(heading, open=False)
    reword(made.count, f"{count:,}")

    def opened() -> None:
        if not made.inside.default_slot.children:
            with made.inside:
                draw()

    made.whole.on("toggle", opened, args=[])


@contextmanager
def redrawn(box: Element) -> Iterator[None]:
    box.clear()
    with box:
        yield


def empty(words: str, next_command: str = "") -> None:
    """Say why there is nothing yet, and give the next command."""
    with html.div().classes("empty"):
        html.p(words)
        if next_command:
            command(next_command)


def command(text: str, classes: str = "") -> None:
    """Add a command, or another text to be copied whole."""
    with html.div().classes("command"):
        html.code(text).classes(classes)
        copy(text)


def copy(words: str, label: str = "Copy") -> None:
    """Copy a text to the clipboard, in the browser alone."""
    control("button quiet", label, data_copy=words)


def problem(words: str) -> None:
    with html.div().classes("problem").props("role=alert"):
        html.p(words)


def spinner() -> None:
    tag("span", "spinner", aria_hidden="true")


def link(
    label: str, url: str, classes: str = "", *, here: str | None = None, name: str | None = None
) -> Element:
    """`here` is the value of aria-current where it leads to what is shown."""
    shown = f"{classes} here" if here else classes
    return tag("a", shown, label, href=url, dir="auto", aria_current=here, aria_label=name)


FIRST_OR_NEXT = ("First page", "Next")


def pages(
    before: str | None,
    after: str | None,
    labels: tuple[str, str] = ("Newer", "Older"),
    place: str = "",
) -> None:
    """Add links to the page before and after; a list that fits one page has none."""
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
def form(viewer: Viewer, path: str, classes: str, **hidden: str | None) -> Iterator[Element]:
    """Add a form that goes to a page of the same space; `hidden` values go along."""
    with tag("form", classes, method="get", action=path) as made:
        for name, value in {"space": viewer.given.get("space"), **hidden}.items():
            if value:
                tag("input", type="hidden", name=name, value=value)
        yield made


def submit(label: str, classes: str = "", name: str | None = None) -> None:
    tag("button", f"button {classes}", label, type="submit", aria_label=name)


def field(label: str, classes: str = "") -> Element:
    """Add a label for the control that is put into it."""
    with tag("label", f"field {classes}") as made:
        html.span(label)
    return made


def entry(label: str, name: str, value: str, **attributes: object) -> None:
    with field(label):
        tag("input", name=name, value=value, **attributes)


def select(name: str, every: Choices, chosen: str, **attributes: object) -> Element:
    """Add a choice of one of several values, each with what is shown for it."""
    with tag("select", "", name=name or None, **attributes) as made:
        for value, label in every:
            tag("option", "", label, value=value, selected=value == chosen)
    return made


def suggestions(id: str, values: Choices) -> None:
    """Add what an input offers to choose from; anything else can be typed."""
    with html.datalist(id=id):
        for value, label in values:
            html.option(value=value, label=label if label != value else "")


def count(number: int, noun: str, plural: str = "") -> str:
    """ "1 note", "1,200 notes"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def message_link(
    viewer: Viewer, channel: str, seq: int | None, label: str, classes: str = ""
) -> Element:
    """Add a link to a message in its conversation, or to the conversation."""
    return link(label, viewer.url("/conversations/channel", channel=channel, seq=seq), classes)


def person_link(viewer: Viewer, person: str, name: str, classes: str = "") -> Element:
    return link(name, viewer.url("/people/person", person=person), classes)


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    numbers: Collection[str] = (),
    stacked: bool = False,
    heads: bool = False,
) -> None:
    """Add a table. Columns of `numbers` are aligned to the right. `stacked`: on a phone each cell is on
    a line of its own, with its heading. `heads`: the first cell of a row names it."""
    with html.table().classes("table stacked" if stacked else "table"):
        with html.thead(), html.tr():
            for each in headings:
                kind = "number" if each in numbers and not heads else ""
                tag("th" if each else "td", kind, each, scope="col" if each else None)
        with html.tbody():
            for row in rows:
                with html.tr():
                    for at, (heading, cell) in enumerate(zip(headings, row, strict=True)):
                        words = cell if isinstance(cell, str) else None
                        kind = "number" if heading in numbers else ""
                        name = heading if stacked else None
                        first = heads and at == 0
                        named = {"data_label": name, "scope": "row" if first else None}
                        with tag("th" if first else "td", kind, words, **named):
                            if not isinstance(cell, str):
                                cell()


def scroll(name: str) -> Element:
    """Add what scrolls by itself where it is wider than the page, also by keyboard."""
    return tag("div", "scroll", tabindex=0, role="region", aria_label=name)


def advice(words: str, classes: str = "") -> None:
    """Add a text in which commands (`like this`) and settings stand out."""
    with html.p().classes(classes).props("dir=auto"):
        for at, piece in enumerate(_CODE.split(words)):
            if piece:
                (html.code if at % 2 else html.span)(piece.strip("`"))


def reword(element: Element, words: str) -> None:
    """Change a text in place; the same text is not sent again."""
    if element._text != words:
        element._text = words
        element.update()
