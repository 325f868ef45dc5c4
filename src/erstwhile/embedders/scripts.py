"""Which texts a model can read: their script and length."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from erstwhile.base.later import late_pattern

LATIN: Final = "a-zA-Z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff"
HAN: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7fb"
KANA: Final = "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d"
CJK: Final = HAN + HANGUL + KANA
CYRILLIC: Final = "\u0400-\u052f"
ARABIC: Final = "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff"
THAI: Final = "\u0e00-\u0e7f"

_SAMPLE: Final = 2000  # characters, enough to see the script
_WORTH: Final = late_pattern(r"[^\W_]")
_LETTER: Final = late_pattern(r"[^\W\d_]")
_LAST_WORD: Final = late_pattern(r"\s+\S*\Z")


class Scripts:
    """The scripts a model knows; none means every script."""

    def __init__(self, *known: str) -> None:
        self._characters = "".join(known)

    def speak(self, text: str) -> bool:
        """Return whether a text has words or numbers, with at least half of its letters in a known
        script."""
        if not _WORTH.search(text):
            return False
        if not self._characters or text.isascii():
            return True
        letters = _LETTER.findall(text[:_SAMPLE])
        known = _one_of(self._characters).findall("".join(letters))
        return _weight(known) * 2 >= _weight(letters)


def _weight(letters: list[str]) -> int:
    """Count letters; a Chinese, Japanese or Korean one says about as much as three Latin ones."""
    return len(letters) + 2 * len(_one_of(CJK).findall("".join(letters)))


@cache
def _one_of(characters: str) -> re.Pattern[str]:
    """Compile a set of characters with its first use: large ranges take milliseconds."""
    return re.compile(f"[{characters}]")


def beginning(text: str, characters: int) -> str:
    """Cut a text to a length, at the end of a word if near. Invalid characters become "?"."""
    if len(text) > characters:
        head = text[:characters]
        cut = head if text[characters].isspace() else _LAST_WORD.sub("", head)
        text = cut if len(cut) * 10 >= characters * 8 else head
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
