"""Vectors in a byte a dimension: what that costs, and that signs lead to the nearest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from erstwhile.index.columns import Columns, Matrix, packed, signs, stored_length
from support.nearness import cosine, cosines, near

unit = (
    arrays(np.float32, st.integers(2, 300), elements=st.floats(-1, 1, width=32))
    .filter(lambda vector: np.linalg.norm(vector) > 0.01)
    .map(lambda vector: vector / np.linalg.norm(vector))
)


@given(vector=unit)
def test_packing_is_wrong_by_half_a_step_at_most(vector: NDArray[np.float32]) -> None:
    length = stored_length(len(vector))
    back = np.frombuffer(packed(vector[None])[0], np.int8) / length
    assert len(back) == len(vector)
    assert np.abs(back - vector).max() <= 0.5 / length + 1e-6


def test_a_vector_without_meaning_is_not_stored() -> None:
    assert packed(np.zeros((1, 256), np.float32)) == [b""]
    assert packed(np.zeros((1, 0), np.float32)) == [b""]


def crowd(count: int, dimensions: int = 256, seed: int = 7) -> NDArray[np.float32]:
    """Vectors in groups, as texts are: some are near each other."""
    dice = np.random.default_rng(seed)
    centres = dice.normal(size=(60, dimensions))
    made = centres[dice.integers(0, 60, count)] + dice.normal(size=(count, dimensions))
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)


def filled(vectors: NDArray[np.float32]) -> Matrix:
    matrix = Matrix()
    for first in range(0, len(vectors), 700):
        part = vectors[first : first + 700]
        matrix.put(range(first, first + len(part)), packed(part))
    return matrix


def test_cosines_are_those_of_the_vectors() -> None:
    vectors = crowd(500)
    matrix = filled(vectors)
    for query in crowd(20, seed=8):
        assert cosine(matrix, query, np.arange(500)) == pytest.approx(vectors @ query, abs=0.03)


def test_signs_lead_to_the_nearest() -> None:
    vectors = crowd(6000)
    matrix = filled(vectors)
    queries = vectors[::300] + 0.02 * np.random.default_rng(3).normal(size=(20, 256)).astype(np.float32)
    kept = 0
    for query in queries:
        exact = np.argsort(-(vectors @ query))[:10]
        found = near(matrix, query, 200)
        assert exact[0] in found
        assert len(found) < 600, "a fraction is compared in full"
        kept += len(set(exact) & set(found))
    assert kept >= 0.95 * 200


@pytest.mark.parametrize(("count", "dimensions", "least"), [(3000, 200, 0.9), (40_000, 100, 0.5), (500, 40, 0.9)])
def test_those_found_by_signs_are_those_found_by_counting_them(count: int, dimensions: int, least: float) -> None:
    """The dimensions are no multiple of 64, and the most are compared in several stretches."""
    vectors, query = crowd(count, dimensions), crowd(1, dimensions, seed=9)[0]
    matrix, half = filled(vectors), max(1, -(-dimensions // 64) // 2) * 64
    stored = np.array([np.frombuffer(each, np.int8) for each in packed(vectors)])
    differ = (stored > 0) != (query > 0)
    first, whole = differ[:, :half].sum(axis=1), differ.sum(axis=1)
    worth = np.flatnonzero(first <= np.sort(first)[min(16 * 50, count) - 1])
    expected = worth[whole[worth] <= np.sort(whole[worth])[49]]
    assert near(matrix, query, 50) == expected.tolist()
    nearest = set(np.flatnonzero(whole <= np.sort(whole)[49]).tolist())
    assert len(nearest & set(expected.tolist())) >= least * len(nearest), "half of them lose few of the nearest by all"


def test_rows_without_a_vector_are_never_near() -> None:
    vectors = crowd(900)
    matrix = Matrix()
    places = list(range(0, 2700, 3))
    matrix.put(places, packed(vectors))
    assert matrix.filled == 900
    found = near(matrix, vectors[5], 100)
    assert 15 in found
    assert set(found) <= set(places)
    assert np.isnan(cosine(matrix, vectors[5], np.array([1, 2, 100_000]))).all()


def test_a_vector_put_again_replaces_the_one_before_and_others_dimensions_all() -> None:
    matrix, vectors = Matrix(), crowd(3, dimensions=64)
    matrix.put([0, 1], packed(vectors[:2]))
    matrix.put([1], packed(vectors[2:]))
    assert matrix.filled == 2
    assert cosine(matrix, vectors[2], np.array([1]))[0] == pytest.approx(1, abs=0.01)
    other = crowd(1, dimensions=32)[0]
    matrix.put([0], packed(other[None]))
    assert matrix.filled == 1
    assert near(matrix, other, 10) == [0]
    assert np.isnan(cosine(matrix, vectors[2], np.array([0, 1]))).all(), (
        "a question of other dimensions is near nothing"
    )


def test_a_question_of_other_dimensions_is_near_nothing() -> None:
    matrix = filled(crowd(500))
    assert near(matrix, crowd(1, dimensions=100)[0], 50) == []
    assert near(matrix, crowd(1, dimensions=100)[0], 5000) == []
    assert np.isnan(cosine(matrix, crowd(1, dimensions=100)[0], np.arange(500))).all()


def test_signs_of_one_and_of_many_are_the_same() -> None:
    vectors = crowd(10, dimensions=70)
    assert np.array_equal(signs(vectors), np.stack([signs(vector) for vector in vectors]))
    assert signs(vectors).shape == (10, 2)


def test_columns_grow_and_keep_what_they_hold() -> None:
    held = Columns(a="i8", b="b")
    for first in range(0, 3000, 7):
        held.extend({"a": list(range(first, first + 7)), "b": np.ones(7, np.int8)})
    assert held["a"].tolist() == list(range(held.length))
    assert int(held["b"].sum()) == held.length == 3003
    held.extend({"a": list(range(3003, 20_000)), "b": [0] * 16_997})
    assert held["a"].tolist() == list(range(20_000))


def test_cosines_are_also_measured_from_the_middle_of_all() -> None:
    chance = np.random.default_rng(7)
    common = chance.normal(size=128)
    vectors = (chance.normal(size=(600, 128)) + 2 * common).astype(np.float32)
    matrix = Matrix()
    matrix.put(range(600), packed(vectors))
    unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    middle = unit.sum(axis=0) / (600 + 32)
    plain, centred = cosines(matrix, unit[3], np.arange(700), np.ones(700))
    left, right = unit - middle, unit[3] - middle
    expected = left @ right / np.linalg.norm(left, axis=1) / np.linalg.norm(right)
    assert plain[:600] == pytest.approx(unit @ unit[3], abs=0.02)
    assert centred[:600] == pytest.approx(expected, abs=0.05)
    assert np.isnan(plain[600:]).all()
    assert np.isnan(centred[600:]).all()


def test_the_middle_of_many_is_that_of_some() -> None:
    """And it is the same for whoever adds one more."""
    chance = np.random.default_rng(8)
    vectors = (chance.normal(size=(5000, 64)) + 1).astype(np.float32)
    matrix = Matrix()
    matrix.put(range(5000), packed(vectors))
    before = cosines(matrix, vectors[0] / np.linalg.norm(vectors[0]), np.arange(10), np.ones(5001))[1]
    matrix.put([5000], packed(vectors[:1]))
    after = cosines(matrix, vectors[0] / np.linalg.norm(vectors[0]), np.arange(10), np.ones(5001))[1]
    assert (before == after).all()
