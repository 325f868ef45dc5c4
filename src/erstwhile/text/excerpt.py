"""Cut a long text to whole sentences: the first ones, or those that bear on a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from erstwhile.text import analyse, sentences, tokens
from erstwhile.text.lines import flat

# What a sentence counts for the next one, which goes on with it, and for the one before.
_BEFORE, _AFTER = 0.5, 0.25
_MARK = "…"
# Of a longer text, the pieces that have most of the terms are read, and no others: a message may
# have a megabyte, and is cut anew for each question.
LONGEST, _PIECE = 16_000, 2_000  # characters
_MOST_TERMS = 64
_END = 1_000  # characters
_ANALYSED = 8  # a character costs as many times what it costs to look for terms in it
_WIDEST = 16  # characters that a token may have


def beginning(text: str, limit: int) -> str:
    """Return the first sentences and lines that fit into `limit` tokens, with a mark if others
    follow; "" if not even the first one fits."""
    head = text[: _WIDEST * max(0, limit)]
    return _first_sentences(head, limit, more=len(head) < len(text))


@lru_cache(maxsize=1024)  # the same texts are cut at every turn
def _first_sentences(head: str, limit: int, *, more: bool) -> str:
    """Return those of the beginning of a text that has `more` behind it."""
    if not more and tokens.count(head) <= limit:
        return head
    ends = _ends(head)
    if more:
        ends.pop()  # the sentence may go on
    first, last = 0, len(ends)  # so many sentences fit
    while first < last:
        middle = (first + last + 1) // 2
        if tokens.count(_marked(head[: ends[middle - 1]])) <= limit:
            first = middle
        else:
            last = middle - 1
    kept = head[: ends[first - 1]] if first else ""
    return _marked(kept) if any(map(str.isalnum, kept)) else ""  # a mark alone says nothing


def _ends(text: str) -> list[int]:
    """Return where the sentences and lines of a text end."""
    found, start = [], 0
    for line in text.splitlines(keepends=True):
        found += [start + end for end in sentences.ends(line.rstrip())] if line.strip() else []
        start += len(line)
    return found or [len(text)]


def _marked(text: str) -> str:
    return f"{text.rstrip().removesuffix(f' {_MARK}')} {_MARK}"


class Allowance:
    """How much of long texts may be read. A context can have dozens of a megabyte each: to read them all took 2.7 s of
    CPU, where they are not in ASCII."""

    def __init__(self, characters: int = 2_000_000) -> None:
        self._left = characters

    def covers(self, text: str) -> bool:
        """Return whether a text may be read, which is then taken from the allowance."""
        cost = _ANALYSED * min(len(text), LONGEST) + (len(text) if len(text) > LONGEST else 0)
        if cost > self._left:
            return False
        self._left -= cost
        return True


def cut_to_sentences(
    text: str, terms: frozenset[str], limit: int, allowance: Allowance | None = None
) -> str:
    """Return the sentences that bear on the terms, in one line, with a mark where others are left out; the beginning, if
    none does; "" if none fits. Of a text that the allowance does not cover, only the ends are read."""
    if allowance is not None and not allowance.covers(text):
        text = f"{text[:_END]}\n{text[-_END:]}" if len(text) > 2 * _END else text
    elif len(text) > LONGEST:
        text = _likely_pieces(text, terms)
    pieces = [flat(piece) for piece in sentences.split(text)]
    weights = _weights(pieces, terms)
    if not any(weights):
        return beginning(flat(text), limit)
    room, kept = limit - 2, set[int]()
    for number in sorted(range(len(pieces)), key=lambda number: -weights[number]):
        cost = tokens.count(pieces[number]) + 1  # with a mark
        if weights[number] and cost <= room:
            kept.add(number)
            room -= cost
    return _joined(pieces, kept) if kept else ""


def _likely_pieces(text: str, terms: frozenset[str]) -> str:
    """Return the pieces of a text in which most of the terms begin, the first ones if none does."""
    # A stem may end in another letter than its word.
    beginnings = {term[:-1] if len(term) > 3 else term for term in terms}
    wanted = sorted(beginnings, key=lambda each: (-len(each), each))[:_MOST_TERMS]
    pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
    found = [piece.lower() if piece.isascii() else analyse.folded(piece) for piece in pieces]
    hits = [sum(each in piece for each in wanted) for piece in found]
    best = sorted(range(len(pieces)), key=lambda number: -hits[number])[: LONGEST // _PIECE]
    best.sort()
    return "".join(pieces[at] if at + 1 in best else f"{pieces[at]}\n" for at in best)


def _weights(pieces: Sequence[str], terms: frozenset[str]) -> list[float]:
    """Return how much each sentence bears on the terms: a term counts less the more sentences have it."""
    found = [terms.intersection(analyse.document_terms(piece)) for piece in pieces]
    holding = Counter(term for each in found for term in each)
    own = [sum(1 / holding[term] for term in each) for each in found]
    before, after = [0.0, *own[:-1]], [*own[1:], 0.0]
    beside = zip(own, before, after, strict=True)
    return [one + _BEFORE * last + _AFTER * following for one, last, following in beside]


def _joined(pieces: Sequence[str], kept: set[int]) -> str:
    found: list[str] = []
    for number, piece in enumerate(pieces):
        if number in kept:
            found.append(piece)
        elif not found or found[-1] != _MARK:
            found.append(_MARK)
    return " ".join(found)
