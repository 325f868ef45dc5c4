"""Tell nouns and adjectives: by the vectors of a word and of the words beside it.

`training/nouns` makes the weights, from treebanks of English, German, French and Spanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

OTHER, ADJECTIVE, NOUN = range(3)
CLASSES: Final = 3
HIDDEN: Final = 32
FLAGS: Final = 5
BESIDE: Final = 3  # the word before, the word, the word after

_FILE: Final = Path(__file__).with_name("nouns.npz")
_GAP: Final = ""  # stands between two sentences, and is no word
_WORDS_KEPT: Final = 20_000


def classes(sentences: Sequence[Sequence[str]]) -> list[list[tuple[int, float]]]:
    """Return what each word of some sentences is, and how much it tells: rare words more, those
    that nobody knows nothing."""
    return _tagger().classes(sentences)


def vectors(words: Sequence[str]) -> Array:
    """Return the vector of each word; zeros for a word that nobody knows, and for a gap."""
    import numpy as np

    from erstwhile_vectors import DIMENSIONS, numbers, rows

    found = np.zeros((len(words), DIMENSIONS), np.float32)
    for place, word in enumerate(words):
        if word and (known := numbers(word)):
            found[place] = rows(np.array(known)).sum(0)
    return found


def flags(words: Sequence[str], tells: Sequence[float]) -> list[tuple[bool, ...]]:
    """Return how each word is written, and whether it is known. The words of several sentences
    have a gap between them."""
    found: list[tuple[bool, ...]] = []
    for word, before, known in zip(words, (_GAP, *words), tells, strict=False):
        capital, shouted = word[:1].isupper(), len(word) > 1 and word.isupper()
        letters = word[:1].isalpha() or not word
        unknown = bool(word) and not known
        found.append(
            (capital and bool(before), capital and not before, shouted, not letters, unknown)
        )
    return found


class _Tagger:
    """Two dense layers. What a word gives to the first one is worked out once for each word."""

    def __init__(self) -> None:
        import numpy as np

        stored = np.load(_FILE)
        first, self._last = (stored[name].astype(np.float32) for name in ("first", "last"))
        by_place = first[:-1].reshape(BESIDE, -1, HIDDEN)
        self._vectors, self._flags = by_place[:, :-FLAGS], by_place[:, -FLAGS:]
        self._bias = first[-1]
        self._words: dict[str, tuple[Array, float]] = {}

    def classes(self, sentences: Sequence[Sequence[str]]) -> list[list[tuple[int, float]]]:
        import numpy as np

        words = [word for sentence in sentences for word in (*sentence, _GAP)]
        known = self._given(words)
        tells = [known[word][1] for word in words]
        marks = np.array(flags(words, tells), np.float32)
        # Not "@", here and below: for so few numbers it would wake threads, which cost more.
        given = np.array([known[word][0] for word in words])
        given += np.einsum("nf,pfh->nph", marks, self._flags)
        hidden = given[:, 1] + self._bias
        hidden[1:] += given[:-1, 0]
        hidden[:-1] += given[1:, 2]
        found = np.einsum("nh,hc->nc", np.maximum(hidden, 0), self._last[:-1]) + self._last[-1]
        each = iter(zip(found.argmax(1).tolist(), tells, strict=True))
        return [[next(each) for _ in (*sentence, _GAP)][:-1] for sentence in sentences]

    def _given(self, words: Sequence[str]) -> dict[str, tuple[Array, float]]:
        """Return what each word gives to the layer, as the one before, itself and after; and how
        much it tells."""
        import numpy as np

        found, new = {}, []
        for word in dict.fromkeys(words):
            given = self._words.get(word)
            if given is None:
                new.append(word)
            else:
                found[word] = given
        if new:
            read = vectors(new)
            lengths = np.sqrt(np.vecdot(read, read))
            read /= np.maximum(1e-6, lengths)[:, None]
            made = np.einsum("nv,pvh->nph", read, self._vectors)
            found |= zip(new, zip(made, lengths.tolist(), strict=True), strict=True)
            if len(self._words) + len(new) > _WORDS_KEPT:
                self._words.clear()
            self._words.update((word, found[word]) for word in new)
        return found


@cache
def _tagger() -> _Tagger:
    return _Tagger()
