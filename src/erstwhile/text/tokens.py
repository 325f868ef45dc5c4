"""The one token counter: offline, without a vocabulary, a few percent on the high side so that
budgets hold.

Text is cut the way byte-pair tokenizers cut it first (words, digits by three, punctuation, line
breaks), and each piece costs what such pieces cost in o200k-like vocabularies, by script. Costs are
in hundredths of a token: integers, so the count is the same on every platform.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from erstwhile.base.later import late_pattern
from erstwhile.text import sentences

_LATIN: Final = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_CJK: Final = "\u1100-\u11ff\u3005-\u3007\u3041-\u30ff\u3105-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_WORD: Final = r"[A-Z]?[a-z]{1,7}|[A-Z]{1,3}"
# The apostrophe comes first, then the look at the letter before it: most pieces have none.
_CONTRACTION: Final = r"['\u2019](?<=[A-Za-z].)(?:s|t|ll|re|ve|d|m)\b"
_DIGITS: Final = r"[0-9]{1,3}"
_SPACE: Final = r"[\r\n]{1,8}|[^\S\r\n]{2,16}"
_SIGN: Final = r"[!-/:-@\[-`{-~]"
_SIGNS: Final = rf"(?P<run>{_SIGN})(?P=run){{1,15}}|{_SIGN}{{1,2}}"

# On ASCII every match is one token; so is the control character that nothing else takes.
_ASCII_PIECE: Final = late_pattern(
    rf"{_CONTRACTION}|{_WORD}|{_DIGITS}|{_SPACE}|{_SIGNS}|[\x00-\x08\x0e-\x1b\x7f]"
)
_PIECE: Final = late_pattern(
    rf"{_CONTRACTION}|(?P<latin>[{_LATIN}]+)|(?P<cjk>[{_CJK}]+)|(?P<cyrillic>[\u0400-\u052f]+)|{_DIGITS}|{_SPACE}"
    r"|(?P<emoji>[\U0001f000-\U0001faff])|(?P<astral>[\U00010000-\U0010ffff])"
    rf"|(?P<word>[^\W_]+)|{_SIGNS}|(?P<sign>\S)"
)

_LINES: Final = late_pattern(r"[\r\n]+|[^\r\n]+")
_CJK_COST: Final = 72  # o200k: Chinese 1.3 to 1.5, Korean 1.6 to 1.9 characters a token
_CYRILLIC_COST: Final = 36
_MARGIN: Final = 104
_ELLIPSIS: Final = "…"
_LINE: Final = 1000  # characters


def count(text: str) -> int:
    """About how many tokens `text` is; 0 only for nothing."""
    return _known(text) if len(text) <= _LINE else _count(text)


def _count(text: str) -> int:
    if not text:
        return 0
    if text.isascii():
        if len(text) <= _LINE:
            return _rounded(100 * len(_ASCII_PIECE.findall(text)))
        return _rounded(100 * sum(map(_pieces, _LINES.findall(text))))
    lines = _LINES.findall(text)
    return _rounded(
        sum(100 * -(-len(each) // 8) if each[0] in "\r\n" else _line(each) for each in lines)
    )


@lru_cache(maxsize=16_384)
def _pieces(line: str) -> int:
    """Split a line of ASCII, or line breaks, into pieces."""
    return len(_ASCII_PIECE.findall(line))


@lru_cache(maxsize=16_384)
def _line(line: str) -> int:
    """No piece reaches over the end of a line, so that a prompt costs what its lines do, most of
    which stood in the last one too."""
    return sum(cost for _, cost in _costs(line))


_known: Final = lru_cache(maxsize=16_384)(_count)  # lines are counted again at every turn


@lru_cache(maxsize=2048)
def cut(text: str, limit: int) -> str:
    """Return the longest beginning of `text` within `limit` tokens, whole sentences or else whole
    words, "…" if it was cut."""
    if count(text) <= limit:
        return text
    if limit < 1:
        return ""
    room = limit - 1
    while room > 0:
        kept = _whole(text, _offset(text, room))
        kept += f" {_ELLIPSIS}" if kept.endswith((".", "!", "?")) else _ELLIPSIS
        excess = count(kept) - limit
        if excess <= 0:
            return kept
        room -= excess
    return _ELLIPSIS


def _rounded(hundredths: int) -> int:
    return max(1, (hundredths * _MARGIN + 5000) // 10000)


def _costs(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each piece ends, and what it costs."""
    for match in _PIECE.finditer(text):
        kind = match.lastgroup
        yield match.end(), 100 if kind is None or kind == "run" else _cost(kind, match[0])


def _cost(kind: str, piece: str) -> int:
    if kind == "latin":
        if not piece.isascii():  # accented words are split more: about three letters a token
            return 100 * -(-len(piece) // 3)
        if len(piece) <= 7 and piece[1:].islower():
            return 100
        return 100 * len(_ASCII_PIECE.findall(piece))
    if kind == "cjk":
        return _CJK_COST * len(piece)
    if kind == "cyrillic":
        return max(100, _CYRILLIC_COST * len(piece))
    if kind == "word":
        return max(100, sum(45 if letter < "\u0800" else 55 for letter in piece))
    return {"emoji": 200, "astral": 300}.get(kind, 90)


def _offset(text: str, room: int) -> int:
    """Return how far `room` tokens reach."""
    spent, offset = 0, 0
    for end, cost in _costs(text):
        if spent + cost > room * 10000 // _MARGIN:
            width = end - offset
            # A long run of one kind (Chinese has no spaces) is shared out by character.
            return offset + width * max(0, room * 10000 // _MARGIN - spent) // cost
        spent, offset = spent + cost, end
    return offset


def _whole(text: str, offset: int) -> str:
    """Cut `text` at `offset`, back to the end of a sentence or line if that keeps most of it, else to
    the end of a word."""
    head = text[:offset]
    last = text.rfind("\n", 0, offset) + 1
    stops = (last + end for end in sentences.ends(text[last : offset + 1]))
    sentence = max((stop for stop in stops if stop <= offset), default=last)
    if offset < len(text) and sentence * 10 >= offset * 7 and sentence < len(head):
        return head[:sentence].rstrip()
    inside = offset < len(text) and text[offset].isalnum() and head[-1:].isalnum()
    if inside and head[-1:].isascii():
        words = re.split(r"\s", head[::-1], maxsplit=1)
        head = words[1][::-1] if len(words) == 2 else head
    return head.rstrip()
