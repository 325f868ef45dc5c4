"""The index of a space in memory, and the cache of those that were used lately."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence

from erstwhile.index import documents
from erstwhile.index.documents import Marks
from erstwhile.index.segment import Segment
from erstwhile.index.stored import OpenedIndex
from erstwhile.storage import Row

_DEAD = 1000  # documents that are gone, more than are there: time to fill the segment again
_OPEN = 256  # spaces whose files are open at the same time
_NEW, _GONE, _VECTOR, _EMBEDDER, _VERSION = range(5)


class SegmentPair:
    """A segment for the messages of a space and one for its memories: a word common among messages may be rare among
    memories. `embedder` made the vectors; the feed has been read up to `marks`. `emptied` is below 0 once the whole space
    was erased, and less each time; documents from before are not here. `version`: of the stored files, whether they
    are used or not."""

    def __init__(self, marks: Marks, embedder: str, emptied: int = 0, version: int = 0) -> None:
        self.messages, self.memories = Segment(talk=True), Segment(talk=False)
        self.marks, self.embedder, self.emptied, self.version = marks, embedder, emptied, version

    @property
    def both(self) -> tuple[Segment, Segment]:
        return self.messages, self.memories


class SpaceIndex:
    """The index of one space. While it is filled again, searches use the segments of before."""

    def __init__(self) -> None:
        self._shown = SegmentPair(Marks(), "")
        self.stored = False  # it is in stored files
        self.mapped = False  # one of them is open
        self._read = 0  # bytes of those that were read
        self._coming: SegmentPair | None = None
        self.stale = True  # to be filled (again)
        self.damaged = False  # a stored file is not what was written
        # Held while the segments change or are read, never while the database is asked.
        self.lock = threading.Lock()
        # Filled by one at a time, or all who ask a new process would do the same work. Who finds it stale waits for `filling` before the
        # database is asked; the others are for those who come upon it inside a unit: a thread on SQLite, a task on Postgres.
        self.filling = asyncio.Lock()
        self.thread_fills, self.task_fills = threading.Lock(), asyncio.Lock()

    @property
    def messages(self) -> Segment:
        return self._shown.messages

    @property
    def memories(self) -> Segment:
        return self._shown.memories

    @property
    def both(self) -> tuple[Segment, Segment]:
        return self._shown.both

    @property
    def marks(self) -> Marks:
        return self._shown.marks

    @property
    def embedder(self) -> str:
        return self._shown.embedder

    def use(self, opened: OpenedIndex) -> None:
        """Use stored files. What came later is in the feed."""
        state = opened.state
        pair = SegmentPair(state.stored, state.embedder, state.emptied, opened.version)
        for file in opened.files:
            for segment, part in zip(pair.both, file.parts, strict=True):
                segment.use(part)
                for doc in file.gone.tolist():
                    segment.drop(doc)
                if file.late is not None:
                    segment.put_rows(*file.late)
        with self.lock:
            self._shown, self._coming, self.stale, self.stored = pair, None, False, True
            self._read = sum(file.bytes for file in opened.files)
            self.mapped = any(file.is_whole is not None for file in opened.files)

    def files_gone(self) -> None:
        """Go on without stored files: what was filled from the documents stays, anything else is filled again."""
        with self.lock:
            self._shown.version = 0
            self.stale = self.stale or self.stored

    def begin(self, marks: Marks, embedder: str, emptied: int = 0, version: int = 0) -> SegmentPair:
        """Return the pair to fill. Several may fill it at once: a document that is there already is left alone."""
        with self.lock:
            coming = self._coming
            if coming is None or (coming.embedder, coming.emptied) != (embedder, emptied):
                coming = self._coming = SegmentPair(marks, embedder, emptied)
            coming.version = version
            return coming

    def fill(self, pair: SegmentPair, rows: Sequence[Row]) -> None:
        """Add a page of documents with their vectors."""
        with self.lock:
            for segment, its in (
                (pair.messages, [row for row in rows if row["kind"] == "message"]),
                (pair.memories, [row for row in rows if row["kind"] != "message"]),
            ):
                segment.add(its, link=False)
                segment.put_vectors(
                    [(row["doc"], row["vector"]) for row in its if row["vector"] is not None]
                )

    def filled(self, pair: SegmentPair, marks: Marks) -> None:
        """Use the pair, which has everything up to `marks`. Another who fills it may have seen less; the feed repeats
        what was removed in between."""
        with self.lock:
            pair.marks = pair.marks.earlier(marks)
            pair.messages.relink()
            self._shown, self.stale, self.stored, self.mapped, self._read = (
                pair,
                False,
                False,
                False,
                0,
            )
            if self._coming is pair:
                self._coming = None

    def take(self, rows: Sequence[Row], since: Marks, marks: Marks) -> bool:
        """Apply rows of the feed. Applying the same rows twice changes nothing. False if the feed must be read again:
        the pair is not as far as `since`; or it is stale, because its vectors are another embedder's, most documents are
        gone, the stored files were replaced, or only they have what it has not read yet."""
        with self.lock:
            shown = self._shown
            embedder = next(
                (row["kind"] for row in rows if row["what"] == _EMBEDDER), shown.embedder
            )
            gone = [row["doc"] for row in rows if row["what"] == _GONE]
            emptied = min(gone, default=0) < shown.emptied
            version = next((row["doc"] for row in rows if row["what"] == _VERSION), 0)
            self.stale = (
                self.stale or embedder != shown.embedder or emptied or version != shown.version
            )
            trimmed = documents.trimmed(rows) if self.stored else Marks()
            self.stale = self.stale or shown.marks.behind(trimmed)
            if self.stale or shown.marks.behind(since) or since.behind(trimmed):
                return False
            if all(row["what"] in (_EMBEDDER, _VERSION) for row in rows):  # nothing changed
                shown.marks = marks
                return True
            new = [row for row in rows if row["what"] == _NEW]
            shown.messages.add([row for row in new if row["kind"] == "message"])
            shown.memories.add([row for row in new if row["kind"] != "message"])
            vectors = [(row["doc"], row["vector"]) for row in rows if row["what"] == _VECTOR]
            for segment in shown.both:
                for doc in gone:
                    segment.drop(doc)
                segment.put_vectors(vectors)
            self.stale = any(segment.dead > segment.alive + _DEAD for segment in shown.both)
            shown.messages.relink()
            shown.marks = marks
            return not self.stale

    @property
    def bytes(self) -> int:
        return self._read + self.messages.bytes + self.memories.bytes


class IndexCache:
    """Keeps the indexes of as many spaces as fit into the allowed memory; the least recently used goes first."""

    def __init__(self, megabytes: int) -> None:
        self._allowed = megabytes * 1_000_000
        self._spaces: OrderedDict[str, SpaceIndex] = OrderedDict()
        self._sizes: dict[str, int] = {}  # as they were last measured
        self._lock = threading.Lock()

    def of(self, space: str) -> SpaceIndex:
        with self._lock:
            index = self._spaces.get(space)
            if index is None:
                index = self._spaces[space] = SpaceIndex()
            self._spaces.move_to_end(space)
            return index

    def drop(self, space: str) -> None:
        with self._lock:
            self._let_go(space)

    def tidy(self, opened: str | None = None) -> None:
        """Let indexes go until the others fit. Measures them all, or only that of a space that was just opened."""
        with self._lock:
            for space in list(self._spaces) if opened is None else [opened]:
                if space in self._spaces:
                    self._sizes[space] = self._spaces[space].bytes
            while len(self._spaces) > 1 and self._too_much():
                self._let_go(next(iter(self._spaces)))

    def _too_much(self) -> bool:
        mapped = sum(index.mapped for index in self._spaces.values())
        return sum(self._sizes.values()) > self._allowed or mapped > _OPEN

    def _let_go(self, space: str) -> None:
        self._spaces.pop(space, None)
        self._sizes.pop(space, None)
