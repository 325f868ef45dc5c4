"""Format a conversation for a model: one line per message, inside a fence that no text can close.

Lines at the margin are ours: a cleaned label or a time. All other text, with its line breaks, is
indented behind its label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from erstwhile.base.later import late_pattern
from erstwhile.language import codes, of
from erstwhile.text import detection, labels
from erstwhile.writers.port import TranscriptLine

MESSAGE_CHARACTERS = 1200
BEFORE_CHARACTERS = 120
_OFTEN = 0.2  # share of the texts, from which a script is more than a name in them
# A time costs about ten tokens, so it is shown after a pause or on a new day only.
_PAUSE = timedelta(hours=1)
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# Lone surrogates can't be sent, control characters mean nothing, tag characters are invisible text.
_UNSENDABLE = late_pattern(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\U000e0000-\U000e007f]")


def render(
    lines: Iterable[TranscriptLine],
    *,
    numbered: bool = False,
    before: Sequence[TranscriptLine] = (),
) -> str:
    """Format lines. With `numbered` each has its number, from 1, for references. `before` comes in a fence of its own,
    cut short."""
    rows: list[str] = []
    shown: datetime | None = None
    for number, line in enumerate(lines, start=1):
        if line.at is not None and _worth_showing(line.at, shown):
            rows.append(f"[{line.at:%Y-%m-%d} {_WEEKDAYS[line.at.weekday()]} {line.at:%H:%M}]")
        shown = line.at or shown
        rows.append(f"{f'#{number} ' if numbered else ''}{label(line)}: {_body(line.text)}")
    earlier = [f"{label(line)}: {_body(line.text, BEFORE_CHARACTERS)}" for line in before]
    fenced = ["<before>", *earlier, "</before>"] if earlier else []
    return "\n".join([*fenced, "<conversation>", *rows, "</conversation>"])


def closing(what: str, texts: Iterable[str], *, each: str = "") -> str:
    """Return the last line of a request: what to write, and in which language. Small models forget what stands before
    the material. `each`: in which language, where the texts are in several scripts."""
    given = list(texts)
    if each and _in_several_scripts(given):
        return f"{what} {each}:"
    code = detection.dominant(given)
    if code not in codes():
        return f"{what} in the language of the conversation:"
    return f"{what} in {of(code).name}:"


def _in_several_scripts(texts: Sequence[str]) -> bool:
    found = Counter(filter(None, map(detection.main_script, texts)))
    if found["kana"]:  # a Japanese text may have no kana
        found["kana"] += found.pop("han", 0)
    often = [script for script, count in found.items() if count >= _OFTEN * found.total()]
    return len(often) > 1


def label(line: TranscriptLine) -> str:
    """Return the label of the speaker. A role is upper-cased; a person named like one is quoted."""
    named = "" if line.speaker == line.role else labels.label(line.speaker)
    role = f" ({line.role})" if named.endswith('"') else ""
    return _escape(named + role) or line.role.upper()


def plain(text: str) -> str:
    """Remove the fence's escapes from what a model quoted."""
    return text.replace("&lt;", "<").replace("&amp;", "&")


def _worth_showing(at: datetime, shown: datetime | None) -> bool:
    if shown is None:
        return True
    if (at.tzinfo is None) != (shown.tzinfo is None):
        return True  # not comparable
    return at.date() != shown.date() or abs(at - shown) >= _PAUSE


def _body(text: str, most: int = MESSAGE_CHARACTERS) -> str:
    cleaned = _clean(text)
    cut = cleaned[:most] + "…" if len(cleaned) > most else cleaned
    rows = [row.strip() for row in cut.splitlines()]
    return "\n  ".join(_escape(row) for row in rows if row)


def _clean(text: str) -> str:
    return _UNSENDABLE.sub("", text)


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
