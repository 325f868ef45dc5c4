"""What people do to memories on a page: each change is offered to be undone, and none is made over somebody else's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.base.errors import Changed, NotFound
from erstwhile.dashboard import parts
from erstwhile.dashboard.viewer import Viewer
from erstwhile.history.store import Version
from erstwhile.layers.regenerate import Regenerated

_MEANWHILE = "Somebody else changed it meanwhile. Nothing was done: look at it again, then decide."


class MemoryActions:
    """Every verb asks anew whether this session may write. Dialogs hang on the page, not on the row, which may be drawn anew below them."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer

    async def edit(self, id: str, text: str) -> None:
        with self._viewer.client:
            words = await parts.written("Edit", text)
            if words is not None and words.strip() != text:
                await self._edit(id, words, text, "Saved.")

    async def _edit(self, id: str, words: str, before: str, said: str) -> None:
        memory = await self._viewer.writing()
        who, space = self._viewer.by, self._viewer.space
        if not words.strip():
            parts.toast("Nothing was written. To take it away, delete it.", wrong=True)
            return
        kept = await _unless_changed(memory.edit(id, words, by=who, space=space, expected=before))
        if kept is not None:
            now = kept.text
            parts.toast(said, undo=lambda: self._on_page(lambda: self._edit(id, before, now, "As it was.")))

    async def delete(self, id: str, text: str) -> None:
        with self._viewer.client:
            memory = await self._viewer.writing()
            who, space = self._viewer.by, self._viewer.space
            if await _unless_changed(memory.delete(id, by=who, space=space, expected=text)) is not None:
                parts.toast("Deleted.", undo=lambda: self._on_page(lambda: self._restore(id)))

    async def _restore(self, id: str) -> None:
        memory = await self._viewer.writing()
        await memory.restore(id, by=self._viewer.by, space=self._viewer.space)
        parts.toast("Brought back.")

    async def add_fact(self, channel: str) -> None:
        with self._viewer.client:
            told = await _fact()
            if told is None or not told[0].strip():
                return
            memory = await self._viewer.writing()
            chat = memory.channel(channel, space=self._viewer.space)
            made = await memory.add_fact(chat, told[0], by=self._viewer.by, person=told[1].strip() or None)
            parts.toast("Added.", undo=lambda: self._on_page(lambda: self._take_back(made.id)))

    async def _take_back(self, id: str) -> None:
        memory = await self._viewer.writing()
        await memory.delete(id, by=self._viewer.by, space=self._viewer.space)
        parts.toast("Taken back.")

    async def again(self, channel: str, first: int, last: int, what: str, *, edited: bool = False) -> None:
        """Makes a range again; what people wrote stays, unless they are asked and say otherwise."""
        with self._viewer.client:
            question = "Somebody wrote this by hand. Replace their words?"
            if edited and not await parts.sure(question, "Replace", more="You can undo it."):
                return
            memory = await self._viewer.writing()
            chat = memory.channel(channel, space=self._viewer.space)
            made = await memory.regenerate(chat, first, last, what, overwrite=edited)
            parts.toast(_made(made), undo=lambda: self._on_page(lambda: self._unmake(channel, made)))

    async def _unmake(self, channel: str, made: Regenerated) -> None:
        memory = await self._viewer.writing()
        chat = memory.channel(channel, space=self._viewer.space)
        if await _unless_changed(memory.undo_regenerate(chat, made, by=self._viewer.by)) is not None:
            parts.toast("As it was.")

    async def realign(self, channel: str) -> None:
        with self._viewer.client:
            memory = await self._viewer.writing()
            count = await memory.realign(memory.channel(channel, space=self._viewer.space))
            parts.toast("One meta was made again." if count == 1 else f"{count:,} metas were made again.")

    async def history(self, id: str, text: str) -> None:
        """Everything it has said so far; whoever may write can bring earlier words back."""
        with self._viewer.client:
            memory = await self._viewer.reading()
            versions = await memory.history(id, space=self._viewer.space)
            with ui.dialog() as dialog, html.div().classes("dialog wide").props("role=document"):
                html.h2("History")
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
            await self._on_page(lambda: self._edit(id, version.text, text, "Saved."))

        with html.div().classes("stack"):
            with html.div().classes("details"):
                parts.badge(f"{version.version}")
                html.span(f"{version.action} by {version.by}").props("dir=auto")
                parts.moment(version.at)
            if version.text:
                parts.text(version.text)
            else:
                html.p("Its words are no longer kept.").classes("quiet-text")
            if self._viewer.may_write and version.text and version.text != text:
                parts.button("Use these words again", bring_back, kind="small")

    async def _on_page(self, work: Callable[[], Awaitable[None]]) -> None:
        with self._viewer.client:
            await work()


async def _unless_changed(work: Awaitable[Any]) -> Any:
    """None when somebody else was faster, which is said."""
    try:
        return await work
    except (Changed, NotFound) as error:
        parts.toast(_MEANWHILE if isinstance(error, Changed) else str(error), wrong=True)
        return None


async def _fact() -> tuple[str, str] | None:
    with ui.dialog() as dialog, html.div().classes("dialog wide").props("role=document"):
        html.h2("Add a fact")
        words = ui.textarea().props('autogrow outlined aria-label="The fact" autofocus').classes("grow")
        who = ui.input().props('outlined dense aria-label="Whom it is about (a person\'s id)"')
        who.props["placeholder"] = "Whom it is about (a person's id), if anyone"
        with html.div().classes("row end"):
            parts.button("Cancel", lambda: dialog.submit(None), kind="quiet")
            parts.button("Add", lambda: dialog.submit((words.value or "", who.value or "")), kind="primary")
    answer: tuple[str, str] | None = await dialog
    dialog.delete()
    return answer


def _made(made: Regenerated) -> str:
    if not made.replaced and not made.gone:
        return "People's words stay as they are; nothing else was found."
    return "Made again; what people wrote was left." if made.kept else "Made again."


def busy(made: Element, work: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    """A button that can't be pressed twice while a model is at work."""

    async def run() -> None:
        made.props["disabled"] = True
        try:
            await work()
        finally:
            if not made.is_deleted:
                made.props.pop("disabled", None)
                made.update()

    return run
