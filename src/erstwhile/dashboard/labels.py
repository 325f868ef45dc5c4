"""Labels and colours of the kinds of memories."""

from __future__ import annotations

import re

from erstwhile.base.records import dataclass
from erstwhile.dashboard import parts
from erstwhile.memories import kinds, registry


@dataclass(frozen=True, slots=True)
class KindLabel:
    """`colour` is a variable of dashboard.css. `page` is where a memory of this kind is shown."""

    label: str
    plural: str
    colour: str
    page: str = "channel"
    editable: bool = True


def of(kind: str) -> KindLabel:
    """Return the label of a kind, as its layer declares it."""
    if registry.entry(kind) is None:
        return KindLabel(kind, f"{kind}s", "message", editable=kind != "message")
    made = kinds.get(kind)
    one, many = made.one or made.label.lower(), made.many or made.plural
    return KindLabel(one, many, made.colour, made.page, made.by_hand)


def plotted() -> list[str]:
    """Return the kinds with a colour of their own."""
    return [name for name in kinds.names() if kinds.get(name).colour == name]


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
