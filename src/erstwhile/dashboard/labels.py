"""Labels and colours of the kinds of memories."""

from __future__ import annotations

import re

from erstwhile.base.records import dataclass
from erstwhile.dashboard import parts
from erstwhile.memories import kinds


@dataclass(frozen=True, slots=True)
class KindLabel:
    """`colour` is a variable of dashboard.css. `page` is where a memory of this kind is shown."""

    label: str
    plural: str
    colour: str
    page: str = "channel"
    editable: bool = True


KINDS = {
    "message": KindLabel("message", "messages", "message", editable=False),
    "chunk": KindLabel("summary", "summaries", "chunk"),
    "meta": KindLabel("meta summary", "meta summaries", "meta"),
    "fact": KindLabel("fact", "facts", "fact"),
    "structured": KindLabel("structured memory", "structured memories", "structured"),
    "standing": KindLabel("standing request", "standing requests", "told", "person"),
    "brief": KindLabel("brief", "briefs", "note", editable=False),
    "told": KindLabel("remembered", "remembered", "told", "person"),
    "day": KindLabel("day", "days", "told", "person", editable=False),
    "note": KindLabel("note", "notes", "note", "notes"),
    "topic": KindLabel("topic", "topics", "note", "notes"),
    "profile": KindLabel("profile fact", "profile facts", "told", "person"),
}


PLOTTED = ("chunk", "meta", "fact", "structured", "told", "note")  # with a colour each


def of(kind: str) -> KindLabel:
    """Return the label of a kind, which a layer that is not in this list has registered."""
    if kind in KINDS or kind not in kinds.names():
        return KINDS.get(kind) or KindLabel(kind, f"{kind}s", "message")
    return KindLabel(kinds.get(kind).label.lower(), kinds.get(kind).plural, "message")


def count(number: int, kind: str) -> str:
    return parts.count(number, of(kind).label, of(kind).plural)


def without_speaker(text: str, name: str, person: str) -> str:
    """Leave out how a fact without a model begins, "Mina (4 Oct 2026): …" or "Mina (mina) (4 Oct
    2026): …": the person and the day are shown beside it."""
    named = rf"{re.escape(name)}(?: \({re.escape(person)}\))?"
    return re.sub(rf"^{named}\s*\([^()]{{4,40}}\):\s+", "", text)


_TIERS = {
    "assistant": "an assistant's words",
    "tool": "a tool's words",
    "third_party": "imported text, untrusted",
    "unknown": "of unknown origin",
}


def tier(trust: str) -> None:
    """Say whose words it is, if not a person's."""
    parts.badge_if(trust in _TIERS, _TIERS.get(trust, ""))


def badge(kind: str) -> None:
    made = parts.badge(of(kind).label)
    if kind != "message":
        made.style["color"] = f"var(--{of(kind).colour})"
