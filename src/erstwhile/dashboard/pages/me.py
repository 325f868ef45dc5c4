"""The page for a person who followed their link: they may read, correct, export and erase."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import html
from nicegui.element import Element

from erstwhile.dashboard import parts
from erstwhile.dashboard.people import knowledge
from erstwhile.dashboard.people.actions import PersonActions, receipt_card
from erstwhile.dashboard.people.portrait import Portrait
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.layers.erasure.model import Receipt

_KINDS = ("profile", "told", "day", "structured", "person", "message")


@page("/me")
async def me(viewer: Viewer) -> None:
    memory = await viewer.reading()
    who = viewer.caller.person
    if who is None:
        parts.title("What is known about me", "This page is for people who were sent a link.")
        with html.p():
            html.span("To make one, open a person in ")
            parts.link("People", viewer.url("/people"))
            html.span(" and choose “Link for this person”.")
        return
    known = await knowledge.of_oneself(memory, viewer.space, who)
    actions = PersonActions(viewer, who, own=True)
    box: Element = html.div().classes("stack person")
    with box:
        parts.title(
            f"What is known about you, {known.name}",
            "This is what was remembered of your messages and of others' that are visible to you. You can correct it.",
        )
        with html.div().classes("row"):
            if viewer.may_write:
                actions.refresh_button()
            actions.export_link()
            if viewer.may_write:
                actions.erase_button()
        if known.shown is not None and known.shown.blocked:
            parts.problem("You are blocked: your messages are not stored, and nothing stored about you is recalled.")
        portrait = Portrait(viewer, actions, own=True)
        portrait.build(known)
    erased = False

    async def again() -> None:
        if erased:
            return
        memory = await viewer.reading()
        now = await knowledge.of_oneself(memory, viewer.space, who)
        if now.shown is None and known.shown is not None:  # erased from elsewhere
            box.clear()
            with box:
                parts.title("You are erased", "Nothing by you or about you is stored any more.")
            return
        portrait.show(now)

    def gone(receipt: Receipt) -> None:
        nonlocal erased
        erased = True
        box.clear()
        with box:
            parts.title("You are erased", "Nothing by you or about you is stored any more.")
            receipt_card(receipt)

    async def told(_news: Sequence[Event]) -> None:
        await again()

    actions.changed, actions.gone = again, gone
    actions.leave = viewer.live(told, kinds=_KINDS, person=who)
