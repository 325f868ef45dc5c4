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

    split = [numbers(word) if word else [] for word in words]
    found = np.zeros((len(words), DIMENSIONS), np.float32)
    known = [place for place, each in enumerate(split) if each]
    if known:
        starts = np.cumsum([0, *(len(split[place]) for place in known)])[:-1]
        read = rows(np.array([number for each in split for number in each]))
        found[known] = np.add.reduceat(read, starts, axis=0)
    return found


def flags(words: Sequence[str], tells: Sequence[float]) -> list[tuple[bool, ...]]:
    """Return how each word is written, and whether it is known. The words of several sentences
    have a gap between them."""
    given = zip(words, (_GAP, *words), tells, strict=False)
    return [_flags(word, known, starts=not before) for word, before, known in given]


def _flags(word: str, tells: float, *, starts: bool) -> tuple[bool, ...]:
    capital, shouted = word[:1].isupper(), len(word) > 1 and word.isupper()
    letters = word[:1].isalpha() or not word
    unknown = bool(word) and not tells
    return capital and not starts, capital and starts, shouted, not letters, unknown


_Word = tuple[str, bool]
"""A word, and whether it starts a sentence."""


class _Tagger:
    """Two dense layers. What a word gives to the first one is worked out once for each word."""

    def __init__(self) -> None:
        import numpy as np

        stored = np.load(_FILE)
        first, self._last = (stored[name].astype(np.float32) for name in ("first", "last"))
        by_place = first[:-1].reshape(BESIDE, -1, HIDDEN)
        self._vectors, self._flags = by_place[:, :-FLAGS], by_place[:, -FLAGS:]
        self._bias = first[-1]
        self._words: dict[_Word, tuple[Array, float]] = {}

    def classes(self, sentences: Sequence[Sequence[str]]) -> list[list[tuple[int, float]]]:
        import numpy as np

        placed = (enumerate((*sentence, _GAP)) for sentence in sentences)
        words = [(word, not place) for sentence in placed for place, word in sentence]
        known = self._given(set(words))
        read = [known[word] for word in words]
        given = np.array([each for each, _ in read])
        hidden = given[:, 1] + self._bias
        hidden[1:] += given[:-1, 0]
        hidden[:-1] += given[1:, 2]
        # Not "@", here and below: for so few numbers it would wake threads, which cost more.
        found = np.einsum("nh,hc->nc", np.maximum(hidden, 0), self._last[:-1]) + self._last[-1]
        tells = [told for _, told in read]
        each = iter(zip(found.argmax(1).tolist(), tells, strict=True))
        return [[next(each) for _ in (*sentence, _GAP)][:-1] for sentence in sentences]

    def _given(self, words: set[_Word]) -> dict[_Word, tuple[Array, float]]:
        """Return what each word gives to the layer, as the one before, itself and after; and how
        much it tells."""
        import numpy as np

        new = list(words.difference(self._words))
        if len(self._words) + len(new) > _WORDS_KEPT:
            self._words, new = {}, list(words)
        if new:
            read = vectors([word for word, _ in new])
            lengths = np.sqrt(np.vecdot(read, read))
            read /= np.maximum(1e-6, lengths)[:, None]
            tells = lengths.tolist()
            both = zip(new, tells, strict=True)
            written = [_flags(word, told, starts=starts) for (word, starts), told in both]
            marks = np.array(written, np.float32)
            made = np.einsum("nv,pvh->nph", read, self._vectors)
            made += np.einsum("nf,pfh->nph", marks, self._flags)
            self._words |= zip(new, zip(made, tells, strict=True), strict=True)
        return self._words


@cache
def _tagger() -> _Tagger:
    return _Tagger()
