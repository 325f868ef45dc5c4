"""What every embedder promises, held against each one that is installed."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

from erstwhile.embedders.port import Embedder

TEXTS = [
    "Mina moved to Busan in March.",
    "In March Mina went to live in Busan.",
    "The gearbox of the tractor leaks oil again.",
    "what does she do for a living?",
    "I can't eat peanuts; they make me ill",
]
ODD = [
    "tabs\tand\nlines\r\n  and   spaces ",
    "a\x00b and \x00",
    "lone \ud800 surrogate",
    "😀😀 emoji 👩‍👩‍👧",
    "e\u0301 combining, ﬁ ligature, \u200bzero width",
    "<s> [CLS] </s> <|endoftext|>",
    "x" * 500,
]


async def test_vectors_are_floats_of_unit_length_in_the_order_of_the_texts(embedder: Embedder) -> None:
    vectors = await embedder.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape[0] == len(TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
    backwards = await embedder.embed(TEXTS[::-1])
    np.testing.assert_allclose(backwards[::-1], vectors, atol=1e-5)


async def test_what_means_the_same_is_nearer(embedder: Embedder) -> None:
    one, same, other, *_ = await embedder.embed(TEXTS)
    assert one @ same > one @ other


async def test_the_same_text_has_the_same_vector_alone_and_among_others(embedder: Embedder) -> None:
    many = TEXTS * 30
    together = await embedder.embed(many)
    alone = np.concatenate([await embedder.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(together, np.tile(alone, (30, 1)), atol=1e-5)
    np.testing.assert_array_equal(alone, np.concatenate([await embedder.embed([text]) for text in TEXTS]))


async def test_nothing_said_means_nothing(embedder: Embedder) -> None:
    blank = await embedder.embed(["", " \n\t "])
    assert not blank.any()
    mixed = await embedder.embed(["", TEXTS[0], ""])
    assert [bool(row.any()) for row in mixed] == [False, True, False]
    assert blank.shape[1] == mixed.shape[1] > 0
    assert (await embedder.embed([])).shape == (0, mixed.shape[1])


async def test_of_a_long_text_the_beginning_counts(embedder: Embedder) -> None:
    long = "Mina moved to Busan in March and works there as a nurse. " * 2000
    (vector,) = await embedder.embed([long[:100_000]])
    (same,) = await embedder.embed([long[:100_000].rstrip() + " The gearbox leaks." * 1000])
    np.testing.assert_allclose(vector, same, atol=1e-5)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-4)
    (unbroken,) = await embedder.embed(["x" * 100_000])
    assert np.linalg.norm(unbroken) == pytest.approx(1.0, abs=1e-4)


async def test_odd_texts_are_taken(embedder: Embedder) -> None:
    vectors = await embedder.embed(ODD)
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)


async def test_many_at_once_get_their_own(embedder: Embedder) -> None:
    wanted = await embedder.embed(TEXTS)
    got = await asyncio.gather(*(embedder.embed([text] * 3) for text in TEXTS * 4))
    for at, rows in enumerate(got):
        np.testing.assert_allclose(rows, np.tile(wanted[at % len(TEXTS)], (3, 1)), atol=1e-5)


async def test_it_says_what_it_is(embedder: Embedder) -> None:
    assert embedder.name
    assert embedder.speaks(TEXTS[0])
    assert not embedder.speaks("")
    assert not embedder.speaks(" \n … !! 😀")
    assert embedder.local  # also the servers of these tests: they are on loopback
    assert embedder.cheap == (embedder.name == "vectors:1:256")


def test_a_model_is_loaded_once_by_many_threads() -> None:
    from erstwhile.embedders.local import LazyValue

    loads: list[int] = []
    together = threading.Barrier(8)

    def load_it() -> object:
        loads.append(1)
        return object()

    model, got = LazyValue(load_it), []

    def ask() -> None:
        together.wait()
        got.append(model.wait())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1
    assert len(set(map(id, got))) == 1


async def test_a_load_that_failed_is_tried_again() -> None:
    from erstwhile.embedders.local import LazyValue

    answers = [OSError("the disk was away"), "a model"]

    def load_it() -> str:
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    model = LazyValue(load_it)
    with pytest.raises(OSError, match="away"):
        await model.get()
    assert await model.get() == "a model"
