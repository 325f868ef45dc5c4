"""Split texts into the words of a vocabulary, always taking the longest that fits.

Text is compared in lower case, and Chinese in simplified characters. What is not a letter or digit
of the seven languages separates words. An unknown word becomes the known pieces it begins with and
goes on with, so the same unknown word always gives the same pieces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_LATIN: Final = "a-zß-öø-ɏḁ-ỿ"
_HANGUL: Final = "가-힣ㄱ-ㅣ"
_HAN_AND_KANA: Final = "一-鿿㐀-䶿々〇ぁ-ゖァ-ヺー"
_RUN: Final = re.compile(f"[{_LATIN}]+|[0-9]+|[{_HANGUL}]+|[{_HAN_AND_KANA}]+")
_REMEMBERED: Final = 100_000  # runs
_LONG: Final = 24  # longer runs hardly ever come again
_START: Final = 2  # characters
_FEW: Final = 50  # runs: a process that only asks a question splits no more


class Words:
    """Always true: a text gives the same numbers whatever was read before."""

    def __init__(self, words: Sequence[str], simplified: Mapping[int, int]) -> None:
        self._numbers = {word: number for number, word in enumerate(words)}
        self._simplified = dict(simplified)
        self._runs: dict[str, list[int]] = {}
        # The longest word with these first characters, and without them: nothing longer need be tried.
        self._limits = dict[str, int](), max(map(len, words), default=1)

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, text: str) -> list[int]:
        """Return the numbers of the words of a text, in order."""
        found: list[int] = []
        runs = self._runs
        for run in _RUN.findall(self.folded(text)):
            known = runs.get(run)
            found += self._split(run) if known is None else known
        return found

    def folded(self, text: str) -> str:
        if text.isascii():
            return text.lower()
        return unicodedata.normalize("NFKC", text).lower().translate(self._simplified)

    def _split(self, run: str) -> list[int]:
        if len(self._runs) >= _FEW and self._limits[1] > _START:
            self._limits = _longest(self._numbers), _START
        found = self._pieces(run)
        if len(run) <= _LONG:
            if len(self._runs) >= _REMEMBERED:
                self._runs.clear()
            self._runs[run] = found
        return found

    def _pieces(self, run: str) -> list[int]:
        numbers, (longest, otherwise) = self._numbers, self._limits
        found: list[int] = []
        at, end = 0, len(run)
        while at < end:
            length = min(end - at, longest.get(run[at : at + _START], otherwise))
            while length > 1:
                number = numbers.get(run[at : at + length])
                if number is not None:
                    break
                length -= 1
            else:
                number = numbers.get(run[at])
                length = 1
            if number is not None:
                found.append(number)
            at += length
        return found


def _longest(words: Iterable[str]) -> dict[str, int]:
    """Return the length of the longest word with these first characters, if it has more than these."""
    found: dict[str, int] = {}
    known = found.get
    for word in words:
        start, length = word[:_START], len(word)
        if length > known(start, _START):
            found[start] = length
    return found
