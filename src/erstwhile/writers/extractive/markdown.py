"""Remove code, tables, quotes of others, Markdown marks and links from a message."""

from __future__ import annotations

import re
from typing import Final

_DRESS: Final = re.compile(r"[\[`*_~<]|://")  # what every pattern of `_undressed` needs
_FENCE: Final = re.compile(r"^\s*(?:```|~~~)")
_NOISE_LINE: Final = re.compile(
    r"^\s*(?:>|\||#{1,6}\s|[-=*_]{3,}\s*$|<[^>]{1,200}>\s*$|(?: {4}|\t)\S.*[;{}()=]\s*$)"
)
_BULLET: Final = re.compile(r"^\s*(?:[-*+•‣◦]|\d{1,3}[.)])\s+")
_LINK: Final = re.compile(r"!?\[([^\]\n]{0,200})\]\([^)\s]{0,500}\)")
_URL: Final = re.compile(r"\bhttps?://([^\s/]{1,80})\S{0,400}")
_CODE: Final = re.compile(r"`([^`\n]{1,80})`")
_EMPHASIS: Final = re.compile(r"\*{1,3}|__|~~")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>\n]{0,100}>")
_SPACES: Final = re.compile(r"[\s\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\U000e0000-\U000e0fff]")


def plain(text: str) -> list[tuple[str, bool]]:
    """Return the lines of `text` that are speech, each with whether it was an item of a list."""
    kept: list[tuple[str, bool]] = []
    inside = False
    for line in _CONTROLS.sub("", text.replace("\r", "\n")).split("\n"):
        if _FENCE.match(line):
            inside = not inside
        elif not inside and not _NOISE_LINE.match(line):
            bullet = _BULLET.match(line)
            words = one_line(_undressed(line[bullet.end() :] if bullet else line))
            if words:
                kept.append((words, bullet is not None))
    return kept


def one_line(text: str) -> str:
    """Join to one line with plain apostrophes, which the patterns expect."""
    return _SPACES.sub(" ", text.replace("’", "'")).strip()


def _undressed(line: str) -> str:
    if not _DRESS.search(line):
        return line
    line = _URL.sub(r"\1", _LINK.sub(r"\1", line))
    return _EMPHASIS.sub("", _CODE.sub(r"\1", _TAG.sub("", line)))
