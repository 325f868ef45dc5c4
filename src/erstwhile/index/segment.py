"""The index of a space's messages, or of its memories, in memory: everything that ranking needs of a document but its text.

A segment is a copy of what the database has, filled and kept up to date from the feed of documents. It belongs to one
space.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.index.arrays import SegmentArrays
from erstwhile.index.columns import Columns, Matrix
from erstwhile.index.links import Links, MessagesOfChannel
from erstwhile.index.markers import Markers
from erstwhile.index.part import NO_ORDER, IndexPart, IndexWords
from erstwhile.index.postings import Counts, Ints, Postings, key
from erstwhile.index.spelling import Spelling, most_like
from erstwhile.index.traits import REPLY
from erstwhile.storage import Row

Places = NDArray[np.int64]

_GUESSED = 256  # unknown words whose guesses are kept
_RUNS = 64  # of documents in order; where there are more, documents are looked up one by one
CODED = ("kind", "channel", "person", "writer")  # columns whose values have numbers
_NONE = -1
_REPLYING = 0.2  # the share of replies from which on it is talk with an assistant
_VERSION = re.compile(r"#[\w-]+(/\d+)?$|(?<=^extractive)/\d+$")


@lru_cache(maxsize=1024)
def writer_name(writer: str | None) -> str | None:
    """Return the writer without prompt and version: openai:gpt-5#summarise/1 is openai:gpt-5."""
    return None if writer is None else _VERSION.sub("", writer)


