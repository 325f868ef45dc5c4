"""Split words into the pieces of a vocabulary (byte-pair encoding), as the `tokenizers` library does.

Here, since that library brings 20 further packages and 60 MB; the pieces are the same.
"""

from __future__ import annotations

import heapq
import json
import re
from pathlib import Path
from typing import Any, Final

_START: Final = "▁"  # before a word


class WordPieces:
    """The vocabulary of a `tokenizer.json` without a pre-tokenizer: each word begins with "▁", and a
    character that is not in the vocabulary becomes its bytes."""

    def __init__(self, file: Path) -> None:
        found: dict[str, Any] = json.loads(file.read_text("utf-8"))
        model = found["model"]
        self._ids: dict[str, int] = model["vocab"]
        # The rank of each two pieces that may be joined, by "left right"; a low rank is joined first.
        self._ranks: dict[str, int] = {pair: rank for rank, pair in enumerate(model["merges"])}
        marks = [each["content"] for each in found["added_tokens"]]
        self._marks = re.compile("(" + "|".join(map(re.escape, marks)) + ")")

    def ids(self, word: str) -> list[int]:
        """Return the ids of the pieces of a word. It has no spaces."""
        whole = self._ids.get(_START + word)
        if whole is not None:  # joining would end here too; a test checks every word of the vocabulary
            return [whole]
        if "<" not in word:
            return self._encode(word)
        found: list[int] = []
        for part in self._marks.split(word):
            if part:
                found += [self._ids[part]] if self._marks.fullmatch(part) else self._encode(part)
        return found

    def _encode(self, word: str) -> list[int]:
        pieces: list[str] = []
        for character in _START + word:
            if character in self._ids:
                pieces.append(character)
            else:
                pieces += [f"<0x{byte:02X}>" for byte in character.encode()]
        return [self._ids[piece] for piece in self._joined(pieces)]

    def _joined(self, pieces: list[str]) -> list[str]:
        """Join neighbours until none may be joined, the lowest rank first, from the left."""
        ranks, last = self._ranks, len(pieces)
        after = list(range(1, last + 1))
        before = list(range(-1, last - 1))
        waiting = [
            (rank, left, left + 1)
            for left in range(last - 1)
            if (rank := ranks.get(f"{pieces[left]} {pieces[left + 1]}")) is not None
        ]
        heapq.heapify(waiting)
        while waiting:
            rank, left, right = heapq.heappop(waiting)
            if after[left] != right or not pieces[left] or ranks.get(f"{pieces[left]} {pieces[right]}") != rank:
                continue  # one of them was joined meanwhile
            pieces[left], pieces[right] = pieces[left] + pieces[right], ""
            after[left] = following = after[right]
            if following < last:
                before[following] = left
                _push(waiting, ranks, pieces, (left, following))
            if before[left] >= 0:
                _push(waiting, ranks, pieces, (before[left], left))
        return [piece for piece in pieces if piece]


def _push(waiting: list[tuple[int, int, int]], ranks: dict[str, int], pieces: list[str], pair: tuple[int, int]) -> None:
    left, right = pair
    rank = ranks.get(f"{pieces[left]} {pieces[right]}")
    if rank is not None:
        heapq.heappush(waiting, (rank, left, right))
