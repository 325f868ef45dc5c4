"""A person: what is known about them, its sources, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import html
from nicegui.element import Element

from erstwhile.base.errors import NotFound
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.pages.people import badges
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.people import knowledge
from erstwhile.dashboard.people.actions import PersonActions, receipt_card
from erstwhile.dashboard.people.knowledge import Knowledge
from erstwhile.dashboard.people.portrait import Portrait
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.layers.erasure.model import Receipt

_KINDS = ("profile", "told", "day", "structured", "person", "message", "note")


@page("/people/person")
async def person(viewer: Viewer) -> None:
    memory = await viewer.reading()
    who = viewer.needs("person")
    known = await knowledge.of_person(memory, viewer.space, who)
    actions = PersonActions(viewer, who)
    box: Element = html.div().classes("stack person")
    with box:
        head = Panel[Knowledge](lambda known: _head(viewer, actions, known), lambda known: known.shown)
        head.show(known)
        if known.nothing:
            parts.quiet("Nothing is known about them yet.")
        portrait = Portrait(viewer, actions)
        portrait.build(known)
    erased = False

    async def again() -> None:
        if erased:
            return
        memory = await viewer.reading()
        try:
            now = await knowledge.of_person(memory, viewer.space, who)
        except NotFound:  # erased from elsewhere
            box.clear()
            with box:
                parts.problem(f"{who} was erased.")
            return
        head.show(now)
        portrait.show(now)

    def gone(receipt: Receipt) -> None:
        nonlocal erased
        erased = True
        box.clear()
        with box:
            parts.title(f"{known.name} is erased")
            receipt_card(receipt)
            parts.link("To the people", viewer.url("/people"))

    async def told(_news: Sequence[Event]) -> None:
        await again()

    actions.changed, actions.gone = again, gone
    actions.leave = viewer.live(told, kinds=_KINDS, person=who)


def _head(viewer: Viewer, actions: PersonActions, known: Knowledge) -> None:
    shown = known.shown
    with html.div().classes("row between"):
        with html.div().classes("row"):
            parts.crumb("People", viewer.url("/people"))
            parts.title(known.name)
            if shown is not None:
                badges(shown)
        with html.div().classes("row"):
            if viewer.may_write:
                actions.refresh_button()
    with html.div().classes("details"):
        html.code(known.person).props("dir=auto")
        if shown is not None:
            html.span(labels.count(shown.messages, "message"))
            if shown.last_at is not None:
                html.span("last message")
                parts.moment(shown.last_at)
            _names(known)
    if shown is not None and shown.blocked:
        parts.problem("Blocked: their messages are not stored, and nothing below is recalled.")
    if viewer.may_write:
        with html.div().classes("row"):
            actions.link_button()
            actions.share_button(shares=bool(shown and shown.shares))
            actions.block_button(blocked=bool(shown and shown.blocked))
            actions.export_link()
            actions.erase_button()


def _names(known: Knowledge) -> None:
    shown = known.shown
    if shown is None or len(shown.names) < 2:
        return
    for each in shown.names[1:]:
        with html.span().classes("row"):
            html.span(f"went by {each.name}").props("dir=auto")
            html.span("until")
            parts.moment(each.last_at).props("data-day")