class Segment:
    def __init__(self, *, talk: bool) -> None:
        """`talk`: the documents are messages, so that they have neighbours and sessions."""
        self.talk = talk
        self.columns = Columns(
            doc="i8", kind="i2", channel="i4", person="i4", writer="i4", at="i8", seq="i4", until="i4",
            size="i4", words="u4", traits="b", alive="b", before="i4", after="i4", session="i4",
            first_day="i4", days="i2", name0="u4", name1="u4", name2="u4",
        )  # fmt: skip
        self.postings = Postings()
        self.matrix = Matrix()
        self.alive = 0
        self.words = 0  # the sum of all sizes
        self.replies = 0  # messages that no person said
        self._codes: dict[str, dict[str | None, int]] = {name: {} for name in CODED}
        self._spelt: dict[str, list[str | None]] = {name: [] for name in CODED}
        self._runs: list[
            tuple[int, int]
        ] = []  # from place to place, documents in the order of their numbers
        self._strays: dict[int, int] = {}  # the places of documents that came out of order
        self._links = Links(self.columns)
        self._linked = True
        self._spellings: list[Spelling] = []  # of stored words
        self._spelling: tuple[int, Spelling] | None = None  # of the others
        self._like: dict[
            str, dict[str, float]
        ] = {}  # what was found in these; a context asks twice for the same
        self._arrays: SegmentArrays | None = None  # until something changes

    def __len__(self) -> int:
        return self.columns.length

    def code(self, column: str, value: str | None) -> int:
        """Return the number of a channel, person, kind or writer; one that no document has, if it is unknown."""
        return self._codes[column].get(value, -2)

    def names(self, column: str) -> Sequence[str | None]:
        """Return what the numbers in a column stand for."""
        return self._spelt[column]

    @property
    def arrays(self) -> SegmentArrays:
        """Return where its arrays are, for the ranking in C."""
        if self._arrays is None:
            self._arrays = SegmentArrays(self)
        return self._arrays

    # Filling: whatever changes something lets `_arrays` go

    def add(self, rows: Sequence[Row], *, link: bool = True) -> None:
        """Add documents. Those that are there already are left alone. Without `link`, call `relink` at the end."""
        rows = self._unknown(rows)
        if not rows:
            return
        self._arrays = None
        first = self.columns.length
        markers = Markers()
        terms = [markers.take(row["terms"].split(), row["at"]) for row in rows]
        sizes = [len(each) for each in terms]
        self.columns.extend(
            {
                "doc": [row["doc"] for row in rows],
                **{
                    name: self._coded(name, [row[name] for row in rows])
                    for name in ("kind", "channel", "person")
                },
                "writer": self._coded("writer", [writer_name(row["writer"]) for row in rows]),
                "at": [row["at"] for row in rows],
                "seq": [_NONE if row["seq"] is None else row["seq"] for row in rows],
                "until": [_NONE if row["until"] is None else row["until"] for row in rows],
                "size": sizes,
                "words": [zlib.crc32(" ".join(each).encode()) for each in terms],
                "traits": [row["traits"] for row in rows],
                "alive": np.ones(len(rows), np.int8),
                "before": np.full(len(rows), _NONE, np.int32),
                "after": np.full(len(rows), _NONE, np.int32),
                **markers.columns(),
            }
        )
        self.postings.add(first, terms)
        self.alive += len(rows)
        self.words += sum(sizes)
        self.replies += sum(row["traits"] & REPLY > 0 for row in rows)
        self._note_numbers(first)
        if self.talk and link:
            self._links.add(first)
        self._linked = self._linked and link

    def use(self, part: IndexPart) -> None:
        """Add a stored part. The first is used as it is, without a copy; documents that are there already are left out."""
        self._arrays = None
        first = self.columns.length
        if first:
            self._append(part, first)
        else:
            self.columns.use(part.columns, part.length)
            for name, names in part.names.items():
                self._spelt[name] = list(names)
                self._codes[name] = {value: code for code, value in enumerate(names)}
            if part.filled:
                self.matrix.use(part.vectors, part.rows, part.filled)
            self._links.use(part.order)
            self.alive, self.words = part.length, part.size
            self.replies = _count_replies(self.columns["traits"])
        self.postings.use(part.blocks, first)
        self._spellings.append(part.words.spelling)
        self._like.clear()
        if part.length:
            self._note_numbers(first)

    def _append(self, part: IndexPart, first: int) -> None:
        codes = {
            name: np.array(self._coded(name, names), np.int32) for name, names in part.names.items()
        }
        columns = {name: part.columns[name][: part.length] for name in self.columns}
        known = self._places(columns["doc"]) != _NONE
        columns |= {name: codes[name][columns[name]] for name in codes}
        columns["alive"] = (~known).astype(np.int8)
        self.columns.extend(columns)
        self.alive += int((~known).sum())
        self.words += int(columns["size"][~known].sum())
        self.replies += _count_replies(columns["traits"][~known])
        if part.filled:
            rows = np.flatnonzero(part.vectors["scale"][: part.rows])
            self.matrix.put_rows(rows + first, part.vectors["bytes"][rows])
        if self.talk:
            places = part.order.places + first
            places = places[self.columns["alive"][places] > 0]
            by_channel = np.argsort(self.columns["channel"][places], kind="stable")
            self._links.add_order(places[by_channel])

    def part(self) -> IndexPart:
        """Return what is in memory as a part."""
        self._arrays = None  # what is open is sealed
        spelling = Spelling(sorted(self.postings.words()))
        keys = np.array([key(word) for word in spelling.words], np.uint64)
        return IndexPart(
            talk=self.talk,
            columns={name: self.columns[name] for name in self.columns},
            length=self.columns.length,
            size=self.words,
            names=self._spelt,
            blocks=self.postings.blocks,
            order=NO_ORDER,  # it is made when parts are joined
            words=IndexWords(spelling, keys),
            vectors=self.matrix.arrays,
            rows=self.matrix.rows,
            filled=self.matrix.filled,
        )

    def drop(self, doc: int) -> None:
        place = self._place(doc)
        if place != _NONE and self.columns["alive"][place]:
            self._arrays = None
            self.columns["alive"][place] = 0
            self.alive -= 1
            self.words -= int(self.columns["size"][place])
            self.replies -= int(self.columns["traits"][place]) & REPLY > 0
            if self.talk and self._linked:
                self._links.drop(place)

    def relink(self) -> None:
        """Link messages that were added without links."""
        if self.talk and not self._linked:
            self._arrays = None
            self._links.link_all()
        self._linked = True

    @property
    def with_assistant(self) -> bool:
        """Return whether it is talk with an assistant: then its replies don't say how long messages usually are."""
        return self.replies > _REPLYING * self.alive

    @property
    def dead(self) -> int:
        return self.columns.length - self.alive

    def put_vectors(self, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Store vectors of documents of this segment. A server may have replaced its model under the same name: of
        vectors that can't be compared, the latest count."""
        self._arrays = None
        places = self._places([doc for doc, _ in vectors]).tolist()
        found = [
            (place, vector)
            for place, (_, vector) in zip(places, vectors, strict=True)
            if place != _NONE
        ]
        if found:
            found = [each for each in found if len(each[1]) == len(found[-1][1])]
            self.matrix.put([place for place, _ in found], [vector for _, vector in found])

    def put_rows(self, docs: NDArray[np.int64], values: NDArray[np.int8]) -> None:
        """Store the vectors of those documents that are in this segment."""
        self._arrays = None
        places = self._places(docs)
        there = places != _NONE
        if there.any():
            self.matrix.put_rows(places[there], values[there])

    def _places(self, docs: Sequence[int] | NDArray[Any]) -> Places:
        """Return where documents are, -1 for those that are not here."""
        wanted = np.asarray(docs, np.int64)
        found = np.full(len(wanted), _NONE, np.int64)
        numbers = self.columns["doc"]
        for first, last in self._runs:
            places = np.minimum(np.searchsorted(numbers[first:last], wanted) + first, last - 1)
            there = (numbers[places] == wanted) & (found == _NONE)
            found[there] = places[there]
        for at, doc in enumerate(wanted.tolist() if self._strays else ()):
            found[at] = self._strays.get(doc, found[at])
        return found

    def _unknown(self, rows: Sequence[Row]) -> Sequence[Row]:
        docs = self.columns["doc"]
        if (
            not len(docs)
            or not rows
            or (len(self._runs) == 1 and not self._strays and rows[0]["doc"] > docs[-1])
        ):
            return rows
        places = self._places([row["doc"] for row in rows])
        return [row for row, place in zip(rows, places.tolist(), strict=True) if place == _NONE]

    def _coded(self, column: str, values: Sequence[str | None]) -> list[int]:
        codes, spelt = self._codes[column], self._spelt[column]
        found = [codes.setdefault(value, len(codes)) for value in values]
        if len(codes) > len(spelt):
            spelt.extend(list(codes)[len(spelt) :])
        return found

    def _place(self, doc: int) -> int:
        place = self._strays.get(doc)
        if place is not None:
            return place
        docs = self.columns["doc"]
        for first, last in self._runs:
            place = first + int(np.searchsorted(docs[first:last], doc))
            if place < last and docs[place] == doc:
                return place
        return _NONE

    def _note_numbers(self, first: int) -> None:
        """Note where the documents from a place on are."""
        docs, length = self.columns["doc"], self.columns.length
        if bool((np.diff(docs[first:]) <= 0).any()):
            self._strays.update(
                {int(doc): place for place, doc in enumerate(docs[first:], start=first)}
            )
        elif self._runs and self._runs[-1][1] == first and docs[first - 1] < docs[first]:
            self._runs[-1] = (self._runs[-1][0], length)
        elif len(self._runs) < _RUNS:
            self._runs.append((first, length))
        else:
            self._strays.update(
                {int(doc): place for place, doc in enumerate(docs[first:], start=first)}
            )

    def said_in(self, channel: str | None) -> MessagesOfChannel:
        return self._links.said_in(
            self.code("channel", channel), self.columns["alive"] if self.dead else None
        )

    # Reading

    def find(self, term: str) -> tuple[Ints, Counts]:
        return self.find_all((term,))[term]

    def find_all(self, terms: Sequence[str]) -> dict[str, tuple[Ints, Counts]]:
        """Return where each term is, in order, and how often."""
        found = dict(zip(terms, self.postings.find(terms), strict=True))
        if not self.dead:
            return found
        alive = self.columns["alive"].view(bool)
        return {
            term: (places[there], counts[there])
            for term, (places, counts) in found.items()
            for there in [alive.take(places)]
        }

    def knows(self, term: str) -> bool:
        """Return whether a document has the term."""
        return len(self.find(term)[0]) > 0

    def like(self, term: str) -> dict[str, float]:
        """Return terms spelt like one that the segment lacks. Terms of the last few hundred messages may be missing."""
        if self._spelling is None or self.columns.length > 1.05 * self._spelling[0] + 200:
            self._spelling = (self.columns.length, Spelling(sorted(self.postings.words())))
            self._like.clear()
        found = self._like.get(term)
        if found is None:
            if len(self._like) >= _GUESSED:
                self._like.clear()
            found = self._like[term] = most_like(term, [*self._spellings, self._spelling[1]])
        return found

    def mask(
        self,
        wanted: Mapping[str, Sequence[str | None]],
        since: int | None = None,
        until: int | None = None,
    ) -> NDArray[Any]:
        """Return which documents have one of the wanted values in each column and were said within the time."""
        chosen = self.columns["alive"].view(bool)
        for column, values in wanted.items():
            codes = [self.code(column, value) for value in values]
            held = self.columns[column]
            chosen = chosen & ((held == codes[0]) if len(codes) == 1 else np.isin(held, codes))
        if since is not None:
            chosen = chosen & (self.columns["at"] >= since)
        if until is not None:
            chosen = chosen & (self.columns["at"] < until)
        return chosen

    @property
    def bytes(self) -> int:
        return self.columns.bytes + self.postings.bytes + self.matrix.bytes


def _count_replies(traits: NDArray[Any]) -> int:
    return int(np.count_nonzero(traits & REPLY))
