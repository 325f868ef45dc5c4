"""What can be done about a person: remember, forget, edit, block, share, export and erase."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any

from nicegui import html, ui

from erstwhile.api.memory import Memory
from erstwhile.dashboard import dialogs, parts, paths
from erstwhile.dashboard.actions import MemoryActions, Work, nothing, unless_changed
from erstwhile.dashboard.people.knowledge import KnownStatement
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.erasure.model import Receipt
from erstwhile.layers.remembered.model import ToldText
from erstwhile.layers.standing.model import StandingRequest


class PersonActions:
    """`own`: the person acts themselves, and what they say is their own word."""

    def __init__(self, viewer: Viewer, person: str, *, own: bool = False) -> None:
        self._viewer, self._person, self._own = viewer, person, own
        self._word = person if own else None
        self.changed: Work = nothing
        self._memories = MemoryActions(viewer, lambda: self.changed())
        self.gone: Callable[[Receipt], None] = lambda _: None
        self.leave: Callable[[], None] = lambda: None

    @property
    def may_write(self) -> bool:
        return self._viewer.may_write

    def remember_box(self) -> None:
        with html.div().classes("row tell"):
            box = ui.input(label="Remember …").props("outlined dense maxlength=4000")
            box.classes("grow")

            async def remember() -> None:
                if words := typed("remember"):
                    memory = await self._viewer.writing()
                    await memory.remember(self._person, words, by=self._word)
                    box.value = ""
                    dialogs.toast("Remembered.")
                    await self.changed()

            async def forget() -> None:
                if (words := typed("forget")) and await self._forget(words):
                    box.value = ""

            def typed(what: str) -> str:
                words = str(box.value or "").strip()
                if not words:
                    dialogs.toast(f"Write what to {what} in a sentence.", wrong=True)
                return words

            box.on("keydown.enter", remember, args=[])
            parts.button("Remember", remember, kind="primary")
            parts.button("Forget", forget)

    def forget_button(self, line: str, told: ToldText | None) -> None:
        forget = partial(self._forget, line, None if told is None else told.audience)
        parts.button("Forget", forget, kind="quiet small", name=f"Forget: {line}")

    async def _forget(self, words: str, audience: str | None = None) -> bool:
        """Forget in the text of one audience, or in the first that has it."""
        memory = await self._viewer.writing()
        for told in await self._remembered_texts(memory):
            if audience is not None and told.audience != audience:
                continue
            channel = told.audience or None
            gone = await memory.forget(self._person, words, by=self._word, channel=channel)
            if gone.found:
                kept = await memory.people.remembered(self._person)
                left = next((each.text for each in kept if each.audience == told.audience), "")
                undo = partial(self._remember_again, told, gone.removed, left)
                dialogs.toast(f"Forgotten: {gone.removed}", undo=undo)
                await self.changed()
                return True
        where = "That is not among what is remembered."
        dialogs.toast(f"{where} To remove a fact of the profile, delete it.", wrong=True)
        return False

    async def _remembered_texts(self, memory: Memory) -> list[ToldText]:
        """Return what is remembered, as far as the viewer may read it."""
        told = await memory.people.remembered(self._person)
        if not self._own:
            return told
        about = await memory.about(self._person, asker=self._person, fresh=False)
        shown = set(about.told.splitlines())
        return [each for each in told if shown.issuperset(each.plain.splitlines())]

    async def _remember_again(self, told: ToldText, removed: str, left: str) -> None:
        """Restore the text where some of it is left, else remember what was removed again."""
        memory = await self._viewer.writing()
        channel = told.audience or None
        again: Awaitable[object]
        if left:
            again = memory.memories.edit(told.id, told.text, by=self._viewer.by, expected=left)
        else:
            again = memory.remember(self._person, removed, by=self._word, channel=channel)
        if await unless_changed(again) is not None:
            dialogs.toast("As it was before.")
            await self.changed()

    def fact_buttons(self, fact: KnownStatement | StandingRequest) -> None:
        twins = fact.twins if isinstance(fact, KnownStatement) else ()
        edit = partial(self._memories.edit, fact.id, fact.text, twins=twins)
        parts.button("Edit", edit, kind="quiet small", name=f"Edit: {fact.text}")
        delete = partial(self._memories.delete, fact.id, twins=twins)
        parts.button("Delete", delete, kind="quiet small", name=f"Delete: {fact.text}")

    def refresh_button(self) -> None:
        async def refresh() -> None:
            memory = await self._viewer.writing()  # days are written for it
            await memory.about(self._person, asker=self._word)
            await self.changed()
            with self._viewer.client:
                dialogs.toast("The daily summaries are up to date.")

        parts.button("Refresh", refresh, name="Refresh: write missing daily summaries now", busy="")

    def block_button(self, *, blocked: bool) -> None:
        async def turn() -> None:
            more = "Until they are unblocked, their messages are not stored, and nothing stored about them is recalled."
            question = f"Block {self._person}?"
            if not blocked and not await dialogs.confirm(question, "Block", more=more):
                return
            memory = await self._viewer.writing()
            change = memory.people.unblock if blocked else memory.people.block
            await change(self._person, by=self._word)
            dialogs.toast("Unblocked." if blocked else "Blocked.")
            await self.changed()

        parts.button("Unblock" if blocked else "Block", self._on_the_page(turn))

    def share_button(self, *, shares: bool) -> None:
        async def turn() -> None:
            memory = await self._viewer.writing()
            await memory.people.share(self._person, not shares)
            dialogs.toast(f"Their private channels are {'no longer ' if shares else ''}shared.")
            await self.changed()

        parts.button("Stop sharing" if shares else "Share", turn, name=_SHARING[shares])

    def link_button(self) -> None:
        async def make() -> None:
            address = await self._viewer.link_for(self._person)
            with dialogs.notice(f"A link for {self._person}", "Done", "primary"):
                html.p(
                    "It works once, within a day, and is shown only now. Whoever opens it sees what is known about "
                    "this person, and may correct, export and erase it; nothing else."
                )
                parts.command(address, "address")

        parts.button("Link for this person", self._on_the_page(make))

    def export_link(self) -> None:
        url = paths.url(paths.EXPORT, space=self._viewer.space, person=self._person)
        title = "All messages and memories of this person as one zip file"
        parts.tag("a", "button", "Export", href=url, title=title)

    def erase_button(self) -> None:
        async def erase() -> None:
            if not await self._typed():
                return
            memory = await self._viewer.writing()
            self.leave()  # their session ends: stay until the receipt is saved
            receipt = await memory.erase(person=self._person, by=self._viewer.by)
            self.gone(receipt)

        parts.button("Erase …", self._on_the_page(erase), kind="danger")

    def _on_the_page(self, handler: Work) -> Work:
        """Open dialogs on the page, not on a card, which may be redrawn meanwhile."""

        async def run() -> None:
            with self._viewer.client:
                await handler()

        return run

    async def _typed(self) -> bool:
        whom = "you" if self._own else self._person
        with dialogs.dialog(f"Erase everything about {whom}?") as dialog:
            html.p(
                "Erases every message and every memory. This can't be undone. Export first what may be needed."
            )
            with html.p():
                html.span("To go on, type ")
                html.code(self._person)
            box = ui.input(label="Id").props("outlined dense autocomplete=off")
            wrong = parts.tag("p", "wrong", role="alert")

            def go() -> None:
                if box.value == self._person:
                    dialog.submit(True)
                else:
                    with parts.redrawn(wrong):
                        html.span("That is not the id.")

            dialogs.choices(dialog, "Erase for good", go, "danger")
        return bool(await dialogs.answer(dialog))


_SHARING = {
    True: "Stop sharing: their private channels are visible nowhere else",
    False: "Share: their private channels may be visible in other channels",
}


def receipt_card(receipt: Receipt) -> None:
    with parts.card("Receipt"):
        html.p(
            f"{sum(receipt.counts.values()):,} entries were erased, or are made again without it. This receipt is "
            "shown only now: save it if you need proof."
        )
        with html.div().classes("row"):
            if receipt.checked:
                parts.badge("checked: nothing is left", "good")
            else:
                parts.badge("something may be left", "bad")
            parts.moment(receipt.at)
        with html.div().classes("scroll receipt"):
            counts = sorted(receipt.counts.items())
            rows = [(table.replace("_", " "), f"{count:,}") for table, count in counts]
            parts.table(("What", "Entries"), rows, numbers=["Entries"])
        with html.div().classes("details"):
            html.code(receipt.id)
            html.span("digest")
            html.code(receipt.digest).classes("digest")
        form: Any = {"indent": 2, "default": datetime.isoformat, "ensure_ascii": False}
        written = json.dumps(asdict(receipt), **form).encode()
        with html.div().classes("row"):
            # In the browser alone: with someone who erases themselves goes their session.
            save = html.a("Save the receipt").classes("button primary")
            save.props("role=button tabindex=0")
            save.props["href"] = f"data:application/json;base64,{b64encode(written).decode()}"
            save.props["download"] = f"{receipt.id}.json"
