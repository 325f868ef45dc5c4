"""Toasts that say what was done, and dialogs that ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.dashboard.parts import Handler, button, reword, tag


def toasts() -> None:
    """Add the place where toasts appear; one per page."""
    html.div().classes("toasts").props("role=status aria-live=polite id=toasts").mark("toasts")


SHOWN_SECONDS = 12.0  # what can be undone, and what went wrong


def toast(words: str, *, undo: Handler | None = None, wrong: bool = False) -> Callable[[], None]:
    """Say what was done and how to undo it. Call the result when that is too late."""
    found = [each for each in ui.context.client.elements.values() if "toasts" in each._markers]
    if not found:
        return lambda: None
    offered: list[Element] = []
    with found[0], tag("div", "toast wrong" if wrong else "toast") as made:
        told = tag("span", "", words, dir="auto")
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

    with found[0]:
        ui.timer(SHOWN_SECONDS if undo or wrong else 5.0, over, once=True)

    def late() -> None:
        if offered and not made.is_deleted:
            offered.pop().delete()
            reword(told, f"{words} It was changed again since: too late to undo.")

    return late


@contextmanager
def dialog(heading: str, *, wide: bool = False) -> Iterator[ui.dialog]:
    """Add a dialog, closed at first: open it, or wait for what is submitted."""
    with ui.dialog() as made, tag("div", "dialog wide" if wide else "dialog", role="document"):
        html.h2(heading).props("dir=auto")
        yield made


@contextmanager
def notice(heading: str, close: str, kind: str = "") -> Iterator[ui.dialog]:
    """Add a dialog that is opened at once, with a button to close it."""
    with dialog(heading, wide=True) as made:
        yield made
        with html.div().classes("row end"):
            button(close, made.close, kind=kind)
    made.on("hide", made.delete, args=[])
    made.open()


def choices(asked: ui.dialog, yes: str, on_yes: Handler, kind: str) -> None:
    """Add the buttons at the end of a dialog: Cancel submits None."""
    with html.div().classes("row end"):
        button("Cancel", lambda: asked.submit(None), kind="quiet")
        button(yes, on_yes, kind=kind)


async def answer(asked: ui.dialog) -> Any:
    given = await asked
    asked.delete()
    return given


async def confirm(question: str, yes: str, *, more: str = "") -> bool:
    """Ask before something that can't be undone."""
    with dialog(question) as asked:
        if more:
            html.p(more).props("dir=auto")
        choices(asked, yes, lambda: asked.submit(True), "danger")
    return bool(await answer(asked))


def text_area(label: str, words: str = "") -> ui.textarea:
    area = ui.textarea(value=words).props("autogrow outlined").classes("grow")
    area.props["aria-label"] = label
    return area


async def ask_text(heading: str, words: str, *, save: str = "Save") -> str | None:
    """Ask for a text; None when it was cancelled."""
    with dialog(heading, wide=True) as asked:
        area = text_area("Text", words).props("input-class=text")
        choices(asked, save, lambda: asked.submit(str(area.value)), "primary")
    given: str | None = await answer(asked)
    return given
