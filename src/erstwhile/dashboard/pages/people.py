"""People: everyone who ever spoke, whoever was heard of last first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.api.page import Page
from erstwhile.dashboard import parts
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.log.people import PersonShown

_PAGE = 50
_CALM_SECONDS = 1.0  # between two looks, however much is said


@page("/people")
async def people(viewer: Viewer) -> None:
    memory = await viewer.reading()
    named, number = viewer.asked("named").strip(), max(viewer.number("page", 1), 1)

    async def found() -> Page[PersonShown]:
        return await memory.people.list(
            space=viewer.space, matching=named or None, offset=(number - 1) * _PAGE, limit=_PAGE
        )

    known = await found()
    parts.title("People", "Who has spoken here, under which names, and what is remembered of them.")
    if not known.total and not named:
        parts.empty(
            "Nobody has spoken yet. A message with a person is all it takes:",
            'erstwhile add hello user "I moved to Busan last week" --person alice --name Alice',
        )
    else:
        _filter(viewer, named)
    box: Element = html.div().classes("stack")

    def show(known: Page[PersonShown]) -> None:
        box.clear()
        with box:
            _rows(viewer, known, named, number)

    show(known)

    async def told(_news: Sequence[Event]) -> None:
        nonlocal known
        await viewer.reading()
        now = await found()
        if (now, now.total) != (known, known.total):
            known = now
            show(known)
        await asyncio.sleep(_CALM_SECONDS)

    viewer.live(told, kinds=("person", "message"))


def _filter(viewer: Viewer, named: str) -> None:
    with html.form(method="get", action="/people").classes("row").props("role=search"):
        if viewer.given.get("space"):
            ui.element("input").props("type=hidden name=space").props["value"] = viewer.space
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
            html.p("Nobody by that name." if named else "Nobody is on this page.").classes("quiet-text")
        return
    first = (number - 1) * _PAGE + 1
    html.p(f"{first:,} to {first + len(known) - 1:,} of {known.total or 0:,}").classes("quiet-text").props(
        "role=status"
    )
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
                parts.link(each.name, viewer.url("/people/person", person=each.person), "name")
                if each.name != each.person:
                    html.code(each.person).props("dir=auto").classes("quiet-text")
                badges(each)
            if len(each.names) > 1:
                before = ", ".join(name.name for name in each.names[1:6])
                html.span(f"before: {before}").classes("quiet-text small-text").props("dir=auto")
        html.span(f"{each.messages:,} {'message' if each.messages == 1 else 'messages'}").classes("number quiet-text")
        with html.span().classes("quiet-text heard"):
            if each.last_at is None:
                html.span("never heard")
            else:
                parts.moment(each.last_at)


def badges(each: PersonShown) -> None:
    if each.blocked:
        parts.badge("blocked", "bad")
    if each.shares:
        parts.badge("shares", "good")
