"""The embedder that asks a server, against one on loopback that can fail in every way."""

from __future__ import annotations

import socket
import traceback
from collections.abc import AsyncIterator

import numpy as np
import pytest
from places import asking

from erstwhile.base.errors import BadAnswer, ModelError, ModelRefused, ModelUnavailable, SettingsError
from erstwhile.base.settings import load
from erstwhile.embedders.choose import choose
from erstwhile.embedders.openai import OpenAIEmbedder
from erstwhile.testing import Fault, FaultMix, ModelServer
from erstwhile.testing.protocols import vector
from erstwhile.text import tokens

SAID = "my secret is canary-text"


def made(server: ModelServer, embedder: str = "openai:test", **more: object) -> OpenAIEmbedder:
    chosen = choose(asking(server, embedder, **more))
    assert isinstance(chosen, OpenAIEmbedder)
    return chosen


@pytest.fixture
async def embedder(server: ModelServer) -> AsyncIterator[OpenAIEmbedder]:
    chosen = made(server, model_timeout_seconds=20)
    yield chosen
    await chosen.close()


async def test_vectors_are_those_the_server_gave(embedder: OpenAIEmbedder, server: ModelServer) -> None:
    texts = ["Mina moved to Busan", "한국어도 됩니다", "third"]
    vectors = await embedder.embed(texts)
    np.testing.assert_allclose(vectors, [vector(text) for text in texts], atol=1e-6)
    (call,) = server.calls
    assert (call.path, call.model, call.api_key) == ("/embeddings", "test", "k")
    assert (call.body["input"], call.body["encoding_format"]) == (texts, "base64")
    assert embedder.name == "openai:test"


async def test_a_server_that_packs_nothing_and_one_that_changes_the_order_are_read_too(
    embedder: OpenAIEmbedder, server: ModelServer
) -> None:
    plain = [{"object": "embedding", "index": at, "embedding": [0.0, at + 2.0]} for at in (1, 0)]
    server.then(Fault.other_json({"object": "list", "model": "m", "data": plain}), at="embeddings")
    np.testing.assert_array_equal(await embedder.embed(["a", "b"]), [[0.0, 1.0], [0.0, 1.0]])
    slanted = [{"object": "embedding", "index": 1 - at, "embedding": [at, 1 - at]} for at in (0, 1)]
    server.then(Fault.other_json({"object": "list", "model": "m", "data": slanted}), at="embeddings")
    np.testing.assert_array_equal(await embedder.embed(["a", "b"]), [[1.0, 0.0], [0.0, 1.0]])


async def test_many_texts_go_in_batches_and_blank_ones_stay_here(embedder: OpenAIEmbedder, server: ModelServer) -> None:
    texts = [f"text number {number}" if number % 10 else " " for number in range(700)]
    vectors = await embedder.embed(texts)
    assert [len(call.body["input"]) for call in server.calls] == [256, 256, 118]
    assert not vectors[::10].any()
    np.testing.assert_allclose(vectors[699], vector("text number 699"), atol=1e-6)


async def test_a_call_carries_no_more_than_a_server_takes(server: ModelServer) -> None:
    long = "A sentence of several words that goes on. " * 3000
    for name, each, all_of_it in (("openai:test", 2000, 150_000), ("openai-compatible:test", 450, 8_000)):
        embedder, before = made(server, name), len(server.calls)
        vectors = await embedder.embed([long] * 100)
        await embedder.close()
        assert vectors.shape[0] == 100
        for call in server.calls[before:]:
            sizes = [tokens.count(text) for text in call.body["input"]]
            assert max(sizes) <= each
            assert sum(sizes) <= all_of_it
        assert sum(len(call.body["input"]) for call in server.calls[before:]) == 100


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault.rate_limited(7), ModelUnavailable),
        (Fault.server_error(500), ModelUnavailable),
        (Fault.server_error(503), ModelUnavailable),
        (Fault.bad_key(), ModelRefused),
        (Fault.unknown_model(), ModelRefused),
        (Fault.bad_request(), ModelRefused),
        (Fault.bad_request(402), ModelRefused),
        (Fault.bad_request(413), ModelRefused),
        (Fault.hang(0.05), ModelUnavailable),
        (Fault.truncated(), ModelUnavailable),
        (Fault.truncated(promised=False), ModelUnavailable),
        (Fault.cut_stream(), ModelUnavailable),
        (Fault.not_json(), ModelUnavailable),
        (Fault.not_json("application/json"), ModelUnavailable),
        (Fault.other_json([1, 2]), ModelUnavailable),
        (Fault.other_json({"data": None}), ModelUnavailable),
        (Fault.other_json({"data": [1, 2, 3]}), ModelUnavailable),
        (Fault.other_json({"data": [{"index": 0, "embedding": [[1.0]]}] * 3}), BadAnswer),
        (Fault.other_json({"data": [{"index": at, "embedding": []} for at in range(3)]}), BadAnswer),
        (Fault.other_json({"data": [{"index": at, "embedding": "AAAA"} for at in range(3)]}), BadAnswer),
        (Fault.bare_object(), ModelUnavailable),
        (Fault.wrong_types(), BadAnswer),
        (Fault.empty(), BadAnswer),
        (Fault.fewer_vectors(), BadAnswer),
        (Fault.other_dimensions(), BadAnswer),
        (Fault.not_numbers(), BadAnswer),
    ],
    ids=lambda value: getattr(value, "name", getattr(value, "__name__", "")),
)
async def test_every_failure_is_one_of_ours_and_is_not_repeated_here(
    embedder: OpenAIEmbedder, server: ModelServer, fault: Fault, kind: type[ModelError]
) -> None:
    server.then(fault, at="embeddings")
    with pytest.raises(kind) as failed:
        await embedder.embed([SAID, "two", "three"])
    assert len(server.calls) == 1
    told = "".join(traceback.format_exception(failed.value)).split("The above exception")[-1]
    assert "canary" not in told
    if fault.name == "rate_limited":
        assert isinstance(failed.value, ModelUnavailable)
        assert failed.value.retry_after == 7
    assert (await embedder.embed([SAID])).any()  # and the next call finds everything in order


