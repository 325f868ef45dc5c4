"""A model that has to be fetched first: nobody waits for it longer than a few seconds."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from erstwhile.base.errors import ModelUnavailable, SettingsError
from erstwhile.embedders import fastembed
from erstwhile.embedders.fastembed import FastEmbedder
from erstwhile.testing.protocols import vector


class Local:
    """As much of fastembed's TextEmbedding as is used."""

    embedding_size = 64

    def embed(self, texts: Sequence[str], batch_size: int) -> Iterator[object]:
        return (np.array(vector(text, 64)) * 3 for text in texts)


async def test_vectors_come_in_order_and_of_unit_length() -> None:
    embedder = FastEmbedder(load=lambda model: Local())
    vectors = await embedder.embed(["one", "", "a longer one"])
    np.testing.assert_allclose(vectors, [vector("one", 64), [0.0] * 64, vector("a longer one", 64)], atol=1e-6)
    assert embedder.name == "fastembed:BAAI/bge-small-en-v1.5"


async def test_a_download_goes_on_while_calls_say_that_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fastembed, "_WAIT", 0.05)
    fetched, loads = threading.Event(), []

    def slow(model: str) -> Local:
        loads.append(model)
        fetched.wait()
        return Local()

    embedder = FastEmbedder("some/model", load=slow)
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="still downloading some/model"):
            await embedder.embed(["hello"])
    fetched.set()
    assert embedder._loading is not None
    embedder._loading.result()
    assert (await embedder.embed(["hello"])).any()
    assert loads == ["some/model"]


async def test_a_download_that_failed_is_tried_again() -> None:
    answers: list[object] = [
        ValueError("Could not load model x from any source."),
        OSError("https://somewhere/secret"),
        TimeoutError("slow"),
        Local(),
    ]

    def load(model: str) -> object:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    embedder = FastEmbedder(load=load)
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="could not download") as failed:
            await embedder.embed(["hello"])
        assert failed.value.__context__ is None
    assert (await embedder.embed(["hello"])).any()


async def test_a_model_that_fastembed_does_not_have() -> None:
    def load(model: str) -> object:
        raise ValueError(f"Model {model} is not supported in TextEmbedding.")

    with pytest.raises(SettingsError, match="no model 'nobody/nothing'"):
        await FastEmbedder("nobody/nothing", load=load).embed(["hello"])
