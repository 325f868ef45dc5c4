"""Which spaces are at hand, within the memory allowed; and stocks that several fill at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rows import row

from erstwhile.index import space_index as module
from erstwhile.index.documents import Marks
from erstwhile.index.space_index import IndexCache, SpaceIndex
from support.nearness import cosine

ONE, OTHER = np.array([1, 0], np.int8).tobytes(), np.array([0, 1], np.int8).tobytes()


def filled(index: SpaceIndex, docs: range, marks: int = 0, embedder: str = "") -> None:
    pair = index.begin(Marks(marks, marks, marks), embedder)
    index.fill(pair, [row(doc, ["lantern"]) for doc in docs])
    index.filled(pair, Marks(marks, marks, marks))


def there(index: SpaceIndex) -> list[int]:
    places, _ = index.messages.find("lantern")
    return sorted(int(index.messages.columns["doc"][place]) for place in places)


def told(what: int, doc: int, **more: Any) -> dict[str, Any]:
    return row(doc, ["lantern"], what=what, **more)


def test_what_was_asked_for_longest_ago_goes_first() -> None:
    cache = IndexCache(1)
    for space in ("one", "two", "three"):
        filled(cache.of(space), range(1, 8000))
    assert cache.of("one").bytes > 250_000, "three don't fit into a megabyte"
    kept = cache.of("one")
    cache.of("three")
    cache.tidy()
    assert cache.of("three").messages.alive
    assert cache.of("two").stale, "filled anew when it is asked for again"
    assert kept.messages.alive, "whoever is at work with one keeps it"


def test_what_is_opened_makes_room_at_once() -> None:
    cache = IndexCache(1)
    for space in ("one", "two", "three"):
        filled(cache.of(space), range(1, 8000))
        cache.tidy(space)
    assert cache.of("one").stale
    assert cache.of("three").messages.alive


def test_the_last_one_stays_whatever_its_size() -> None:
    cache = IndexCache(0)
    filled(cache.of("large"), range(1, 1000))
    cache.tidy()
    assert cache.of("large").messages.alive == 999


def test_while_a_stock_is_filled_anew_the_one_of_before_is_shown() -> None:
    index = SpaceIndex()
    filled(index, range(1, 6), embedder="one")
    assert not index.take([told(3, 0, kind="two")], index.marks, Marks(9, 9, 9))
    assert index.stale
    pair = index.begin(Marks(9, 9, 9), "two")
    index.fill(pair, [row(1, ["lantern"])])
    assert there(index) == [1, 2, 3, 4, 5]
    index.fill(pair, [row(doc, ["lantern"]) for doc in range(2, 7)])
    index.filled(pair, Marks(9, 9, 9))
    assert there(index) == [1, 2, 3, 4, 5, 6]
    assert (index.embedder, index.stale) == ("two", False)


def test_two_who_fill_at_once_share_a_stock_unless_their_vectors_differ() -> None:
    index = SpaceIndex()
    first, second = index.begin(Marks(5), "one"), index.begin(Marks(3), "one")
    assert first is second
    assert index.begin(Marks(5), "two") is not first
    index.fill(first, [row(1, ["lantern"]), row(2, ["lantern"])])
    index.filled(first, Marks(5))
    index.fill(second, [row(1, ["lantern"]), row(2, ["lantern"])])
    index.filled(second, Marks(3))
    assert there(index) == [1, 2]
    assert index.marks == Marks(3), "the feed tells again what the second has not seen"


def test_a_feed_read_from_further_on_than_the_stock_is_read_again() -> None:
    index = SpaceIndex()
    filled(index, range(1, 4), marks=3)
    assert not index.take([told(0, 9)], Marks(8, 8, 8), Marks(9, 9, 9))
    assert not index.stale
    assert there(index) == [1, 2, 3]
    rows = [told(0, doc) for doc in range(3, 10)]
    for _ in range(2):  # a second time changes nothing
        assert index.take(rows, Marks(2, 2, 2), Marks(9, 9, 9))
        assert there(index) == list(range(1, 10))


def test_when_most_is_gone_the_stock_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DEAD", 2)
    index = SpaceIndex()
    filled(index, range(1, 10))
    assert index.take([told(1, doc) for doc in range(1, 6)], index.marks, Marks(1, 1, 1))
    assert there(index) == [6, 7, 8, 9]
    assert not index.take([told(1, 6), told(1, 7)], index.marks, Marks(2, 2, 2))
    assert index.stale


def test_vectors_of_the_feed_replace_those_of_before() -> None:
    index = SpaceIndex()
    filled(index, range(1, 3), embedder="one")
    for vector in (ONE, OTHER):
        assert index.take([told(2, 2, vector=vector), told(2, 77, vector=vector)], index.marks, index.marks)
    found = cosine(index.messages.matrix, np.array([0, 1], np.float32), np.array([0, 1]))
    assert np.isnan(found[0])
    assert found[1] == 1
    assert index.messages.matrix.filled == 1
