"""How a conversation is shown to a model: one line a message, inside one fence that nothing said can leave.

A line that starts at the margin is ours: a label that was cleaned, or a time. Whatever else someone wrote, line breaks
included, stays behind their own label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from erstwhile.writers.port import Line

MESSAGE_CHARACTERS = 1200
_LABEL_CHARACTERS = 80
_ROLES = frozenset({"user", "assistant", "system", "tool", "developer"})
# A time costs about ten tokens, so it is shown when the day changes or the talk paused, not on every line.
_PAUSE = timedelta(hours=1)
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# Lone surrogates can't be sent, control characters mean nothing, tag characters are text that only a model sees.
_UNSENDABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\U000e0000-\U000e007f]")


def render(lines: Iterable[Line], *, numbered: bool = False) -> str:
    """With `numbered`, each message starts with its number, from 1, so that an answer can say which one it leans on."""
    rows: list[str] = []
    shown: datetime | None = None
    for number, line in enumerate(lines, start=1):
        if line.at is not None and _worth_showing(line.at, shown):
            rows.append(f"[{line.at:%Y-%m-%d} {_WEEKDAYS[line.at.weekday()]} {line.at:%H:%M}]")
        shown = line.at or shown
        rows.append(f"{f'#{number} ' if numbered else ''}{label(line)}: {_body(line.text)}")
    return "\n".join(["<conversation>", *rows, "</conversation>"])


def label(line: Line) -> str:
    """The speaker. A role is upper-cased; a person who calls themselves by a role they don't have is quoted."""
    name = " ".join(_clean(line.speaker).replace(":", " ").split())[:_LABEL_CHARACTERS].strip()
    if not name or name.casefold() == line.role.casefold():
        return line.role.upper()
    if name.casefold() in _ROLES or name.startswith("["):
        return _escape(f'"{name}" ({line.role})')
    return _escape(name)


def plain(text: str) -> str:
    """Takes the fence's escapes out of what a model quoted."""
    return text.replace("&lt;", "<").replace("&amp;", "&")


def _worth_showing(at: datetime, shown: datetime | None) -> bool:
    if shown is None:
        return True
    if (at.tzinfo is None) != (shown.tzinfo is None):
        return True  # times that can't be compared
    return at.date() != shown.date() or abs(at - shown) >= _PAUSE


def _body(text: str) -> str:
    cleaned = _clean(text)
    cut = cleaned[:MESSAGE_CHARACTERS] + "…" if len(cleaned) > MESSAGE_CHARACTERS else cleaned
    rows = [row.strip() for row in cut.splitlines()]
    return "\n  ".join(_escape(row) for row in rows if row)


def _clean(text: str) -> str:
    return _UNSENDABLE.sub("", text)


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
