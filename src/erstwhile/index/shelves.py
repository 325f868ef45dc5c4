"""The shelves of the spaces that were asked for lately, each kept in step with the database whenever it is asked."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence

from erstwhile.index.documents import Marks
from erstwhile.index.shelf import Shelf
from erstwhile.storage import Row

_DEAD = 1000  # documents that are gone, more than are there: time to fill the shelf anew
_NEW, _GONE, _VECTOR, _EMBEDDER = range(4)


class Shelves:
    """A space's messages and its memories, each on a shelf of its own: what is common among messages may be rare among memories."""

    messages: Shelf
    memories: Shelf
    marks: Marks
    empty: bool  # not filled yet

    def __init__(self) -> None:
        self._clear()
        self.embedder = ""  # whose vectors these are
        # Filled by one at a time: a thread on SQLite, a task on Postgres.
        self.thread_fills, self.task_fills = threading.Lock(), asyncio.Lock()
        self.lock = (
            threading.Lock()
        )  # held while the shelves change or are being read, never while the database is asked

    def fill(self, rows: Sequence[Row]) -> None:
        """A page of documents with their vectors."""
        with self.lock:
            for shelf, its in (
                (self.messages, [row for row in rows if row["kind"] == "message"]),
                (self.memories, [row for row in rows if row["kind"] != "message"]),
            ):
                first = len(shelf)
                shelf.add(its)
                known = [
                    (place, row["vector"]) for place, row in enumerate(its, start=first) if row["vector"] is not None
                ]
                if known:
                    shelf.matrix.put([place for place, _ in known], [vector for _, vector in known])

    def filled(self, marks: Marks, embedder: str) -> None:
        with self.lock:
            self.messages.close_ranks()
            self.marks, self.embedder, self.empty = marks, embedder, False

    def take(self, rows: Sequence[Row], marks: Marks) -> bool:
        """Puts what the feed brought in its place. Taking the same rows twice changes nothing. False when the shelves had better be filled
        anew: the vectors are another embedder's than those here, or most of what is here is gone."""
        with self.lock:
            embedder = next((row["kind"] for row in rows if row["what"] == _EMBEDDER), self.embedder)
            if embedder != self.embedder:
                self._clear()
                return False
            new = [row for row in rows if row["what"] == _NEW]
            self.messages.add([row for row in new if row["kind"] == "message"])
            self.memories.add([row for row in new if row["kind"] != "message"])
            for doc in [row["doc"] for row in rows if row["what"] == _GONE]:
                self.messages.drop(doc)
                self.memories.drop(doc)
            vectors = [(row["doc"], row["vector"]) for row in rows if row["what"] == _VECTOR]
            self.messages.put_vectors(vectors)
            self.memories.put_vectors(vectors)
            if any(shelf.dead > shelf.alive + _DEAD for shelf in (self.messages, self.memories)):
                self._clear()
                return False
            self.messages.close_ranks()
            self.marks = marks
            return True

    def _clear(self) -> None:
        self.messages, self.memories = Shelf(talk=True), Shelf(talk=False)
        self.marks, self.empty = Marks(), True

    @property
    def bytes(self) -> int:
        return self.messages.bytes + self.memories.bytes


class Library:
    """Keeps as many spaces at hand as fit into the memory allowed; what was asked for longest ago goes first."""

    def __init__(self, megabytes: int) -> None:
        self._allowed = megabytes * 1_000_000
        self._spaces: OrderedDict[str, Shelves] = OrderedDict()
        self._lock = threading.Lock()
        self._asked = 0

    def of(self, space: str) -> Shelves:
        with self._lock:
            shelves = self._spaces.setdefault(space, Shelves())
            self._spaces.move_to_end(space)
            return shelves

    def tidy(self) -> None:
        """Now and then: counting takes as long as there are spaces."""
        with self._lock:
            self._asked += 1
            if self._asked % 50:
                return
            sizes = {space: shelves.bytes for space, shelves in self._spaces.items()}
            while len(sizes) > 1 and sum(sizes.values()) > self._allowed:
                space = next(iter(self._spaces))
                del self._spaces[space], sizes[space]
