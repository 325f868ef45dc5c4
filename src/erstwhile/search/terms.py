"""Find the terms of documents in their texts again, where the index that had them is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from erstwhile.index.documents import spelt_terms
from erstwhile.index.indexes import run_in_thread
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.storage import Row, Transaction


async def find_terms(tx: Transaction, rows: Sequence[Row]) -> Mapping[str, str]:
    """Return the terms of documents by id: the same as when they were written."""
    from erstwhile.log import append  # only loaded by whoever needs it

    said = await log.by_ids(tx, [row["id"] for row in rows if row["kind"] == "message"])
    made = await memories.by_ids(tx, [row["id"] for row in rows if row["kind"] != "message"])

    def work() -> dict[str, str]:
        messages = [message for _, message in said.values()]
        found = dict(zip(said, append.search_terms(messages), strict=True))
        found |= {id: memories.search_terms(memory) for id, memory in made.items()}
        return {id: spelt_terms(terms) for id, terms in found.items()}

    terms: dict[str, str] = await run_in_thread(tx, work, len(rows))
    return terms
