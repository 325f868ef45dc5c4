"""Split texts into the words of a vocabulary, always taking the longest that fits.

Text is compared in lower case, and Chinese in simplified characters. What is not a letter or digit
of the seven languages separates words. An unknown word becomes the known pieces it begins with and
goes on with, so the same unknown word always gives the same pieces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from typing import Final

_LATIN: Final = "a-zß-öø-ɏḁ-ỿ"
_HANGUL: Final = "가-힣ㄱ-ㅣ"
_HAN_AND_KANA: Final = "一-鿿㐀-䶿々〇ぁ-ゖァ-ヺー"
_ASCII_RUN: Final = re.compile("[a-z]+|[0-9]+")
_REMEMBERED: Final = 100_000  # runs
_LONG: Final = 24  # longer runs hardly ever come again
_START: Final = 2  # characters
_FEW: Final = 100  # words: a process that only asks a question looks up no more


@cache  # compiled when it is needed: its ranges take as long as importing ten modules
def run_pattern() -> re.Pattern[str]:
    return re.compile(f"[{_LATIN}]+|[0-9]+|[{_HANGUL}]+|[{_HAN_AND_KANA}]+")


class Words:
    """Always true: a text gives the same numbers whatever was read before."""

    def __init__(self, words: bytes, simplified: Callable[[], Mapping[int, int]]) -> None:
        """`words`: one per line, in the order of their numbers."""
        self._listed = b"\n%b\n" % words
        self._simplify = simplified
        self._looked_up = 0
        self._numbers = dict[str, int]()  # of all words, once so many are looked up that it is worth it
        # The longest word with these first characters, and without them: nothing longer need be tried.
        self._limits: tuple[dict[str, int], int | None] = {}, None
        self._runs: dict[str, list[int]] = {}

    @cached_property
    def _simplified(self) -> Mapping[int, int]:
        return self._simplify()

    def __len__(self) -> int:
        return self._listed.count(b"\n") - 1

    def numbers(self, text: str) -> list[int]:
        """Return the numbers of the words of a text, in order."""
        found: list[int] = []
        runs = self._runs
        folded = self.folded(text)
        for run in (_ASCII_RUN if folded.isascii() else run_pattern()).findall(folded):
            known = runs.get(run)
            found += self._split(run) if known is None else known
        return found

    def folded(self, text: str) -> str:
        if text.isascii():
            return text.lower()
        return unicodedata.normalize("NFKC", text).lower().translate(self._simplified)

    def _split(self, run: str) -> list[int]:
        found = self._pieces(run)
        if len(run) <= _LONG:
            if len(self._runs) >= _REMEMBERED:
                self._runs.clear()
            self._runs[run] = found
        return found

    def _pieces(self, run: str) -> list[int]:
        find = self._numbers.get if self._numbers else self._look_up
        found: list[int] = []
        at, end = 0, len(run)
        while at < end:
            longest, otherwise = self._limits
            length = min(end - at, longest.get(run[at : at + _START], otherwise or end))
            while length > 1:
                number = find(run[at : at + length])
                if number is not None:
                    break
                length -= 1
            else:
                number = find(run[at])
                length = 1
            if number is not None:
                found.append(number)
            at += length
        return found

    def _look_up(self, word: str) -> int | None:
        """Find a word in the list: a few take less time than to number all."""
        self._looked_up += 1
        if self._looked_up <= _FEW:
            at = self._listed.find(b"\n%b\n" % word.encode())
            return None if at < 0 else self._listed.count(b"\n", 0, at)
        if not self._numbers:
            words = self._listed.decode().split("\n")[1:-1]
            self._limits = _longest(words), _START
            self._numbers = {word: number for number, word in enumerate(words)}
        return self._numbers.get(word)


def _longest(words: Iterable[str]) -> dict[str, int]:
    """Return the length of the longest word with these first characters, if it has more than these."""
    found: dict[str, int] = {}
    known = found.get
    for word in words:
        start, length = word[:_START], len(word)
        if length > known(start, _START):
            found[start] = length
    return found
