"""Change memories on a page. Every change can be undone; none overwrites another person's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from nicegui import html, ui

from erstwhile.base.errors import ConflictError, NotFound
from erstwhile.dashboard import dialogs, parts
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.memories.history import Version

_CONFLICT = "Somebody else changed it meanwhile. Nothing was done: look at it again, then decide."

Work = Callable[[], Awaitable[None]]
Ids = Sequence[str]


async def nothing() -> None:
    """A page that follows events needs no call after a change."""


class MemoryActions:
    """Each verb checks the session. `changed` is called after every change."""

    def __init__(self, viewer: Viewer, changed: Work = nothing) -> None:
        self._viewer, self._changed = viewer, changed

    async def _change(self, verb: str, id: str, *given: str, expected: str | None = None) -> Any:
        """Edit, delete or restore a memory. None, and a toast, when somebody else was faster."""
        memory = await self._viewer.writing()
        more = {} if expected is None else {"expected": expected}
        change = getattr(memory.memories, verb)
        return await unless_changed(change(id, *given, by=self._viewer.by, **more))

    async def edit(
        self, id: str, text: str, *, expected: str | None = None, twins: Ids = ()
    ) -> None:
        """Ask for another text. With `expected`, only if the memory still has that one. `twins` are
        memories that say the same: they are deleted, or they would go on saying it."""
        with self._viewer.client:  # not on the row, which may be redrawn below the dialog
            words = await dialogs.ask_text("Edit", text)
            if words is not None and words.strip() != text:
                await self._edit(id, words, text, expected, twins)

    async def _edit(
        self, id: str, words: str, before: str, expected: str | None, twins: Ids = ()
    ) -> None:
        if not words.strip():
            await self._viewer.writing()
            dialogs.toast("The text is empty. To remove the memory, delete it.", wrong=True)
            return
        edited = await self._change("edit", id, words, expected=expected)
        if edited is not None:
            back = partial(self._change, "edit", id, before, expected=edited.text)
            await self._done_with_twins("Edited.", "As it was.", id, twins, back)

    async def delete(self, id: str, *, expected: str | None = None, twins: Ids = ()) -> None:
        with self._viewer.client:
            if await self._change("delete", id, expected=expected) is not None:
                back = partial(self._change, "restore", id)
                await self._done_with_twins("Deleted.", "Restored.", id, twins, back)

    async def _done_with_twins(
        self, done: str, undone: str, id: str, twins: Ids, back: Callable[[], Awaitable[Any]]
    ) -> None:
        async def undo() -> None:
            for twin in twins:
                await self._change("restore", twin)
            if await back() is not None:
                await self._done(undone)

        for twin in twins:
            await self._change("delete", twin)
        await self._done(done, undo, id)

    async def add_fact(self, channel: str) -> None:
        with self._viewer.client:
            with dialogs.dialog("Add a fact", wide=True) as asked:
                words = dialogs.text_area("The fact").props("autofocus")
                who = ui.input().props("outlined dense")
                who.props["aria-label"] = "Whom it is about (a person's id)"
                who.props["placeholder"] = "Whom it is about (a person's id), if anyone"

                def add() -> None:
                    asked.submit((words.value or "", who.value or ""))

                dialogs.choices(asked, "Add", add, "primary")
            text, person = await dialogs.answer(asked) or ("", "")
            if not text.strip():
                return
            memory = await self._viewer.writing()
            chat = memory.channel(channel)
            by, whom = self._viewer.by, person.strip() or None
            made = await memory.facts.add(chat, text, by=by, person=whom)
            await self._done("Added.", lambda: self.delete(made.id), made.id)

    async def regenerate(
        self, channel: str, first: int, last: int, what: str, *, edited: bool = False
    ) -> None:
        """Make a range again. What people wrote stays, unless whoever is asked says otherwise."""
        with self._viewer.client:
            question = "Somebody wrote this by hand. Replace their text?"
            if edited and not await dialogs.confirm(question, "Replace", more="You can undo it."):
                return
            memory = await self._viewer.writing()
            chat = memory.channel(channel)
            made = await memory.memories.regenerate(chat, first, last, what, overwrite=edited)

            async def undo() -> None:
                memory = await self._viewer.writing()
                undone = memory.memories.undo(chat, made, by=self._viewer.by)
                if await unless_changed(undone) is not None:
                    await self._done("As it was.")

            outcome = "Made again; what people wrote was left." if made.kept else "Made again."
            if not made.replaced and not made.gone:
                outcome = "What people wrote stays as it is; nothing else was found."
            await self._done(outcome, undo)

    async def realign(self, channel: str) -> None:
        with self._viewer.client:
            memory = await self._viewer.writing()
            count = await memory.memories.realign(memory.channel(channel))
            await self._done(f"Made {parts.count(count, 'meta summary', 'meta summaries')} again.")

    async def history(self, id: str, text: str) -> None:
        """Show every version; whoever may write can go back to one."""
        with self._viewer.client:
            memory = await self._viewer.reading()
            versions = await memory.memories.history(id)
            with dialogs.notice("History", "Close") as dialog, html.div().classes("list versions"):
                for version in reversed(versions):
                    self._version(version, id, text, dialog)

    def _version(self, version: Version, id: str, text: str, dialog: ui.dialog) -> None:
        async def bring_back() -> None:
            dialog.close()
            with self._viewer.client:
                await self._edit(id, version.text, text, text)

        with html.div().classes("stack"):
            with html.div().classes("details"):
                parts.badge(f"{version.version}")
                parts.said(f"{version.action} by {version.by}")
                parts.moment(version.at)
            if version.text:
                parts.text(version.text)
            else:
                parts.quiet("Its text is no longer kept.")
            if self._viewer.may_write and version.text and version.text != text:
                parts.button("Use this text again", bring_back, kind="small")

    async def _done(self, words: str, undo: Work | None = None, id: str = "") -> None:
        """`id` is what was changed: when somebody changes it again, it is too late to undo."""

        async def on_page() -> None:
            with self._viewer.client:
                await undo()  # type: ignore[misc]

        async def told(news: Sequence[Event]) -> None:
            if any(each.id == id and each.at > done_at for each in news):
                late()

        await self._changed()
        with self._viewer.client:
            late = dialogs.toast(words, undo=on_page if undo else None)
            if undo and id:
                done_at = datetime.now(UTC)
                ui.timer(dialogs.SHOWN_SECONDS, self._viewer.live(told), once=True)


async def unless_changed(work: Awaitable[Any]) -> Any:
    """None, and a toast, when somebody else was faster."""
    try:
        return await work
    except (ConflictError, NotFound) as error:
        words = _CONFLICT if isinstance(error, ConflictError) else f"Too late: {error}"
        dialogs.toast(words, wrong=True)
        return None
