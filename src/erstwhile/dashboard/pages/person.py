"""A person: what is known about them, its sources, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import html

from erstwhile.base.errors import NotFound
from erstwhile.base.page import Page
from erstwhile.dashboard import commands, labels, parts
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.people import knowledge
from erstwhile.dashboard.people.actions import PersonActions, receipt_card
from erstwhile.dashboard.people.knowledge import Knowledge
from erstwhile.dashboard.people.portrait import PortraitView
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.erasure.model import Receipt
from erstwhile.log.people import PersonEntry

_PAGE = 50
_PAUSE = 1.0  # seconds between two refreshes


@page("/people")
async def people(viewer: Viewer) -> None:
    memory = await viewer.reading()
    named, number = viewer.asked("named").strip(), viewer.page_number
    cursor = viewer.asked("cursor") or None

    async def found() -> Page[PersonEntry]:
        return await memory.people.list(matching=named or None, cursor=cursor, limit=_PAGE)

    known = await found()
    about = "Who has written here, under which names, and what is remembered about them."
    parts.title("People", about)
    if not known.total and not named:
        commands.nothing_yet(viewer, "Nobody has written yet.")
    else:
        with parts.form(viewer, "/people", "row") as form:
            form.props("role=search")
            box = parts.tag("input", "plain filter", type="search", name="named", value=named)
            box.props('placeholder="Name or id" aria-label="Name or id" data-search')
            parts.submit("Show")
            if named:
                parts.link("Everyone", viewer.url("/people"), "button quiet")
    panel = Panel[Page[PersonEntry]](
        lambda known: _rows(viewer, known, named, number),
        of=lambda known: (list(known), known.total),
    )
    panel.show(known)

    async def again() -> None:
        panel.show(await found())

    viewer.again(again, kinds=("person", "message"), pause=_PAUSE)


def _rows(viewer: Viewer, known: Page[PersonEntry], named: str, number: int) -> None:
    if not known:
        if named or number > 1:
            parts.quiet("Nobody by that name." if named else "Nobody is on this page.")
        return
    first = (number - 1) * _PAGE + 1
    shown = f"{first:,} to {first + len(known) - 1:,} of {known.total or 0:,}"
    parts.quiet(shown).props("role=status")
    with html.ul().classes("list card people"):
        for each in known:
            _row(viewer, each)
    asked = {"named": named or None}
    first_page = viewer.url("/people", **asked) if number > 1 else None
    later = viewer.url("/people", **asked, page=number + 1, cursor=known.next)
    parts.pages(first_page, later if known.next else None, parts.FIRST_OR_NEXT)


def _row(viewer: Viewer, each: PersonEntry) -> None:
    with html.li().classes("person-row").props("data-row"):
        with html.div().classes("stack who"):
            with html.div().classes("row"):
                parts.person_link(viewer, each.person, each.name, "name")
                if each.name != each.person:
                    html.code(each.person).props("dir=auto").classes("quiet-text")
                badges(each)
            if len(each.names) > 1:
                before = ", ".join(name.name for name in each.names[1:6])
                parts.said(f"before: {before}", "quiet-text small-text")
        html.span(labels.count(each.messages, "message")).classes("number quiet-text")
        with html.span().classes("quiet-text last-message"):
            if each.last_at is None:
                html.span("no messages")
            else:
                parts.moment(each.last_at)


def badges(each: PersonEntry) -> None:
    parts.badge_if(each.blocked, "blocked", "bad")
    parts.badge_if(each.shares, "shares", "good")


class PersonView:
    """`own`: the person looks at it themselves. `erased` draws what is shown afterwards."""

    def __init__(
        self, viewer: Viewer, person: str, erased: Callable[[str], None], *, own: bool = False
    ) -> None:
        self._viewer, self._person, self._erased, self._own = viewer, person, erased, own
        self.actions = PersonActions(viewer, person, own=own)
        self._gone = False

    async def open(self, head: Callable[[Knowledge], None]) -> None:
        known = await self._read()
        self._name = known.name
        with parts.tag("div", "stack person") as self._box:
            self._head = Panel[Knowledge](head, lambda known: known.shown)
            self._head.show(known)
            self._portrait = PortraitView(self._viewer, self.actions, own=self._own)
            self._portrait.build(known)
        self.actions.changed, self.actions.gone = self._refresh, self._show_receipt
        self.actions.leave = self._viewer.again(self._refresh, person=self._person)

    async def _read(self) -> Knowledge:
        return await knowledge.read(self._viewer, self._person, own=self._own)

    async def _refresh(self) -> None:
        if self._gone:
            return
        try:
            known = await self._read()
            if known.shown is None and self._own:
                raise NotFound(self._person)
        except NotFound:  # erased elsewhere
            with parts.redrawn(self._box):
                if self._own:
                    self._erased(self._name)
                else:
                    parts.problem(f"{self._person} was erased.")
            return
        self._head.show(known)
        self._portrait.show(known)

    def _show_receipt(self, receipt: Receipt) -> None:
        self._gone = True
        with parts.redrawn(self._box):
            self._erased(self._name)
            receipt_card(receipt)


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
            parts.problem(
                "You are blocked: your messages are not stored, and nothing stored about you is recalled."
            )

    await view.open(head)


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
            for each in shown.names[1:]:
                with html.span().classes("row"):
                    parts.said(f"went by {each.name}")
                    html.span("until")
                    parts.moment(each.last_at).props("data-day")
    if shown is not None and shown.blocked:
        parts.problem("Blocked: their messages are not stored, and nothing below is recalled.")
    if viewer.may_write:
        with html.div().classes("row"):
            actions.link_button()
            actions.share_button(shares=bool(shown and shown.shares))
            actions.block_button(blocked=bool(shown and shown.blocked))
            actions.export_link()
            actions.erase_button()
