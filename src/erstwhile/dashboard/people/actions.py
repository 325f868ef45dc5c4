"""What can be done about a person: remember, forget, edit, block, share, export and erase."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime

from nicegui import html, ui

from erstwhile.api.memory import Memory
from erstwhile.dashboard import parts, paths
from erstwhile.dashboard.actions import MemoryActions, busy, unless_changed
from erstwhile.dashboard.people.statements import KnownStatement
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.erasure.model import Receipt
from erstwhile.layers.remembered.model import Forgotten, Told
from erstwhile.layers.standing.model import StandingRequest

Changed = Callable[[], Awaitable[None]]


class PersonActions:
    """`own`: the person acts themselves, and what they say is their own word."""

    def __init__(self, viewer: Viewer, person: str, *, own: bool = False) -> None:
        self._viewer, self._person, self._own = viewer, person, own
        self.changed: Changed = _nobody_looks
        self._memories = MemoryActions(viewer, lambda: self.changed())
        self.gone: Callable[[Receipt], None] = _nothing
        self.leave: Callable[[], None] = _stay

    @property
    def may_write(self) -> bool:
        return self._viewer.may_write

    @property
    def _word(self) -> str | None:
        return self._person if self._own else None

    # What was told

    def remember_box(self) -> None:
        with html.div().classes("row tell"):
            box = ui.input(label="Remember …").props("outlined dense maxlength=4000").classes("grow")

            async def remember() -> None:
                words = str(box.value or "").strip()
                if not words:
                    parts.toast("Write what to remember in a sentence.", wrong=True)
                    return
                memory = await self._viewer.writing()
                await memory.remember(self._person, words, by=self._word, space=self._viewer.space)
                box.value = ""
                parts.toast("Remembered.")
                await self.changed()

            async def forget() -> None:
                words = str(box.value or "").strip()
                if not words:
                    parts.toast("Write what to forget in a sentence.", wrong=True)
                elif await self._forget(words):
                    box.value = ""

            box.on("keydown.enter", remember, args=[])
            parts.button("Remember", remember, kind="primary")
            parts.button("Forget", forget)

    def forget_button(self, line: str, told: Told | None) -> None:
        async def forget() -> None:
            await self._forget(line, None if told is None else told.audience)

        parts.button("Forget", forget, kind="quiet small", name=f"Forget: {line}")

    async def _forget(self, words: str, audience: str | None = None) -> bool:
        """Forget in the text of one audience, or in the first that has it."""
        memory = await self._viewer.writing()
        space = self._viewer.space
        for told in await self._heard(memory):
            if audience is not None and told.audience != audience:
                continue
            channel = told.audience or None
            gone = await memory.forget(self._person, words, by=self._word, channel=channel, space=space)
            if gone.found:
                left = {each.audience: each.text for each in await memory.people.remembered(self._person, space=space)}
                self._forgotten(told, gone, left.get(told.audience, ""))
                await self.changed()
                return True
        parts.toast("That is not among what is remembered. To remove a fact of the profile, delete it.", wrong=True)
        return False

    async def _heard(self, memory: Memory) -> list[Told]:
        """What is remembered, as far as the viewer may read it."""
        told = await memory.people.remembered(self._person, space=self._viewer.space)
        if not self._own:
            return told
        about = await memory.about(self._person, asker=self._person, space=self._viewer.space, fresh=False)
        shown = set(about.told.splitlines())
        return [each for each in told if shown.issuperset(each.plain.splitlines())]

    def _forgotten(self, told: Told, gone: Forgotten, left: str) -> None:
        space = self._viewer.space

        async def back(memory: Memory) -> object:
            """Restore the text where some of it is left, else remember it again."""
            if left:
                return await memory.memories.edit(told.id, told.text, by=self._viewer.by, space=space, expected=left)
            channel = told.audience or None
            return await memory.remember(self._person, gone.removed, by=self._word, channel=channel, space=space)

        parts.toast(f"Forgotten: {gone.removed}", undo=self._undo(back))

    # Facts of the profile

    def fact_buttons(self, fact: KnownStatement | StandingRequest) -> None:
        async def edit() -> None:
            await self._memories.edit(fact.id, fact.text, twins=twins)

        async def delete() -> None:
            await self._memories.delete(fact.id, twins=twins)

        twins = fact.twins if isinstance(fact, KnownStatement) else ()

        parts.button("Edit", edit, kind="quiet small", name=f"Edit: {fact.text}")
        parts.button("Delete", delete, kind="quiet small", name=f"Delete: {fact.text}")

    def _undo(self, back: Callable[[Memory], Awaitable[object]]) -> Callable[[], Awaitable[None]]:
        async def undo() -> None:
            if await unless_changed(back(await self._viewer.writing())) is not None:
                parts.toast("As it was before.")
                await self.changed()

        return undo

    # The whole person

    def refresh_button(self) -> None:
        async def refresh() -> None:
            memory = await self._viewer.writing()  # days are written for it
            await memory.about(self._person, space=self._viewer.space, asker=self._word)
            await self.changed()
            with self._viewer.client:
                parts.toast("The daily summaries are up to date.")

        made = parts.button("Refresh", lambda: None, name="Refresh: write missing daily summaries now")
        made.on("click", busy(made, refresh), args=[])

    def block_button(self, *, blocked: bool) -> None:
        async def turn() -> None:
            if not blocked and not await parts.confirm(
                f"Block {self._person}?",
                "Block",
                more="Until they are unblocked, their messages are not stored, and nothing stored about them is recalled.",
            ):
                return
            memory = await self._viewer.writing()
            change = memory.people.unblock if blocked else memory.people.block
            await change(self._person, space=self._viewer.space, by=self._person if self._own else None)
            parts.toast("Unblocked." if blocked else "Blocked.")
            await self.changed()

        parts.button("Unblock" if blocked else "Block", self._on_the_page(turn))

    def share_button(self, *, shares: bool) -> None:
        async def turn() -> None:
            memory = await self._viewer.writing()
            await memory.people.share(self._person, not shares, space=self._viewer.space)
            parts.toast(
                "Their private channels are no longer shared." if shares else "Their private channels are shared."
            )
            await self.changed()

        parts.button("Stop sharing" if shares else "Share", turn, name=_SHARING[shares])

    def link_button(self) -> None:
        async def make() -> None:
            address = await self._viewer.link_for(self._person)
            with parts.dialog(f"A link for {self._person}", wide=True) as dialog:
                html.p(
                    "It works once, within a day, and is shown only now. Whoever opens it sees what is known about this person, and may "
                    "correct, export and erase it; nothing else."
                )
                parts.command(address).classes("address")
                with html.div().classes("row end"):
                    parts.button("Done", dialog.close, kind="primary")
            dialog.on("hide", dialog.delete, args=[])
            dialog.open()

        parts.button("Link for this person", self._on_the_page(make))

    def export_link(self) -> None:
        address = paths.url(paths.EXPORT, space=self._viewer.space, person=self._person)
        made = html.a("Export", href=address).classes("button")
        made.props["title"] = "All messages and memories of this person as one zip file"

    def erase_button(self) -> None:
        async def erase() -> None:
            if not await self._typed():
                return
            memory = await self._viewer.writing()
            self.leave()  # their session ends: stay until the receipt is saved
            receipt = await memory.erase(space=self._viewer.space, person=self._person, by=self._viewer.by)
            self.gone(receipt)

        parts.button("Erase …", self._on_the_page(erase), kind="danger")

    def _on_the_page(self, handler: Changed) -> Changed:
        """Open dialogs on the page, not on a card, which may be redrawn meanwhile."""

        async def run() -> None:
            with self._viewer.client:
                await handler()

        return run

    async def _typed(self) -> bool:
        heading = "Erase everything about you?" if self._own else f"Erase everything about {self._person}?"
        with parts.dialog(heading) as dialog:
            html.p("Erases every message and every memory. This can't be undone. Export first what may be needed.")
            with html.p():
                html.span("To go on, type ")
                html.code(self._person)
            box = ui.input(label="Id").props("outlined dense autocomplete=off")
            wrong = html.p().classes("wrong").props("role=alert")

            def go() -> None:
                if box.value == self._person:
                    dialog.submit(True)
                else:
                    wrong.clear()
                    with wrong:
                        html.span("That is not the id.")

            with html.div().classes("row end"):
                parts.button("Cancel", lambda: dialog.submit(False), kind="quiet")
                parts.button("Erase for good", go, kind="danger")
        answer = await dialog
        dialog.delete()
        return bool(answer)


_SHARING = {
    True: "Stop sharing: their private channels are visible nowhere else",
    False: "Share: their private channels may be visible in other channels",
}


def receipt_card(receipt: Receipt) -> None:
    """The receipt of an erasure: entries removed per table, and the check."""
    with parts.card("Receipt"):
        html.p(
            f"{sum(receipt.counts.values()):,} entries were erased, or are made again without it. This receipt is shown only now: "
            "save it if you need proof."
        )
        with html.div().classes("row"):
            parts.badge(*_CHECKED[receipt.checked])
            parts.moment(receipt.at)
        with html.div().classes("scroll"), parts.table("What", "Entries", numbers=["Entries"], classes="receipt"):
            for table, count in sorted(receipt.counts.items()):
                with html.tr():
                    html.td(table.replace("_", " "))
                    html.td(f"{count:,}").classes("number")
        with html.div().classes("details"):
            html.code(receipt.id)
            html.span("digest")
            html.code(receipt.digest).classes("digest")
        written = json.dumps(asdict(receipt), indent=2, default=_iso, ensure_ascii=False).encode()
        with html.div().classes("row"):
            # In the browser alone: with someone who erases themselves goes their session.
            save = html.a("Save the receipt").classes("button primary").props("role=button tabindex=0")
            save.props["href"] = f"data:application/json;base64,{b64encode(written).decode()}"
            save.props["download"] = f"{receipt.id}.json"


def _iso(at: datetime) -> str:
    return at.isoformat()


_CHECKED = {True: ("checked: nothing is left", "good"), False: ("something may be left", "bad")}


async def _nobody_looks() -> None:
    pass


def _stay() -> None:
    pass


def _nothing(_receipt: Receipt) -> None:
    pass
