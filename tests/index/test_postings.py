"""Postings, whatever the sizes of the batches they came in, are those of a plain dict."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.index import postings
from erstwhile.index.postings import Postings

WORDS = ["lantern", "Busan", "등불", "火锅", "a", "ferry", "kayak"]
documents = st.lists(st.sampled_from(WORDS), max_size=12)
batches = st.lists(st.lists(documents, max_size=9), max_size=12)


def naive(given_documents: list[list[str]]) -> dict[str, list[tuple[int, int]]]:
    found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, terms in enumerate(given_documents):
        for term, count in Counter(terms).items():
            found[term].append((place, min(count, 255)))
    return dict(found)


def held(made: Postings, term: str) -> list[tuple[int, int]]:
    [(places, counts)] = made.find([term])
    return list(zip(places.tolist(), [int(count) for count in counts], strict=True))


@given(batches=batches, seal=st.integers(1, 6), merge=st.integers(2, 4))
def test_postings_are_those_of_a_plain_dict(batches: list[list[list[str]]], seal: int, merge: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_SEAL", seal)
        patch.setattr(postings, "_MERGE", merge)
        made, every = Postings(), []
        for batch in batches:
            made.add(len(every), batch)
            every += batch
        expected = naive(every)
        assert made.words() == set(expected)
        for word in WORDS:
            assert held(made, word) == expected.get(word, [])
        assert held(made, "never said") == []


def test_blocks_are_sealed_and_merged_and_no_more_than_a_few_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes one by one and what comes at once end in the same blocks."""
    monkeypatch.setattr(postings, "_SEAL", 8)
    monkeypatch.setattr(postings, "_MERGE", 4)
    one_by_one, at_once = Postings(), Postings()
    every = [[f"w{place % 5}", "all"] for place in range(8 * 4 * 3 + 5)]
    for place, terms in enumerate(every):
        one_by_one.add(place, [terms])
    at_once.add(0, every)
    for made in (one_by_one, at_once):
        assert [block.size for block in made._blocks] == [4, 4, 4]
        assert held(made, "all") == [(place, 1) for place in range(len(every))]
        assert [place for place, _ in held(made, "w3")] == list(range(3, len(every), 5))


def test_a_count_stops_at_what_a_byte_holds() -> None:
    few = Postings()
    few.add(0, [["echo"] * 300, ["echo"] * 255, ["echo"]])
    assert held(few, "echo") == [(0, 255), (1, 255), (2, 1)]
    many = Postings()
    many.add(0, [["echo"] * 300] * 4096)  # straight to a block
    assert set(held(many, "echo")) == {(place, 255) for place in range(4096)}


def test_the_memory_it_takes_grows_with_what_is_in_it() -> None:
    made, sizes = Postings(), []
    for batch in range(4):
        made.add(batch * 500, [[f"w{batch}x{n}" for n in range(20)] for _ in range(500)])
        sizes.append(made.bytes)
    assert sizes == sorted(set(sizes))
    assert np.all(np.diff(sizes) > 1000)
