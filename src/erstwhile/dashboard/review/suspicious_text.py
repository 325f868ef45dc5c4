"""A text in parts: suspicious ones are marked, secrets covered, hidden characters named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from erstwhile.text import suspect

COVER: Final = "••••••••"
REASONS: Final = {
    "instruction": "Instruction",
    "authority": "Claims authority",
    "secret": "Secret",
    "hidden": "Hidden signs",
    "sending": "Sends data away",
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
    """Whether a text has a secret, which is covered."""
    return any(reason == suspect.SECRET for _, _, reason in suspect.spans(text))
