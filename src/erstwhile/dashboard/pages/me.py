"""The page for a person who followed their link: they may read, correct, export and erase."""

from __future__ import annotations

from nicegui import html

from erstwhile.dashboard import parts
from erstwhile.dashboard.people.knowledge import Knowledge
from erstwhile.dashboard.people.person_view import PersonView
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer


@page("/me")
async def me(viewer: Viewer) -> None:
    await viewer.reading()
    who = viewer.caller.person
    if who is None:
        parts.title("What is known about me", "This page is for people who were sent a link.")
        with html.p():
            html.span("To make one, open a person in ")
            parts.link("People", viewer.url("/people"))
            html.span(" and choose “Link for this person”.")
        return

    def erased(_name: str) -> None:
        parts.title("You are erased", "Nothing by you or about you is stored any more.")

    view = PersonView(viewer, who, erased, own=True)

    def head(known: Knowledge) -> None:
        parts.title(
            f"What is known about you, {known.name}",
            "This is what was remembered of your messages and of others' that are visible to you. You can correct it.",
        )
        with html.div().classes("row"):
            if viewer.may_write:
                view.actions.refresh_button()
            view.actions.export_link()
            if viewer.may_write:
                view.actions.erase_button()
        if known.shown is not None and known.shown.blocked:
            parts.problem("You are blocked: your messages are not stored, and nothing stored about you is recalled.")

    await view.open(head)
