"""The index of a space's messages, or of its memories, in memory: everything that ranking needs of a document but its text.

A segment is a copy of what the database has, filled and kept up to date from the feed of documents. It belongs to one
space.
"""

from __future__ import annotations

import re
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.index.columns import Columns, Matrix
from erstwhile.index.postings import Floats, Ints, Postings
from erstwhile.index.spelling import Spelling
from erstwhile.storage import Row

Places = NDArray[np.int64]

QUIET = 25 * 60 * 1_000_000  # as much quiet as ends a conversation: what comes after it belongs to another session
CODED = ("kind", "channel", "person", "writer")  # columns whose values have numbers
_NONE = -1
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
            size="i4", words="u4", question="b", alive="b", before="i4", after="i4", session="i4",
        )  # fmt: skip
        self.postings = Postings()
        self.matrix = Matrix()
        self.alive = 0
        self.words = 0  # the sum of all sizes
        self._codes: dict[str, dict[str | None, int]] = {name: {} for name in CODED}
        self._spelt: dict[str, list[str | None]] = {name: [] for name in CODED}
        self._channel_places: dict[int, array[int]] = {}  # of each channel, the places of its messages in order
        self._numbers: (
            dict[int, int] | None
        ) = {}  # where documents are, while they have not come in the order of their numbers
        self._sessions = 0
        self._apart = False
        self._spelling: tuple[int, Spelling] | None = None

    def __len__(self) -> int:
        return self.columns.length

    def code(self, column: str, value: str | None) -> int:
        """Return the number of a channel, person, kind or writer; one that no document has, if it is unknown."""
        return self._codes[column].get(value, -2)

    def spelt(self, column: str, code: int) -> str | None:
        return self._spelt[column][code]

    # Filling

    def add(self, rows: Sequence[Row]) -> None:
        """Add documents. Those that are there already are left alone."""
        rows = self._unknown(rows)
        if not rows:
            return
        first = self.columns.length
        terms = [row["terms"].split() for row in rows]
        sizes = [len(each) for each in terms]
        self.columns.extend(
            {
                "doc": [row["doc"] for row in rows],
                **{name: self._coded(name, [row[name] for row in rows]) for name in ("kind", "channel", "person")},
                "writer": self._coded("writer", [writer_name(row["writer"]) for row in rows]),
                "at": [row["at"] for row in rows],
                "seq": [_NONE if row["seq"] is None else row["seq"] for row in rows],
                "until": [_NONE if row["until"] is None else row["until"] for row in rows],
                "size": sizes,
                "words": [zlib.crc32(row["terms"].encode()) for row in rows],
                "question": [row["question"] for row in rows],
                "alive": np.ones(len(rows), np.int8),
                "before": np.full(len(rows), _NONE, np.int32),
                "after": np.full(len(rows), _NONE, np.int32),
            }
        )
        self.postings.add(first, terms)
        self.alive += len(rows)
        self.words += sum(sizes)
        self._note_numbers(first)
        if self.talk:
            self._join(first)

    def drop(self, doc: int) -> None:
        place = self._place(doc)
        if place != _NONE and self.columns["alive"][place]:
            self.columns["alive"][place] = 0
            self.alive -= 1
            self.words -= int(self.columns["size"][place])
            self._apart = self.talk

    def relink(self) -> None:
        """Link the neighbours of documents that were dropped to each other."""
        if self._apart:
            self._join_all()
            self._apart = False

    @property
    def dead(self) -> int:
        return self.columns.length - self.alive

    def put_vectors(self, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Store vectors of documents of this segment. A server may have replaced its model under the same name: of
        vectors that can't be compared, the latest count."""
        places = self._places([doc for doc, _ in vectors])
        found = [(place, vector) for place, (_, vector) in zip(places, vectors, strict=True) if place != _NONE]
        if found:
            found = [each for each in found if len(each[1]) == len(found[-1][1])]
            self.matrix.put([place for place, _ in found], [vector for _, vector in found])

    def _places(self, docs: Sequence[int]) -> list[int]:
        there = self.columns["doc"]
        if self._numbers or not len(there):
            return [self._place(doc) for doc in docs]
        wanted = np.array(docs, np.int64)
        places = np.minimum(np.searchsorted(there, wanted), len(there) - 1)
        found: list[int] = np.where(there[places] == wanted, places, _NONE).tolist()
        return found

    def _unknown(self, rows: Sequence[Row]) -> Sequence[Row]:
        docs = self.columns["doc"]
        if not len(docs) or not rows or (not self._numbers and rows[0]["doc"] > docs[-1]):
            return rows
        return [row for row in rows if self._place(row["doc"]) == _NONE]

    def _coded(self, column: str, values: Sequence[str | None]) -> list[int]:
        codes, spelt = self._codes[column], self._spelt[column]
        found = [codes.setdefault(value, len(codes)) for value in values]
        if len(codes) > len(spelt):
            spelt.extend(list(codes)[len(spelt) :])
        return found

    def _place(self, doc: int) -> int:
        if self._numbers:
            return self._numbers.get(doc, _NONE)
        docs = self.columns["doc"]
        place = int(np.searchsorted(docs, doc))
        return place if place < len(docs) and docs[place] == doc else _NONE

    def _note_numbers(self, first: int) -> None:
        docs = self.columns["doc"]
        if self._numbers:
            self._numbers.update({int(doc): place for place, doc in enumerate(docs[first:], start=first)})
        elif bool((np.diff(docs[max(0, first - 1) :]) <= 0).any()):
            self._numbers = {int(doc): place for place, doc in enumerate(docs)}

    # Neighbours

    def _join(self, first: int) -> None:
        """Link each new message to the one before it in its channel, and set its session."""
        columns = self.columns
        seqs, channels = columns["seq"][first:].tolist(), columns["channel"][first:].tolist()
        ats, sessions = columns["at"], columns["session"]
        before, after = columns["before"], columns["after"]
        for place, seq, channel in zip(range(first, columns.length), seqs, channels, strict=True):
            line = self._channel_places.get(channel)
            if line is None:
                line = self._channel_places[channel] = array("q")
            last = line[-1] if line else _NONE
            if last != _NONE and columns["seq"][last] > seq:
                self._join_all()  # an old message came late, as when documents are made anew
                return
            line.append(place)
            if last == _NONE or ats[place] - ats[last] > QUIET:
                self._sessions += 1
                sessions[place] = self._sessions
            else:
                sessions[place] = sessions[last]
            before[place] = last
            if last != _NONE:
                after[last] = place

    def _join_all(self) -> None:
        columns = self.columns
        there = np.flatnonzero(columns["alive"])
        self._channel_places = {}
        if not len(there):
            return
        order = there[np.lexsort((columns["seq"][there], columns["channel"][there]))]
        channels, ats = columns["channel"][order], columns["at"][order]
        same = channels[1:] == channels[:-1]
        columns["before"][order] = np.concatenate([[_NONE], np.where(same, order[:-1], _NONE)])
        columns["after"][order] = np.concatenate([np.where(same, order[1:], _NONE), [_NONE]])
        breaks = np.concatenate([[1], ~same | (np.diff(ats) > QUIET)])
        columns["session"][order] = np.cumsum(breaks)
        self._sessions = int(breaks.sum())
        ends = np.flatnonzero(np.concatenate([~same, [True]])) + 1
        starts = np.concatenate([[0], ends[:-1]])
        self._channel_places = {
            int(channels[first]): array("q", order[first:last].tolist())
            for first, last in zip(starts.tolist(), ends.tolist(), strict=True)
        }

    def said(self, channel: str | None, first: int, last: int) -> list[int]:
        """Return the places of the messages `first` to `last` of a channel."""
        line, seqs = self._channel_places.get(self.code("channel", channel)), self.columns["seq"]
        if line is None:
            return []
        low = first - int(seqs[line[0]])  # where they are if none before them is gone
        if (
            0 <= low <= low + last - first < len(line)
            and seqs[line[low]] == first
            and seqs[line[low + last - first]] == last
        ):
            return list(line[low : low + last - first + 1])
        low = bisect_left(line, first, key=lambda place: int(seqs[place]))
        high = bisect_right(line, last, key=lambda place: int(seqs[place]))
        return list(line[low:high])

    # Reading

    def find(self, term: str) -> tuple[Ints, Floats]:
        places, counts = self.postings.find(term)
        if not self.dead:
            return places, counts
        there = self.columns["alive"][places].astype(bool)
        return places[there], counts[there]

    def knows(self, term: str) -> bool:
        """Return whether a document has the term."""
        return len(self.find(term)[0]) > 0 if self.dead else self.postings.has(term)

    def like(self, term: str) -> dict[str, float]:
        """Return terms spelt like one that the segment lacks. Terms of the last few hundred messages may be missing."""
        if self._spelling is None or self.columns.length > 1.05 * self._spelling[0] + 200:
            self._spelling = (self.columns.length, Spelling(sorted(self.postings.words())))
        return self._spelling[1].like(term)

    def mask(
        self, wanted: Mapping[str, Sequence[str | None]], since: int | None = None, until: int | None = None
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
