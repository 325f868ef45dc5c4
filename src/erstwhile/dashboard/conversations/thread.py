"""Messages of a conversation: as chat bubbles, and the range that a page shows."""

from __future__ import annotations

from dataclasses import replace

from nicegui import html
from nicegui.element import Element

from erstwhile.base.records import dataclass
from erstwhile.dashboard import parts
from erstwhile.dashboard.viewer import Viewer
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
    """Show the beginning of a long text, and the rest on demand."""
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
    """Return the messages in words."""
    return f"message {first:,}" if first == last else f"messages {first:,}–{last:,}"