async def test_a_server_that_says_nothing_is_not_waited_for(server: ModelServer) -> None:
    embedder = made(server, model_timeout_seconds=0.2)
    server.then(Fault.hang(), Fault.slow_drip(seconds=0.01), at="embeddings")
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match=r"within 0\.2 seconds"):
            await embedder.embed(["hello"])
    await embedder.close()


async def test_nobody_there(server: ModelServer) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        chosen = choose(
            load(embedder="openai-compatible:m", embedder_url=f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
        )
        assert chosen is not None
        with pytest.raises(ModelUnavailable, match="embedder_url"):
            await chosen.embed(["hello"])
        await chosen.close()


async def test_vectors_of_another_length_than_before_are_refused(embedder: OpenAIEmbedder, server: ModelServer) -> None:
    await embedder.embed(["hello"])
    short = {"object": "list", "model": "m", "data": [{"object": "embedding", "index": 0, "embedding": [1.0, 0.0]}]}
    server.then(Fault.other_json(short), at="embeddings")
    with pytest.raises(BadAnswer, match="2 and 256"):
        await embedder.embed(["hello"])


async def test_openais_own_models_have_the_length_they_are_known_for() -> None:
    embedder = choose(load(embedder="openai", api_key="k"))
    assert embedder is not None
    assert embedder.name == "openai:text-embedding-3-small"
    assert (await embedder.embed(["", " "])).shape == (2, 1536)  # and nobody was asked
    assert not embedder.local


async def test_a_key_that_is_missing_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = choose(load(embedder="openai"))
    assert embedder is not None
    with pytest.raises(SettingsError, match="OPENAI_API_KEY, or ERSTWHILE_EMBEDDER_KEY"):
        await embedder.embed(["hello"])


@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({"embedder": "openai:m", "embedder_url": "URL", "embedder_key": "own", "api_key": "shared"}, "own"),
        ({"embedder": "openai:m", "embedder_url": "URL", "api_key": "shared"}, "shared"),
        ({"embedder": "openai:m", "base_url": "URL", "model": "openai:gpt", "api_key": "shared"}, "shared"),
        ({"embedder": "openai:m", "embedder_url": "URL"}, "usual"),
        ({"embedder": "openai:m", "embedder_url": "URL", "model": "anthropic:c", "api_key": "another's"}, "usual"),
        ({"embedder": "openai-compatible:m", "base_url": "URL", "api_key": "shared"}, "shared"),
        ({"embedder": "openai-compatible:m", "embedder_url": "URL", "api_key": "another's"}, "none"),
        ({"embedder": "openai-compatible:m", "embedder_url": "URL"}, "none"),
    ],
)
async def test_a_key_goes_only_where_it_belongs(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], sent: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "usual")
    given = {name: server.base_url if value == "URL" else value for name, value in settings.items()}
    embedder = choose(load(**given))
    assert embedder is not None
    await embedder.embed(["hello"])
    await embedder.close()
    assert server.calls[-1].api_key == sent
    assert "usual" not in repr(embedder.__dict__)


def test_another_providers_address_is_not_openais() -> None:
    for model in ("openai-compatible:llama", "anthropic:claude"):
        chosen = choose(load(embedder="openai", model=model, base_url="http://127.0.0.1:1/v1"))
        assert isinstance(chosen, OpenAIEmbedder)
        assert chosen._endpoint.url == ""


async def test_with_faults_on_every_second_call_only_whole_answers_come_through() -> None:
    texts = [f"text {number}" for number in range(20)]
    wanted = np.array([vector(text) for text in texts], dtype=np.float32)
    async with ModelServer(faults=FaultMix(rate=0.5, seed=3, hang_seconds=0.05)) as server:
        embedder, got, failed = made(server), 0, set()
        while got < 20:
            try:
                vectors = await embedder.embed(texts)
            except ModelError:
                failed.add(server.calls[-1].outcome)
            else:
                got += 1
                np.testing.assert_allclose(vectors, wanted, atol=1e-6)
                assert server.calls[-1].outcome == "answered"
        await embedder.close()
    assert len(failed) > 3
