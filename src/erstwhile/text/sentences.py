"""Sentences of English, Korean, Chinese, Japanese, and of chat lines that have no punctuation at
all.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from erstwhile.base.later import late_pattern
from erstwhile.language import languages

_HAN: Final = "\u3400-\u9fff\u3041-\u30ff"
_LAUGHTER: Final = "\u314b\u314e\u3160\u315c"  # single Korean letters
_EMOJI: Final = "\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d"
# A possible end: stops with what closes them, or what a chat has in place of one. A run is tried
# from its first character only and never given back, which keeps long runs linear.
_END: Final = late_pattern(
    "(?P<wide>[。！？｡]++[」』”’）)\"']*+)"
    "|(?P<stop>(?<![.!?…])[.!?…]++[\"'”’)\\]]*+)(?=\\s)"
    f"|(?P<chat>(?<![{_EMOJI}])[{_EMOJI}]++|(?<![{_LAUGHTER}])[{_LAUGHTER}]{{2,}}+|(?<![~～♡♥])[~～♡♥]++)(?=\\s)"
    f"|(?<=[{_HAN}]{{4}})(?P<gap>[ \u3000]++)(?=[{_HAN}]{{2}})"
)
# The same in ASCII, where a search can pass over what is no stop.
_ASCII_END: Final = late_pattern("(?P<stop>[.!?](?<![.!?]{2})[.!?]*+[\"')\\]]*+)(?=\\s)")
_WORD_BEFORE: Final = late_pattern(r"(?:^|[\s(\"'“‘])([^\s(\"'“‘]{1,12})$")


def split(text: str) -> list[str]:
    """Return the sentences of `text`, stripped, none empty. A line break always ends one."""
    return [piece for line in text.splitlines() for piece in _of_line(line)]


def ends(line: str) -> list[int]:
    """Return where the sentences of one line end."""
    pattern = _ASCII_END if line.isascii() and "~" not in line else _END
    found = [match.end() for match in pattern.finditer(line) if _is_end(line, match)]
    if not found or found[-1] < len(line):
        found.append(len(line))
    return found


def _of_line(line: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for end in ends(line):
        piece = line[start:end].strip()
        if piece:
            pieces.append(piece)
        start = end
    return pieces


def _is_end(line: str, match: re.Match[str]) -> bool:
    stop = match["stop"]
    if stop is None or stop[0] != "." or stop.startswith(".."):
        return True
    before = _WORD_BEFORE.search(line, max(0, match.start() - 13), match.start())
    if before is None:
        return True
    word = before[1].lower()
    # "Samstag 20. um acht", "am 3. Mai".
    if word.isdigit() and len(word) < 3 and _is_ordinal(line, match):
        return False
    if len(word) == 1 and word.isalpha() and word.isascii():  # an initial: "J. Kim"
        return False
    # "1. Buy milk".
    if word.isdigit() and match.start() < 6 and line[: match.start()].strip() == word:
        return False
    if word in _abbreviations():
        return word in _can_end() and line[match.end() : match.end() + 4].lstrip()[:1].isupper()
    return True


@cache
def _abbreviations() -> frozenset[str]:
    known = [each.sentences for each in languages() if each.sentences]
    return frozenset(word for each in known for word in each.abbreviations.split())


@cache
def _can_end() -> frozenset[str]:
    known = [each.sentences for each in languages() if each.sentences]
    return frozenset(word for each in known for word in each.can_end.split())


def _is_ordinal(line: str, match: re.Match[str]) -> bool:
    """Return whether a number with a full stop is a day or a rank."""
    if match.end() - match.start("stop") != 1:
        return False
    before, after = _ordinals()
    start = match.start()
    numbered = before.search(line, max(0, start - 16), start)
    return bool(numbered or after.match(line, match.end()))


@cache
def _ordinals() -> tuple[re.Pattern[str], re.Pattern[str]]:
    known = [each.sentences for each in languages() if each.sentences]
    before = "|".join(each.ordinal_after for each in known if each.ordinal_after)
    after = "|".join(each.ordinal_before for each in known if each.ordinal_before)
    return (
        re.compile(rf"(?:^|\W)(?:{before}),? \d{{1,2}}$", re.IGNORECASE),
        re.compile(rf" (?:{after})\b", re.IGNORECASE),
    )
