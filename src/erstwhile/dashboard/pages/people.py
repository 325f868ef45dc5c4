"""People: everyone who has written, the latest first."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import html, ui

from erstwhile.api.page import Page
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.log.people import PersonShown

_PAGE = 50
_PAUSE = 1.0  # seconds between two refreshes


@page("/people")
async def people(viewer: Viewer) -> None:
    memory = await viewer.reading()
    named, number = viewer.asked("named").strip(), max(viewer.number("page", 1), 1)

    async def found() -> Page[PersonShown]:
        return await memory.people.list(
            space=viewer.space, matching=named or None, offset=(number - 1) * _PAGE, limit=_PAGE
        )

    known = await found()
    parts.title("People", "Who has written here, under which names, and what is remembered about them.")
    if not known.total and not named:
        parts.empty(
            "Nobody has written yet. Add a message with a person:",
            'erstwhile add hello user "I moved to Busan last week" --person alice --name Alice',
        )
    else:
        _filter(viewer, named)
    panel = Panel[Page[PersonShown]](
        lambda known: _rows(viewer, known, named, number), of=lambda known: (list(known), known.total)
    )
    panel.show(known)

    async def told(_news: Sequence[Event]) -> None:
        panel.show(await found())

    viewer.live(told, kinds=("person", "message"), pause=_PAUSE)


def _filter(viewer: Viewer, named: str) -> None:
    with parts.form(viewer, "/people", "row") as form:
        form.props("role=search")
        box = ui.element("input").props(
            'type=search name=named aria-label="Name or id" placeholder="Name or id" data-search'
        )
        box.classes("plain filter").props["value"] = named
        html.button("Show", type="submit").classes("button")
        if named:
            parts.link("Everyone", viewer.url("/people"), "button", "quiet")


def _rows(viewer: Viewer, known: Page[PersonShown], named: str, number: int) -> None:
    if not known:
        if named or number > 1:
            parts.quiet("Nobody by that name." if named else "Nobody is on this page.")
        return
    first = (number - 1) * _PAGE + 1
    parts.quiet(f"{first:,} to {first + len(known) - 1:,} of {known.total or 0:,}").props("role=status")
    with html.ul().classes("list card people"):
        for each in known:
            _row(viewer, each)
    asked = {"named": named or None}
    earlier = viewer.url("/people", **asked, page=number - 1) if number > 1 else None
    later = viewer.url("/people", **asked, page=number + 1) if number * _PAGE < (known.total or 0) else None
    parts.pages(earlier, later)


def _row(viewer: Viewer, each: PersonShown) -> None:
    with html.li().classes("person-row").props("data-row"):
        with html.div().classes("stack who"):
            with html.div().classes("row"):
                parts.person_link(viewer, each.person, each.name, "name")
                if each.name != each.person:
                    html.code(each.person).props("dir=auto").classes("quiet-text")
                badges(each)
            if len(each.names) > 1:
                before = ", ".join(name.name for name in each.names[1:6])
                html.span(f"before: {before}").classes("quiet-text small-text").props("dir=auto")
        html.span(labels.count(each.messages, "message")).classes("number quiet-text")
        with html.span().classes("quiet-text heard"):
            if each.last_at is None:
                html.span("no messages")
            else:
                parts.moment(each.last_at)


def badges(each: PersonShown) -> None:
    if each.blocked:
        parts.badge("blocked", "bad")
    if each.shares:
        parts.badge("shares", "good")
