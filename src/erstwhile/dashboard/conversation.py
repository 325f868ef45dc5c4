"""A conversation: its messages as chat bubbles, and its memories as rows with sources and actions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, Generic, NamedTuple, TypeVar

from nicegui import html
from nicegui.element import Element

from erstwhile.api.channels import ChannelBrief, ChannelEntry, MemoryCounts, Summary
from erstwhile.api.memory import Memory
from erstwhile.base import ids
from erstwhile.base.page import every
from erstwhile.base.records import dataclass
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.actions import MemoryActions
from erstwhile.dashboard.panel import Panel, Rows
from erstwhile.dashboard.parts import Handler, tag
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.facts.model import Fact
from erstwhile.layers.notes.model import Buffer, Note
from erstwhile.log.model import Message

_BUBBLES = {"assistant": "message assistant", "system": "message system", "tool": "message tool"}
_LONGEST = 4_000  # characters that a bubble shows at first


def bubble(viewer: Viewer, channel: str, row: Element, message: Message) -> None:
    row.classes(_BUBBLES.get(message.role, "message"))
    row.props["data-seq"] = message.seq
    with html.div().classes("details"):
        if message.person is None:
            parts.said(message.speaker, "speaker")
        else:
            parts.person_link(viewer, message.person, message.speaker, "speaker")
        parts.badge_if(message.role != "user" and message.speaker != message.role, message.role)
        if message.model:
            parts.badge(message.model).props("dir=auto")
        parts.moment(message.at)
        url = viewer.url("/conversations/channel", channel=channel, seq=message.seq)
        parts.tag("a", "place", f"#{message.seq}", href=url, aria_label=f"Message {message.seq}")
    long_text(message.text, _LONGEST)


def long_text(text: str, longest: int, classes: str = "") -> None:
    if len(text) <= longest:
        parts.text(text, classes)
        return
    shown = parts.text(text[:longest] + "…", classes)

    def whole() -> None:
        parts.reword(shown, text)
        shown.classes(remove="clamped")
        more.delete()

    more = parts.button(f"Show all {len(text):,} characters", whole, kind="small")


PAGE = 60  # messages at first
MOST = 180  # messages on a page that follows; then its oldest go
_BEFORE = 20  # of what was said before the message that is looked for


@dataclass(frozen=True, slots=True)
class ShownRange:
    """Messages `first` to `last` of `size`. If it `follows`, it moves on with the conversation."""

    first: int
    last: int
    size: int
    follows: bool

    @property
    def older(self) -> int | None:
        """The last message of the page before."""
        return self.first - 1 if self.first > 1 else None

    @property
    def newer(self) -> int | None:
        """The first message of the page after."""
        return self.last + 1 if self.last < self.size else None

    def moved(self, size: int) -> ShownRange:
        """Return the range after the conversation went on."""
        if not self.follows:
            return replace(self, size=size)
        return ShownRange(max(self.first, size - MOST + 1), max(size, 1), size, True)


def choose_range(size: int, *, around: int = 0, first: int = 0, last: int = 0) -> ShownRange:
    """Choose a range: around a message, from one on, up to one, or else the newest."""
    if around:
        first = max(1, min(around, max(size, 1)) - _BEFORE)
    elif last:
        end = max(1, min(last, size))
        return ShownRange(max(1, end - PAGE + 1), end, size, False)
    if not first:
        return ShownRange(max(1, size - PAGE + 1), max(size, 1), size, True)
    first = min(first, max(size, 1))
    return ShownRange(first, first + PAGE - 1, size, False)


def sources(first: int, last: int) -> str:
    """Return the value of data-sources; empty for what was added by hand."""
    if last < first:
        return ""
    return str(first) if first == last else f"{first}-{last}"


def messages(first: int, last: int) -> str:
    return f"message {first:,}" if first == last else f"messages {first:,}–{last:,}"


_WEIGHTY = 4  # of 5


@dataclass(frozen=True, slots=True)
class MemoryRows:
    """Draw the memories of one channel for one viewer."""

    viewer: Viewer
    channel: str
    actions: MemoryActions
    names: Mapping[str, str]

    def summary(self, row: Element, summary: Summary) -> None:
        row.classes(add="stale" if summary.stale else "", remove="" if summary.stale else "stale")
        span = summary.first, summary.last
        with self._row(row, "meta" if summary.level else "chunk", summary.id, span, summary.text):
            parts.badge_if(summary.level > 1, f"level {summary.level}", "meta")
            if summary.stale:
                badge = parts.badge("stale", "warn")
                badge.props["title"] = "What it was made from has changed since."
            self._from(summary.id, *span)
            _writer(summary.writer, summary.draft, summary.edited_by)
            parts.moment(summary.to_at)
        with self._buttons(summary.id, summary.text):
            if self.viewer.may_write and not summary.level:
                self._regenerate(summary, "chunk", "Make again")
                self._regenerate(summary, "facts", "Facts again")
            elif self.viewer.may_write:
                self._regenerate(summary, "meta", "Make again")

    def fact(self, row: Element, fact: Fact) -> None:
        if fact.seq is not None:
            row.props["data-lean"] = fact.seq
        span = fact.first_seq, fact.last_seq
        name = self.names.get(fact.person or "", fact.person or "")
        words = labels.without_speaker(fact.text, name, fact.person or "")
        with self._row(row, "fact", fact.id, span, words):
            parts.badge(fact.category, "fact")
            weight = "very important" if fact.importance > _WEIGHTY else "important"
            parts.badge_if(fact.importance >= _WEIGHTY, weight)
            if fact.person is not None:
                parts.person_link(self.viewer, fact.person, name)
            self._from(fact.id, *(span if fact.seq is None else (fact.seq, fact.seq)))
            if fact.links:
                html.span(f"also in {parts.count(len(fact.links), 'other place')}")
            _writer(fact.writer, fact.draft, fact.edited_by)
            parts.moment(fact.at)
        self._buttons(fact.id, fact.text)

    def brief(self, row: Element, brief: ChannelBrief) -> None:
        with self._row(row, "brief", brief.id, (1, brief.through_seq), brief.text):
            html.span(f"covers messages up to {brief.through_seq:,}")
            html.span(parts.count(brief.tokens, "token"))
            _writer(brief.writer, brief.draft, None)
            parts.moment(brief.updated_at)

    def note(self, row: Element, note: Note) -> None:
        if note.title:
            html.h3(note.title).props("dir=auto")
        span = note.first_seq, note.last_seq if note.kind == "note" else -1
        with self._row(row, "note", note.id, span, note.text):
            parts.badge_if(note.kind == "topic", "topic", "topic")
            html.span(note.day.isoformat())
            for person in note.people:
                parts.person_link(self.viewer, person, self.names.get(person, person))
            if note.kind == "note":
                self._from(note.id, *span)
            _writer(note.writer, note.draft, None)
        self._buttons(note.id, note.text)

    def buffer(self, row: Element, buffer: Buffer) -> None:
        state = "being noted" if buffer.closed else "noted once the conversation is quiet"
        html.div(f"{parts.count(buffer.messages, 'message')} by people, {state}.")
        id, span = f"buffer-{buffer.first_seq}", (buffer.first_seq, buffer.last_seq)
        with self._row(row, "buffer", id, span):
            self._from(id, *span)
            html.span("last message")
            parts.moment(buffer.updated_at)

    @contextmanager
    def _row(
        self, row: Element, kind: str, id: str, span: tuple[int, int], text: str = ""
    ) -> Iterator[None]:
        """Draw a memory; its details are drawn inside."""
        row.classes(f"memory {kind}")
        row.props["data-id"], row.props["data-sources"] = id, sources(*span)
        if text:
            parts.text(text)
        with html.div().classes("details"):
            yield

    def _from(self, id: str, first: int, last: int) -> None:
        """Link to the sources, also on another page; the memory stays chosen."""
        if last < first:
            html.span("added by hand")
            return
        url = self.viewer.url("/conversations/channel", channel=self.channel, seq=first, memory=id)
        tag("a", "jump", messages(first, last), href=url, data_jump=first)

    def _buttons(self, id: str, text: str) -> Element:
        with tag("div", "actions") as made:
            if self.viewer.may_write:
                _small("Edit", lambda: self.actions.edit(id, text, expected=text), text)
                _small("Delete", lambda: self.actions.delete(id, expected=text), text)
            _small("History", lambda: self.actions.history(id, text), text)
        return made

    def _regenerate(self, summary: Summary, what: str, label: str) -> None:
        edited = what != "facts" and summary.edited_by is not None
        place = (self.channel, summary.first, summary.last, what)
        _small(label, lambda: self.actions.regenerate(*place, edited=edited), summary.text, busy="")


def _small(label: str, work: parts.Handler, text: str, busy: str | None = None) -> None:
    gist = text if len(text) <= 60 else text[:59] + "…"
    parts.button(label, work, kind="quiet small", name=f"{label}: {gist}", busy=busy)


def _writer(writer: str, draft: bool, edited_by: str | None) -> None:
    parts.draft(draft)
    if edited_by is not None:
        parts.said(f"by {edited_by}" if writer == f"hand:{edited_by}" else f"edited by {edited_by}")
    elif writer and not draft:
        parts.said(f"by {writer}")


T = TypeVar("T")

MORE = 50  # rows that are asked for at a time
_FEW = 20  # so many metas are shown whatever they are about
_NOTES = 10
_NOTES_APPEAR = "A note is written when the conversation has been quiet for a while."
META, CHUNK, FACTS = "meta", "chunk", "facts"
NOTES, BUFFERS, BRIEF = "notes", "buffers", "brief"


class SectionKind(NamedTuple):
    """`kinds`: the kinds of event that change it. `ranged`: it shows those about the messages shown,
    and offers the rest."""

    tab: str
    heading: str
    none: str
    kinds: tuple[str, ...]
    ranged: bool = False


_SUMMED: Final = ("chunk", "meta")
_NOTED: Final = ("note", "topic")
SECTIONS: Final = {
    FACTS: SectionKind("Facts", "Facts", "Facts are extracted with each summary.", ("fact",), True),
    CHUNK: SectionKind("Summaries", "Summaries", "Ten messages make a summary.", _SUMMED, True),
    META: SectionKind(
        "Summaries", "Meta summaries", "Ten summaries make a meta summary.", _SUMMED, True
    ),
    NOTES: SectionKind("Notes", "Notes", _NOTES_APPEAR, _NOTED),
    BUFFERS: SectionKind(
        "Notes", "Not in a note yet", "Every message is in a note.", ("message", *_NOTED)
    ),
    BRIEF: SectionKind("Brief", "Brief", "There is no brief yet.", ("brief",)),
}
EVERYTHING = frozenset(SECTIONS)


def changed_parts(kind: str) -> Collection[str]:
    """Return the sections that an event changes. Memories of other kinds change none, other events
    all."""
    changed = [name for name, section in SECTIONS.items() if kind in section.kinds]
    return changed if changed or kind in ids.kinds() else EVERYTHING


async def read_sections(
    memory: Memory,
    outline: ChannelEntry,
    shown: ShownRange,
    newest: Mapping[str, int],
    parts: Collection[str],
) -> dict[str, Sequence[Any]]:
    """Read what sections show: of some the `newest`, so many, else those about the messages shown."""
    chat, made = memory.channel(outline.channel), outline.made or MemoryCounts()
    near = {"first": shown.first, "last": shown.last}
    channels, found = memory.channels, dict[str, Sequence[Any]]()
    if META in parts:
        around = await every(channels.summaries, chat=chat, **near)
        found[META] = [each for each in around if each.level]
        found[CHUNK] = [each for each in around if not each.level]
        if META in newest or made.metas <= _FEW:
            metas: list[Summary] = []
            for level in range(made.levels, 0, -1):  # the highest covers most in the fewest words
                rest = newest.get(META, _FEW) - len(metas)
                if rest > 0:
                    metas += (await channels.summaries(chat, level=level, limit=rest))[::-1]
            found[META] = metas
        if CHUNK in newest:
            found[CHUNK] = (await channels.summaries(chat, level=0, limit=newest[CHUNK]))[::-1]
    if FACTS in parts and FACTS in newest:
        found[FACTS] = (await memory.facts.list(chat, limit=newest[FACTS]))[::-1]
    elif FACTS in parts:
        found[FACTS] = await every(memory.facts.list, chat=chat, **near)
    if BRIEF in parts:
        brief = await channels.brief(chat)
        found[BRIEF] = [brief] if brief else []
    if NOTES in parts:
        notes = memory.notes.list(channel=chat.channel, kind="note", limit=_NOTES)
        found[NOTES] = await notes
    if BUFFERS in parts:
        found[BUFFERS] = (await memory.notes.buffers(channel=chat.channel))[::-1]
    return found


class MemorySection(Generic[T]):
    """`widen` gets how many of the newest to show, None for those about the messages shown."""

    def __init__(
        self, heading: str, draw: Callable[[Element, T], None], key: Callable[[T], Hashable]
    ) -> None:
        made = parts.Section(heading)
        self._count = made.count
        with made.inside:
            self.head = tag("div", "row")
            self._rows = Rows[T](html.div().classes("stack").props("role=list"), key, draw)
            self._none = parts.quiet("")
            self._foot = Panel[tuple[int, int, int | None]](self._offer, box=tag("div", "row foot"))

    def show(self, items: Sequence[T], total: int, none: str) -> None:
        self._rows.show(items)
        parts.reword(self._count, f"{total:,}")
        parts.reword(self._none, none if not items else "")
        self._none.set_visibility(not items)

    def offer(
        self, shown: int, total: int, newest: int | None, widen: Callable[[int | None], Handler]
    ) -> None:
        """Offer the rest."""
        self._widen = widen
        self._foot.show((shown, total, newest))

    def _offer(self, offered: tuple[int, int, int | None]) -> None:
        shown, total, newest = offered
        if newest is None and shown < total:
            if shown:
                words = f"{shown:,} of {total:,}: about the messages shown."
                html.span(words).classes("quiet-text")
            parts.button("Show all", self._widen(MORE), kind="small")
        elif newest is not None:
            if shown < total:
                more = f"Show {min(MORE, total - shown):,} more"
                parts.button(more, self._widen(newest + MORE), kind="small")
            parts.button("Only about these messages", self._widen(None), kind="small quiet")
