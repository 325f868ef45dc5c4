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


class Stock:
    """A space's messages and its memories, each on a shelf of its own: what is common among messages may be rare among memories.
    `embedder` is whose vectors there are; the feed has been read up to `marks`. What was there before `emptied`, which is below 0 once the
    whole space was erased and less each time, is not on the shelves."""

    def __init__(self, marks: Marks, embedder: str, emptied: int = 0) -> None:
        self.messages, self.memories = Shelf(talk=True), Shelf(talk=False)
        self.marks, self.embedder, self.emptied = marks, embedder, emptied

    @property
    def both(self) -> tuple[Shelf, Shelf]:
        return self.messages, self.memories


class Shelves:
    """What a space has in stock. While it is filled anew, the stock of before is still what is shown."""

    def __init__(self) -> None:
        self._shown = Stock(Marks(), "")
        self._coming: Stock | None = None
        self.stale = True  # to be filled (anew)
        # Held while the shelves change or are being read, never while the database is asked.
        self.lock = threading.Lock()
        # Filled by one at a time, or all who ask a new process would do the same work. Who finds it stale waits for `filling` before the
        # database is asked; the others are for those who come upon it inside a unit: a thread on SQLite, a task on Postgres.
        self.filling = asyncio.Lock()
        self.thread_fills, self.task_fills = threading.Lock(), asyncio.Lock()

    @property
    def messages(self) -> Shelf:
        return self._shown.messages

    @property
    def memories(self) -> Shelf:
        return self._shown.memories

    @property
    def marks(self) -> Marks:
        return self._shown.marks

    @property
    def embedder(self) -> str:
        return self._shown.embedder

    def begin(self, marks: Marks, embedder: str, emptied: int = 0) -> Stock:
        """Several may fill one stock at once: a document that is there already is left alone."""
        with self.lock:
            coming = self._coming
            if coming is None or (coming.embedder, coming.emptied) != (embedder, emptied):
                coming = self._coming = Stock(marks, embedder, emptied)
            return coming

    def fill(self, stock: Stock, rows: Sequence[Row]) -> None:
        """A page of documents with their vectors."""
        with self.lock:
            for shelf, its in (
                (stock.messages, [row for row in rows if row["kind"] == "message"]),
                (stock.memories, [row for row in rows if row["kind"] != "message"]),
            ):
                shelf.add(its)
                shelf.put_vectors([(row["doc"], row["vector"]) for row in its if row["vector"] is not None])

    def filled(self, stock: Stock, marks: Marks) -> None:
        """Everything up to `marks` is there. Whoever else fills it may have seen less: what went in between, the feed tells again."""
        with self.lock:
            stock.marks = stock.marks.earlier(marks)
            stock.messages.close_ranks()
            self._shown, self.stale = stock, False
            if self._coming is stock:
                self._coming = None

    def take(self, rows: Sequence[Row], since: Marks, marks: Marks) -> bool:
        """Puts what the feed brought since then in its place. Taking the same rows twice changes nothing. False when the feed had better
        be read again: the stock is not as far as `since`; or it is stale, because its vectors are another embedder's or most of it is gone.
        """
        with self.lock:
            shown = self._shown
            embedder = next((row["kind"] for row in rows if row["what"] == _EMBEDDER), shown.embedder)
            gone = [row["doc"] for row in rows if row["what"] == _GONE]
            emptied = min(gone, default=0) < shown.emptied
            self.stale = self.stale or embedder != shown.embedder or emptied
            if self.stale or shown.marks.earlier(since) != since:
                return False
            new = [row for row in rows if row["what"] == _NEW]
            shown.messages.add([row for row in new if row["kind"] == "message"])
            shown.memories.add([row for row in new if row["kind"] != "message"])
            vectors = [(row["doc"], row["vector"]) for row in rows if row["what"] == _VECTOR]
            for shelf in shown.both:
                for doc in gone:
                    shelf.drop(doc)
                shelf.put_vectors(vectors)
            self.stale = any(shelf.dead > shelf.alive + _DEAD for shelf in shown.both)
            shown.messages.close_ranks()
            shown.marks = marks
            return not self.stale

    @property
    def bytes(self) -> int:
        return self.messages.bytes + self.memories.bytes


class Library:
    """Keeps as many spaces at hand as fit into the memory allowed; what was asked for longest ago goes first."""

    def __init__(self, megabytes: int) -> None:
        self._allowed = megabytes * 1_000_000
        self._spaces: OrderedDict[str, Shelves] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, space: str) -> Shelves:
        with self._lock:
            shelves = self._spaces.setdefault(space, Shelves())
            self._spaces.move_to_end(space)
            return shelves

    def let_go(self, space: str) -> None:
        with self._lock:
            self._spaces.pop(space, None)

    def tidy(self) -> None:
        with self._lock:
            sizes = {space: shelves.bytes for space, shelves in self._spaces.items()}
            while len(sizes) > 1 and sum(sizes.values()) > self._allowed:
                space = next(iter(self._spaces))
                del self._spaces[space], sizes[space]
