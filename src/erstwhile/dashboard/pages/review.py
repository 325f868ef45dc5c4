"""Review: flagged memories, one decision each."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from nicegui import html
from nicegui.element import Element

from erstwhile.base import ids
from erstwhile.base.errors import Error
from erstwhile.base.page import Page
from erstwhile.base.records import dataclass
from erstwhile.dashboard import dialogs, labels, parts
from erstwhile.dashboard.actions import MemoryActions
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.search.flagged import FlaggedMemory
from erstwhile.text import suspect

COVER: Final = "••••••••"
REASONS: Final = {
    "instruction": "Instruction",
    "authority": "Claims authority",
    "secret": "Secret",
    "hidden": "Hidden signs",
    "sending": "Sends data away",
    "unverified": "Not verified",
    "contradiction": "Contradiction",
}


@dataclass(frozen=True, slots=True)
class TextPart:
    """`reason` is empty where nothing is suspicious."""

    text: str
    reason: str = ""


def pieces(text: str, *, covered: bool = True) -> list[TextPart]:
    found: list[TextPart] = []
    at = 0
    for start, end, reason in suspect.spans(text):
        if start > at:
            found.append(TextPart(text[at:start]))
        found.append(TextPart(_shown(text[start:end], reason, covered=covered), reason))
        at = end
    if at < len(text):
        found.append(TextPart(text[at:]))
    return found


def _shown(words: str, reason: str, *, covered: bool) -> str:
    if reason == suspect.SECRET and covered:
        return COVER
    if reason == suspect.HIDDEN:
        return "".join(f"[U+{ord(sign):04X}]" for sign in words)
    return words


def held_back(text: str) -> bool:
    """Return whether a text has a secret, which is covered."""
    return any(reason == suspect.SECRET for _, _, reason in suspect.spans(text))


_PAGE = 25
_LOUD = ("instruction", "secret", "sending")


@page("/review")
async def review(viewer: Viewer) -> None:
    shown = _FlaggedMemories(viewer)
    await shown.build()
    viewer.again(shown.again, kinds=ids.kinds())


class _FlaggedMemories:
    def __init__(self, viewer: Viewer) -> None:
        self._viewer, self._actions = viewer, MemoryActions(viewer, self.again)
        reason = viewer.asked("reason")
        self._reason = reason if reason in REASONS else None
        self._reviewed = viewer.asked("reviewed") == "1"
        self._before = viewer.asked("before") or None
        self._open: set[str] = set()  # ids of memories whose secrets are shown
        self._seen: tuple[Page[FlaggedMemory], dict[str, int]] = (Page(), {})
        self._names: dict[str, str] = {}

    async def build(self) -> None:
        self._seen = await self._read()
        parts.title(
            "Flagged memories",
            "They instruct a machine, claim authority, hold secrets or hidden characters, send data away, or contradict "
            "each other. Until you decide, they are kept and only quoted as what somebody said.",
        )
        self._filters: Element = html.nav().classes("row filters").props('aria-label="Reasons"')
        self._list: Element = html.div().classes("stack")
        self._draw()

    async def again(self) -> None:
        seen = await self._read()
        if (seen, seen[0].next) != (self._seen, self._seen[0].next):
            self._seen = seen
            self._draw()

    async def _read(self) -> tuple[Page[FlaggedMemory], dict[str, int]]:
        memory = await self._viewer.reading()

        async def flagged(cursor: str | None) -> Page[FlaggedMemory]:
            chosen: Any = {"reason": self._reason, "reviewed": self._reviewed}
            return await memory.memories.flagged(**chosen, cursor=cursor, limit=_PAGE)

        try:
            found = await flagged(self._before)
        except Error:  # the memory to go on from was decided meanwhile: start from the newest
            self._before = None
            found = await flagged(None)
        if unknown := {each.person for each in found if each.person} - self._names.keys():
            listed = await memory.people.list(people=sorted(unknown), limit=len(unknown))
            self._names |= {each.person: each.name for each in listed}
        return found, await memory.spaces.flags()

    def _draw(self) -> None:
        found, counts = self._seen
        viewer, reviewed = self._viewer, 1 if self._reviewed else None
        with parts.redrawn(self._filters):
            shown = [
                each for each in REASONS if counts[each] or self._reviewed or each == self._reason
            ]
            reasons: list[tuple[str | None, str, int]] = [(None, "All", sum(counts.values()))]
            reasons += [(each, REASONS[each], counts[each]) for each in shown]
            for reason, name, count in reasons:
                here = "true" if reason == self._reason else None
                url = viewer.url("/review", reason=reason, reviewed=reviewed)
                with parts.link(name, url, "chip", here=here):
                    if not self._reviewed:
                        html.span(f"{count:,}").classes("count")
            html.span().classes("grow")
            turned = None if self._reviewed else 1
            other = viewer.url("/review", reason=self._reason, reviewed=turned)
            parts.link("To review" if self._reviewed else "Reviewed", other, "button quiet")
        with parts.redrawn(self._list):
            if not found:
                self._nothing(sum(counts.values()))
            for each in found:
                self._item(each)
            at = partial(viewer.url, "/review", reason=self._reason, reviewed=reviewed)
            older = at(before=found.next) if found.next else None
            parts.pages(at() if self._before else None, older)

    def _nothing(self, left: int) -> None:
        if self._reviewed:
            parts.empty("Nothing was reviewed yet. Memories that someone keeps are listed here.")
        elif left:
            parts.empty("Nothing is flagged for this reason. Choose another above.")
        else:
            parts.empty("Nothing to review. A memory that looks suspicious appears here by itself.")

    def _item(self, each: FlaggedMemory) -> None:
        with parts.card("", "flagged") as made:
            made.props("data-row")
            with html.div().classes("row"):
                for reason in each.reasons:
                    parts.badge(REASONS[reason], "bad" if reason in _LOUD else "warn")
                parts.badge(labels.of(each.kind).label).classes("kind")
                html.span().classes("grow")
                parts.moment(each.at)
            self._words(each.text, covered=each.id not in self._open)
            if each.other_text is not None:
                html.div("Later message:").classes("quiet-text")
                self._words(each.other_text, covered=each.id not in self._open)
            with html.div().classes("details"):
                if each.person:
                    with html.span("About "):
                        parts.person_link(
                            self._viewer, each.person, self._names.get(each.person) or each.person
                        )
                parts.said(each.speaker and f"Said by {each.speaker}")
                parts.said(each.writer and f"Written by {each.writer}")
                if each.channel:
                    parts.message_link(self._viewer, each.channel, each.seq, "Source")
                if each.reviewed_by and each.reviewed_at:
                    parts.said(f"Kept by {each.reviewed_by}")
                    parts.moment(each.reviewed_at)
            with html.div().classes("row"):
                self._buttons(each)

    def _words(self, text: str, *, covered: bool) -> None:
        with html.div().classes("text words").props("dir=auto"):
            for piece in pieces(text, covered=covered):
                if piece.reason:
                    html.mark(piece.text).props["title"] = REASONS[piece.reason]
                else:
                    html.span(piece.text)

    def _buttons(self, each: FlaggedMemory) -> None:
        if held_back(each.text) or held_back(each.other_text or ""):
            hidden = each.id not in self._open

            async def turn() -> None:
                await self._viewer.reading()
                (self._open.add if hidden else self._open.discard)(each.id)
                self._draw()

            parts.button("Show secret" if hidden else "Hide secret", turn)
        if not self._viewer.may_write:
            return
        if self._reviewed:
            parts.button("Review again", lambda: self._reopen(each))
        else:
            parts.button("Keep", lambda: self._keep(each), kind="primary")
        if labels.of(each.kind).editable:
            parts.button("Edit", lambda: self._edit(each))
            parts.button("Delete", lambda: self._actions.delete(each.id), kind="danger")

    async def _keep(self, each: FlaggedMemory) -> None:
        memory = await self._viewer.writing()
        await memory.memories.review(each.id, by=self._viewer.by)
        await self.again()
        with self._viewer.client:  # not in the list, which was redrawn
            dialogs.toast("Kept as it is.", undo=lambda: self._reopen(each))

    async def _reopen(self, each: FlaggedMemory) -> None:
        memory = await self._viewer.writing()
        await memory.memories.review(each.id, by=self._viewer.by, decision="reopen")
        await self.again()

    async def _edit(self, each: FlaggedMemory) -> None:
        memory = await self._viewer.reading()
        text = (await memory.memories.history(each.id))[-1].text
        await self._actions.edit(each.id, text, expected=text)
