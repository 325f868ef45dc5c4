"""A conversation as chat bubbles."""

from __future__ import annotations

from nicegui import html
from nicegui.element import Element

from erstwhile.dashboard import parts
from erstwhile.dashboard.viewer import Viewer
from erstwhile.log.model import Message

_BUBBLES = {"assistant": "message assistant", "system": "message system", "tool": "message tool"}
_LONGEST = 4_000  # characters that a bubble shows at first


def bubble(viewer: Viewer, channel: str, row: Element, message: Message) -> None:
    row.classes(_BUBBLES.get(message.role, "message"))
    row.props["data-seq"] = message.seq
    with html.div().classes("details"):
        _speaker(viewer, message)
        if message.role != "user" and message.speaker != message.role:
            parts.badge(message.role)
        if message.model:
            parts.badge(message.model).props("dir=auto")
        parts.moment(message.at)
        place = html.a(f"#{message.seq}", href=viewer.url("/conversations/channel", channel=channel, seq=message.seq))
        place.classes("place").props["aria-label"] = f"Message {message.seq}"
    words(message.text, _LONGEST)


def _speaker(viewer: Viewer, message: Message) -> None:
    if message.person is None:
        html.span(message.speaker).classes("speaker").props("dir=auto")
        return
    parts.person_link(viewer, message.person, message.speaker, "speaker")


def words(text: str, longest: int, classes: str = "") -> None:
    """Show the beginning of a long text, and the rest on demand: many of them would slow a browser
    down."""
    if len(text) <= longest:
        parts.text(text, classes)
        return
    shown = parts.text(text[:longest] + "…", classes)

    def whole() -> None:
        parts.reword(shown, text)
        shown.classes(remove="clamped")
        more.delete()

    more = parts.button(f"Show all {len(text):,} characters", whole, kind="small")
