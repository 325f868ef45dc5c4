"""A person: what is known about them, its sources, and what can be done about it."""

from __future__ import annotations

from nicegui import html

from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.pages.people import badges
from erstwhile.dashboard.people.actions import PersonActions
from erstwhile.dashboard.people.knowledge import Knowledge
from erstwhile.dashboard.people.person_view import PersonView
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer


@page("/people/person")
async def person(viewer: Viewer) -> None:
    def erased(name: str) -> None:
        parts.title(f"{name} is erased")
        parts.link("All people", viewer.url("/people"))

    view = PersonView(viewer, viewer.needs("person"), erased)
    await view.open(lambda known: _head(viewer, view.actions, known))


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
