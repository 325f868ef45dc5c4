"""One source, or copies of one text, can't jam the list. Without a database."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from erstwhile.index.documents import Marks, Scope
from erstwhile.index.space_index import SpaceIndex
from erstwhile.search.question import Question
from erstwhile.search.rank import Ranking, RankingOptions, rank


def row(doc: int, text: str, kind: str = "message", **more: Any) -> dict[str, Any]:
    seq = more.pop("seq", doc)
    return {
        "what": 0, "doc": doc, "kind": kind, "channel": "chat", "person": None, "writer": None, "at": doc, "seq": seq,
        "until": seq, "traits": 0, "terms": text, "vector": None, **more,
    }  # fmt: skip


def ranked(rows: list[dict[str, Any]], query: str, limit: int) -> Ranking:
    index = SpaceIndex()
    pair = index.begin(Marks(), "")
    index.fill(pair, rows)
    index.filled(pair, Marks())
    terms = tuple(query.split())
    asked = Question(query, terms, frozenset(), (), query, (), "", "", False)
    return rank(index, asked, Scope(), RankingOptions(limit, beside=False))


def test_one_message_full_of_facts_does_not_fill_the_list() -> None:
    rich = [row(100 + n, f"lantern lantern town{n}", "fact", seq=1) for n in range(30)]
    poor = [row(200 + n, f"rain town{n}", "fact", seq=50 + n) for n in range(60)]
    rows = [row(1, "lantern lantern"), *(row(n, f"lantern day{n} rain wind") for n in range(2, 20)), *rich, *poor]
    found = ranked(rows, "lantern", 10).entries
    assert sum(entry.seq == 1 for entry in found[:10]) == 2
    assert len({entry.doc for entry in ranked(rows, "lantern", 100).entries}) == 1 + 18 + 30


def test_what_had_its_turn_is_said_to_be_set_back() -> None:
    rows = [row(n, "buy lantern now") for n in range(1, 30)] + [row(n, f"lantern {n}") for n in range(30, 40)]
    entries = ranked(rows, "lantern", 100).entries
    assert len(entries) == 39
    assert [entry.set_back for entry in entries] == [False] * 12 + [True] * 27


@given(
    texts=st.lists(
        st.sampled_from(["lantern", "lantern a", "a lantern b", "lantern lantern"]), min_size=1, max_size=80
    ),
    limit=st.integers(1, 30),
)
def test_a_longer_list_begins_with_the_shorter_one_and_nothing_is_lost(texts: list[str], limit: int) -> None:
    rows = [row(n, text) for n, text in enumerate(texts, start=1)]
    whole = [entry.doc for entry in ranked(rows, "lantern", 200).entries]
    assert sorted(whole) == list(range(1, len(texts) + 1))
    assert [entry.doc for entry in ranked(rows, "lantern", limit).entries][:limit] == whole[:limit]
