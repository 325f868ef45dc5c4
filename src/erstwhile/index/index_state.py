"""Which files the stored index of a space has, and whether they should be written."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta

from erstwhile.base.records import dataclass
from erstwhile.index import documents
from erstwhile.index.documents import Marks, queries
from erstwhile.storage import Row, Transaction

MUCH = 4096  # documents or vectors since the last file, from which they are worth a file


@dataclass(frozen=True, slots=True)
class IndexState:
    """The files that the table names, and the marks, embedder and origin that the space has now."""

    rows: Sequence[Row]
    marks: Marks
    embedder: str
    emptied: int
    origin: str

    @property
    def usable(self) -> bool:
        """Whether the files are of this database and of the vectors that it has."""
        if not self.rows:
            return False
        last = self.rows[-1]
        same = (last["embedder"], last["emptied"], last["origin"]) == (
            self.embedder,
            self.emptied,
            self.origin,
        )
        return same and (not self.origin or last["documents"] <= self.marks.documents)

    @property
    def stored(self) -> Marks:
        """How far the files go."""
        last = self.rows[-1]
        return Marks(last["documents"], last["gone"], last["vectors"])

    @property
    def names(self) -> list[str]:
        return [row["file"] for row in self.rows]


async def read_state(tx: Transaction) -> IndexState:
    rows = await tx.all(queries.index_files)
    marks, embedder, emptied = await documents.now(tx)
    origin = await tx.first(queries.origin)
    return IndexState(rows, marks, embedder, emptied, origin["origin"] if origin else "")


async def much_new(tx: Transaction) -> bool:
    """Return whether so much is new since the index was stored that it is worth a file."""
    state = await read_state(tx)
    since = state.stored if state.usable else Marks()
    marks = {"documents": since.documents, "gone": since.gone, "vectors": since.vectors}
    return await tx.first(queries.much_new, **marks, many=MUCH) is not None


async def lacks_terms(tx: Transaction) -> bool:
    """Return whether a document has its terms neither in a file nor in the table, as after a restore."""
    state = await read_state(tx)
    since = state.stored if state.usable else Marks()
    return await tx.first(queries.lacks_terms, documents=since.documents) is not None


async def stored_and_gone(tx: Transaction, age: timedelta) -> bool:
    """Return whether documents are gone since the index was stored, which is at least so long ago."""
    rows = await tx.all(queries.index_files)
    if not rows or rows[-1]["version"] > (time.time() - age.total_seconds()) * 1_000_000:
        return False
    return bool(await tx.all(queries.gone_since, mark=rows[0]["gone"]))
