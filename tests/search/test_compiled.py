"""The ranking in C: a library that is missing or old, an index that is damaged while it is in use, several at once."""

from __future__ import annotations

import random
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from erstwhile import compiled
from erstwhile.index.segment import Segment
from erstwhile.search.rank import Ranking, rank
from search.test_plain_ranking import SCOPES, Space


def unloaded(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setattr(compiled, "FILE", file)
    monkeypatch.setattr(compiled, "library", compiled.library.__wrapped__)


def test_a_checkout_that_was_not_built_says_what_to_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unloaded(monkeypatch, tmp_path / "ranking.library")
    with pytest.raises(ImportError, match=r"ranking\.library is missing\. Run `make install`"):
        compiled.library()


def test_a_library_of_other_sources_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unloaded(monkeypatch, Path(shutil.copy(compiled.FILE, tmp_path / "ranking.library")))
    assert compiled.library().sizes() > 0
    monkeypatch.setattr(compiled, "FoundStruct", compiled.SpanStruct)
    with pytest.raises(ImportError, match="built from other sources"):
        compiled.library()


def arrays_of(segment: Segment) -> list[np.ndarray[Any, Any]]:
    """The arrays that a file may have changed: columns, postings, vectors."""
    blocks = [
        getattr(block, name) for block in segment.postings.blocks for name in ("keys", "starts", "places", "counts")
    ]
    columns = [segment.columns[name] for name in compiled.COLUMNS]
    return [*columns, *blocks, *segment.matrix.arrays.values()]


def damage(array: np.ndarray[Any, Any], chance: random.Random) -> None:
    """Fill some of its bytes with others."""
    content = array.reshape(-1).view(np.uint8)
    for _ in range(chance.choice((1, 5, len(content) // 50 + 1))):
        start, length = chance.randrange(len(content)), chance.choice((1, 4, 64))
        content[start : start + length] = np.frombuffer(chance.randbytes(length), np.uint8)[: len(content) - start]


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_index_ends_in_an_error_or_a_wrong_result_and_never_otherwise(seed: int) -> None:
    chance, refused = random.Random(seed), 0
    space = Space(5000, 1800, deleted=0.1 * (seed % 2), assistant=seed % 3 == 0)
    both = space.index.messages, space.index.memories
    for array in chance.sample([array for segment in both for array in arrays_of(segment) if array.size], 12):
        damage(array, chance)
        for number in range(6):
            scope = SCOPES[number % len(SCOPES)]
            try:
                with np.errstate(all="ignore"):
                    found = rank(space.index, space.question(), scope, space.options(scope))
            except (IndexError, ValueError):  # upon which stored files are checked
                refused += 1
            else:
                assert len(found.entries) <= 150
    sys.stdout.write(f"{refused} of 72 were refused\n")


def test_searches_at_the_same_time_find_what_each_finds_alone() -> None:
    space = Space(5000, 300, deleted=0.0)
    asked = [(space.question(), SCOPES[0], space.options(SCOPES[0])) for _ in range(40)]

    def found(ranking: Ranking) -> list[tuple[int, float]]:
        return [(entry.doc, entry.score) for entry in ranking.entries]

    alone = [found(rank(space.index, *each)) for each in asked]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda each: rank(space.index, *each), asked * 3))
    assert [found(each) for each in together] == alone * 3
