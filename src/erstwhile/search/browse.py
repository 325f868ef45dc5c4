"""Browse everything in a space: the index says which documents, the database has their text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from erstwhile.base.page import cut_at
from erstwhile.base.records import dataclass
from erstwhile.index import documents
from erstwhile.index.documents import Scope
from erstwhile.index.indexes import run_in_thread
from erstwhile.index.space_index import SpaceIndex
from erstwhile.log import people
from erstwhile.search import question, read, word_filter
from erstwhile.search.find import Recall
from erstwhile.search.model import BrowseCounts, BrowsePage, Facet, Hit
from erstwhile.search.word_filter import FilteredDocuments
from erstwhile.storage import Transaction
from erstwhile.text import analyse

_TERMS = 64  # of very many words, the first
_VALUES = 30  # values per column; others can be named


@dataclass(frozen=True, slots=True)
class BrowseQuery:
    words: str
    scope: Scope
    start: int
    limit: int


async def browse(recall: Recall, space: str, page: BrowseQuery) -> BrowsePage:
    words = question.ends(page.words).replace("\0", " ").encode("utf-8", "replace").decode()
    terms = tuple(analyse.query_terms(words)[:_TERMS])

    async def unit(tx: Transaction, index: SpaceIndex) -> BrowsePage:
        wanted = word_filter.WordFilter(terms, page.scope, page.start, page.limit)

        def look() -> FilteredDocuments:
            with index.lock:
                return word_filter.filter_documents(index, wanted)

        found: FilteredDocuments = await run_in_thread(tx, look)
        most = {sort: _most(counted) for sort, counted in found.counts.items()}
        hits = await _hits(tx, found)
        who = [
            *(each.value for each in most["person"]),
            *(hit.person for hit in hits if hit.person is not None),
        ]
        listed = cut_at(hits, page.start, page.limit, found.total)
        counts = BrowseCounts(
            words=found.words,
            names=await people.names_of(tx, who),
            kinds=most["kind"],
            channels=most["channel"],
            people=most["person"],
            writers=most["writer"],
            months=tuple(
                Facet(month, count)
                for month, count in sorted(found.counts["month"].items(), reverse=True)
            ),
        )
        return BrowsePage(listed, listed.next, listed.total, counts)

    if page.words.strip() and not terms:  # only punctuation
        return BrowsePage()
    return await recall.unit(space, unit)


async def _hits(tx: Transaction, found: FilteredDocuments) -> list[Hit]:
    rows = await documents.by_docs(tx, [each.doc for each in found.page])
    there = [each for each in found.page if each.doc in rows]
    first = {rows[each.doc]["id"]: each.seq for each in there}
    hits = await read.hits(tx, [(rows[each.doc], each.score) for each in there], once=None)
    return [replace(hit, seq=first[hit.id] if hit.seq is None else hit.seq) for hit in hits]


def _most(counted: Counter[str]) -> tuple[Facet, ...]:
    best = sorted(counted.items(), key=lambda each: (-each[1], each[0]))
    return tuple(Facet(value, count) for value, count in best[:_VALUES])
