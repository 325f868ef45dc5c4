"""Erase search documents with their vectors."""

from __future__ import annotations

from typing import Final

from erstwhile.index import documents
from erstwhile.index.documents import queries
from erstwhile.storage import Transaction, value
from erstwhile.tables import listed
from erstwhile.tables.model import Erasing, Table
from erstwhile.tables.owner import Owner

_PAGE: Final = 1000


class IndexOwner(Owner):
    tables = (
        Table("documents", ("person",), ("channel",), listed=True, words=("id",)),
        Table("document_terms", exported=""),
        Table("documents_gone", exported=""),
        Table("unembedded", exported=""),
        Table("vectors", exported=""),
        Table("embedded", exported=""),
        Table("index_files", exported=""),
        Table("index_pieces", exported=""),
        Table("flags", memory=("id",), by="reviewed_by", nobody="erasure"),
    )

    async def erase(self, tx: Transaction, erasing: Erasing) -> None:
        """Remove what is listed from search, and whatever else there is of the person or channel."""
        await tx.run(queries.list_documents_left, person=erasing.subject.person)
        found = await tx.first(queries.count_documents)
        assert found is not None
        erasing.counts["documents"] += found["documents"]
        erasing.counts["vectors"] += found["vectors"]
        erasing.counts["vectors"] += await value(tx, queries.count_message_vectors)
        ids = await listed.ids(tx)
        for start in range(0, len(ids), _PAGE):
            await documents.remove(tx, ids[start : start + _PAGE])


OWNER: Final = IndexOwner()
