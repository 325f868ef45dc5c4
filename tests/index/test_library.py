"""Which spaces are at hand, within the memory allowed; and stocks that several fill at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rows import row

from erstwhile.index import shelves as module
from erstwhile.index.documents import Marks
from erstwhile.index.shelves import Library, Shelves

ONE, OTHER = np.array([1, 0], np.int8).tobytes(), np.array([0, 1], np.int8).tobytes()


def filled(shelves: Shelves, docs: range, marks: int = 0, embedder: str = "") -> None:
    stock = shelves.begin(Marks(marks, marks, marks), embedder)
    shelves.fill(stock, [row(doc, ["lantern"]) for doc in docs])
    shelves.filled(stock, Marks(marks, marks, marks))


def there(shelves: Shelves) -> list[int]:
    places, _ = shelves.messages.find("lantern")
    return sorted(int(shelves.messages.columns["doc"][place]) for place in places)


def told(what: int, doc: int, **more: Any) -> dict[str, Any]:
    return row(doc, ["lantern"], what=what, **more)


def test_what_was_asked_for_longest_ago_goes_first() -> None:
    library = Library(1)
    for space in ("one", "two", "three"):
        filled(library.of(space), range(1, 8000))
    assert library.of("one").bytes > 250_000, "three don't fit into a megabyte"
    kept = library.of("one")
    library.of("three")
    library.tidy()
    assert library.of("three").messages.alive
    assert library.of("two").stale, "filled anew when it is asked for again"
    assert kept.messages.alive, "whoever is at work with one keeps it"


def test_the_last_one_stays_whatever_its_size() -> None:
    library = Library(0)
    filled(library.of("large"), range(1, 1000))
    library.tidy()
    assert library.of("large").messages.alive == 999


def test_while_a_stock_is_filled_anew_the_one_of_before_is_shown() -> None:
    shelves = Shelves()
    filled(shelves, range(1, 6), embedder="one")
    assert not shelves.take([told(3, 0, kind="two")], shelves.marks, Marks(9, 9, 9))
    assert shelves.stale
    stock = shelves.begin(Marks(9, 9, 9), "two")
    shelves.fill(stock, [row(1, ["lantern"])])
    assert there(shelves) == [1, 2, 3, 4, 5]
    shelves.fill(stock, [row(doc, ["lantern"]) for doc in range(2, 7)])
    shelves.filled(stock, Marks(9, 9, 9))
    assert there(shelves) == [1, 2, 3, 4, 5, 6]
    assert (shelves.embedder, shelves.stale) == ("two", False)


def test_two_who_fill_at_once_share_a_stock_unless_their_vectors_differ() -> None:
    shelves = Shelves()
    first, second = shelves.begin(Marks(5), "one"), shelves.begin(Marks(3), "one")
    assert first is second
    assert shelves.begin(Marks(5), "two") is not first
    shelves.fill(first, [row(1, ["lantern"]), row(2, ["lantern"])])
    shelves.filled(first, Marks(5))
    shelves.fill(second, [row(1, ["lantern"]), row(2, ["lantern"])])
    shelves.filled(second, Marks(3))
    assert there(shelves) == [1, 2]
    assert shelves.marks == Marks(3), "the feed tells again what the second has not seen"


def test_a_feed_read_from_further_on_than_the_stock_is_read_again() -> None:
    shelves = Shelves()
    filled(shelves, range(1, 4), marks=3)
    assert not shelves.take([told(0, 9)], Marks(8, 8, 8), Marks(9, 9, 9))
    assert not shelves.stale
    assert there(shelves) == [1, 2, 3]
    rows = [told(0, doc) for doc in range(3, 10)]
    for _ in range(2):  # a second time changes nothing
        assert shelves.take(rows, Marks(2, 2, 2), Marks(9, 9, 9))
        assert there(shelves) == list(range(1, 10))


def test_when_most_is_gone_the_stock_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DEAD", 2)
    shelves = Shelves()
    filled(shelves, range(1, 10))
    assert shelves.take([told(1, doc) for doc in range(1, 6)], shelves.marks, Marks(1, 1, 1))
    assert there(shelves) == [6, 7, 8, 9]
    assert not shelves.take([told(1, 6), told(1, 7)], shelves.marks, Marks(2, 2, 2))
    assert shelves.stale


def test_vectors_of_the_feed_replace_those_of_before() -> None:
    shelves = Shelves()
    filled(shelves, range(1, 3), embedder="one")
    for vector in (ONE, OTHER):
        assert shelves.take([told(2, 2, vector=vector), told(2, 77, vector=vector)], shelves.marks, shelves.marks)
    found = shelves.messages.matrix.cosine(np.array([0, 1], np.float32), np.array([0, 1]))
    assert np.isnan(found[0])
    assert found[1] == 1
    assert shelves.messages.matrix.filled == 1
