"""Change memories on a page. Every change can be undone; none overwrites another person's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.base.errors import Changed, NotFound
from erstwhile.dashboard import parts
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event
from erstwhile.layers.regenerate import Regenerated
from erstwhile.memories.history import Version

_CONFLICT = "Somebody else changed it meanwhile. Nothing was done: look at it again, then decide."


async def _unwatched() -> None:
    """A page that follows events needs no call after a change."""


class MemoryActions:
    """Each verb checks the session. `changed` is called after every change."""

    def __init__(self, viewer: Viewer, changed: Callable[[], Awaitable[None]] = _unwatched) -> None:
        self._viewer, self._changed = viewer, changed

    async def edit(self, id: str, text: str, *, expected: str | None = None, twins: Sequence[str] = ()) -> None:
        """Ask for another text. With `expected`, only if the memory still has that one. `twins` are memories that
        say the same: they are deleted, or they would go on saying it."""
        with self._viewer.client:  # not on the row, which may be redrawn below the dialog
            words = await parts.ask_text("Edit", text)
            if words is not None and words.strip() != text:
                await self._edit(id, words, text, expected, twins)

    async def _edit(self, id: str, words: str, before: str, expected: str | None, twins: Sequence[str] = ()) -> None:
        memory = await self._viewer.writing()
        who, space = self._viewer.by, self._viewer.space
        if not words.strip():
            parts.toast("The text is empty. To remove the memory, delete it.", wrong=True)
            return
        kept = await unless_changed(memory.memories.edit(id, words, by=who, space=space, expected=expected))
        if kept is not None:
            now = kept.text
            for twin in twins:
                await unless_changed(memory.memories.delete(twin, by=who, space=space))
            await self._done("Edited.", lambda: self._undo_edit(id, before, now, twins), id)

    async def _undo_edit(self, id: str, before: str, now: str, twins: Sequence[str]) -> None:
        memory = await self._viewer.writing()
        who, space = self._viewer.by, self._viewer.space
        for twin in twins:
            await unless_changed(memory.memories.restore(twin, by=who, space=space))
        if await unless_changed(memory.memories.edit(id, before, by=who, space=space, expected=now)) is not None:
            await self._done("As it was.")

    async def delete(self, id: str, *, expected: str | None = None, twins: Sequence[str] = ()) -> None:
        memory = await self._viewer.writing()
        who, space = self._viewer.by, self._viewer.space
        with self._viewer.client:
            if await unless_changed(memory.memories.delete(id, by=who, space=space, expected=expected)) is None:
                return
            for twin in twins:
                await unless_changed(memory.memories.delete(twin, by=who, space=space))
            await self._done("Deleted.", lambda: self._restore(id, twins), id)

    async def _restore(self, id: str, twins: Sequence[str]) -> None:
        memory = await self._viewer.writing()
        for twin in twins:
            await unless_changed(memory.memories.restore(twin, by=self._viewer.by, space=self._viewer.space))
        if await unless_changed(memory.memories.restore(id, by=self._viewer.by, space=self._viewer.space)) is not None:
            await self._done("Restored.")

    async def add_fact(self, channel: str) -> None:
        with self._viewer.client:
            given = await _ask_fact()
            if given is None or not given[0].strip():
                return
            memory = await self._viewer.writing()
            chat = memory.channel(channel, space=self._viewer.space)
            made = await memory.facts.add(chat, given[0], by=self._viewer.by, person=given[1].strip() or None)
            await self._done("Added.", lambda: self.delete(made.id), made.id)

    async def regenerate(self, channel: str, first: int, last: int, what: str, *, edited: bool = False) -> None:
        """Make a range again. What people wrote stays, unless whoever is asked says otherwise."""
        with self._viewer.client:
            question = "Somebody wrote this by hand. Replace their text?"
            if edited and not await parts.confirm(question, "Replace", more="You can undo it."):
                return
            memory = await self._viewer.writing()
            chat = memory.channel(channel, space=self._viewer.space)
            made = await memory.memories.regenerate(chat, first, last, what, overwrite=edited)
            await self._done(_outcome(made), lambda: self._undo_regenerate(channel, made))

    async def _undo_regenerate(self, channel: str, made: Regenerated) -> None:
        memory = await self._viewer.writing()
        chat = memory.channel(channel, space=self._viewer.space)
        if await unless_changed(memory.memories.undo(chat, made, by=self._viewer.by)) is not None:
            await self._done("As it was.")

    async def realign(self, channel: str) -> None:
        with self._viewer.client:
            memory = await self._viewer.writing()
            count = await memory.memories.realign(memory.channel(channel, space=self._viewer.space))
            await self._done(f"Made {parts.count(count, 'meta summary', 'meta summaries')} again.")

    async def history(self, id: str, text: str) -> None:
        """Show every version; whoever may write can go back to one."""
        with self._viewer.client:
            memory = await self._viewer.reading()
            versions = await memory.memories.history(id, space=self._viewer.space)
            with parts.dialog("History", wide=True) as dialog:
                with html.div().classes("list versions"):
                    for version in reversed(versions):
                        self._version(version, id, text, dialog)
                with html.div().classes("row end"):
                    parts.button("Close", dialog.close)
            dialog.on("hide", dialog.delete)
            dialog.open()

    def _version(self, version: Version, id: str, text: str, dialog: ui.dialog) -> None:
        async def bring_back() -> None:
            dialog.close()
            with self._viewer.client:
                await self._edit(id, version.text, text, text)

        with html.div().classes("stack"):
            with html.div().classes("details"):
                parts.badge(f"{version.version}")
                html.span(f"{version.action} by {version.by}").props("dir=auto")
                parts.moment(version.at)
            if version.text:
                parts.text(version.text)
            else:
                parts.quiet("Its text is no longer kept.")
            if self._viewer.may_write and version.text and version.text != text:
                parts.button("Use this text again", bring_back, kind="small")

    async def _done(self, words: str, undo: Callable[[], Awaitable[None]] | None = None, id: str = "") -> None:
        """Toasts hang on the page, not in the list, which may be redrawn. `id` is what was changed: when somebody
        changes it again, it is too late to undo."""

        async def on_page() -> None:
            with self._viewer.client:
                await undo()  # type: ignore[misc]

        await self._changed()
        with self._viewer.client:
            late = parts.toast(words, undo=on_page if undo else None)
            if undo and id:
                self._until_changed(id, late)

    def _until_changed(self, id: str, late: Callable[[], None]) -> None:
        done_at = datetime.now(UTC)

        async def told(news: Sequence[Event]) -> None:
            if any(each.id == id and each.at > done_at for each in news):
                late()

        ui.timer(parts.SHOWN_SECONDS, self._viewer.live(told), once=True)


async def unless_changed(work: Awaitable[Any]) -> Any:
    """None, and a toast, when somebody else was faster."""
    try:
        return await work
    except (Changed, NotFound) as error:
        parts.toast(_CONFLICT if isinstance(error, Changed) else f"Too late: {error}", wrong=True)
        return None


async def _ask_fact() -> tuple[str, str] | None:
    with parts.dialog("Add a fact", wide=True) as dialog:
        words = ui.textarea().props('autogrow outlined aria-label="The fact" autofocus').classes("grow")
        who = ui.input().props('outlined dense aria-label="Whom it is about (a person\'s id)"')
        who.props["placeholder"] = "Whom it is about (a person's id), if anyone"
        with html.div().classes("row end"):
            parts.button("Cancel", lambda: dialog.submit(None), kind="quiet")
            parts.button("Add", lambda: dialog.submit((words.value or "", who.value or "")), kind="primary")
    answer: tuple[str, str] | None = await dialog
    dialog.delete()
    return answer


def _outcome(made: Regenerated) -> str:
    if not made.replaced and not made.gone:
        return "What people wrote stays as it is; nothing else was found."
    return "Made again; what people wrote was left." if made.kept else "Made again."


def busy(made: Element, work: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    """A handler that disables its button while it works."""

    async def run() -> None:
        made.props["disabled"] = True
        try:
            await work()
        finally:
            if not made.is_deleted:
                made.props.pop("disabled", None)
                made.update()

    return run
