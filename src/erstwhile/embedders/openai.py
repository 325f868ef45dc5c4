"""Vectors from OpenAI, or any server with the same `/embeddings`: Ollama, vLLM, llama.cpp.

Calls are not retried here, because jobs are. Every failure becomes one of erstwhile's errors,
without keys or message texts.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Iterator, Sequence
from dataclasses import field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from erstwhile.base.errors import BadAnswer, Error, ModelUnavailable, SettingsError
from erstwhile.base.provider_errors import StatusFailure, quote_code, read_retry_after
from erstwhile.base.records import dataclass
from erstwhile.base.tls import trusted
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.scripts import Scripts, beginning
from erstwhile.text import tokens

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT: Final = "text-embedding-3-small"
_KEY: Final = "OPENAI_API_KEY"
_CONNECT_SECONDS: Final = 5.0
_CHARACTERS_PER_TOKEN: Final = 8  # an upper bound, so that counting does not read a megabyte
_KNOWN: Final = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


def installed() -> bool:
    return find_spec("openai") is not None


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits per text and per call."""

    text_tokens: int
    call_texts: int
    call_tokens: int


# OpenAI accepts 8,192 tokens per text and 300,000 per call. Many small models read 512 tokens and
# refuse more; a laptop needs a second for one or two thousand, and a call must end within the
# timeout.
OPENAI: Final = CallLimits(text_tokens=2000, call_texts=256, call_tokens=150_000)
COMPATIBLE: Final = CallLimits(text_tokens=450, call_texts=64, call_tokens=8_000)


@dataclass(frozen=True, slots=True)
class EmbeddingEndpoint:
    """Model, address and key. Without a key OPENAI_API_KEY is used, never for another server."""

    provider: str
    model: str
    url: str = ""
    key: str = field(default="", repr=False)
    timeout: float = 60
    limits: CallLimits = OPENAI


class OpenAIEmbedder:
    served = True
    sentences = False  # not measured
    weight = 1.0
    cheap = False

    def __init__(self, endpoint: EmbeddingEndpoint) -> None:
        self.name = f"{endpoint.provider}:{endpoint.model}"
        host = urlsplit(endpoint.url).hostname or ""
        self.local = host in ("localhost", "::1") or host.startswith("127.")
        self._endpoint = endpoint
        self._scripts = Scripts()
        self._client: AsyncOpenAI | None = None
        self._building = asyncio.Lock()
        self._dimensions = 0 if endpoint.url else _KNOWN.get(endpoint.model, 0)

    def speaks(self, text: str) -> bool:
        return self._scripts.speak(text)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        most = self._endpoint.limits.text_tokens
        # A blank text is left out: OpenAI refuses it.
        read = [beginning(text, most * _CHARACTERS_PER_TOKEN).strip() for text in texts]
        read = [tokens.cut(text, most) for text in read]
        asked = [at for at, text in enumerate(read) if text]
        if not asked and not self._dimensions:
            await self._call(["."])  # to learn the length of its vectors: it refuses an empty text
        rows: list[Vectors] = []
        for batch in _batches([read[at] for at in asked], self._endpoint.limits):
            rows.extend(await self._call(batch))
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        if rows:
            vectors[asked] = np.stack(rows)
        return vectors

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _call(self, batch: list[str]) -> Vectors:
        client = await self._get_client()
        failure: Error
        try:
            async with asyncio.timeout(self._endpoint.timeout):
                create, model = client.embeddings.create, self._endpoint.model
                answer = await create(model=model, input=batch, encoding_format="base64")
            rows = _read_vectors(answer, len(batch), self._dimensions, self.name)
        except Exception as error:  # explained by type; other errors propagate
            explained = _explain_error(error, self.name, self._endpoint.timeout)
            if explained is None:
                raise
            failure = explained
        else:
            self._dimensions = rows.shape[1]
            return rows
        raise failure  # outside of the except block: the provider's error quotes bodies and headers

    async def _get_client(self) -> AsyncOpenAI:
        if self._client is None:
            async with self._building:
                if self._client is None:
                    # The first import takes a second or two: not on the event loop.
                    self._client = await asyncio.to_thread(self._build)
        return self._client

    def _build(self) -> AsyncOpenAI:
        key = self._key()
        import openai

        limit = self._endpoint.timeout
        timeout = openai.Timeout(limit, connect=min(_CONNECT_SECONDS, limit))
        client = openai.DefaultAsyncHttpxClient(timeout=timeout, verify=trusted())
        place: dict[str, Any] = {"api_key": key, "base_url": self._endpoint.url or None}
        return openai.AsyncOpenAI(**place, max_retries=0, timeout=timeout, http_client=client)

    def _key(self) -> str:
        endpoint = self._endpoint
        key = endpoint.key or (os.environ.get(_KEY, "") if endpoint.provider == "openai" else "")
        if key:
            return key
        if endpoint.url:
            return "none"  # a local server may need no key, but the client insists
        how = f"set {_KEY}, or ERSTWHILE_EMBEDDER_KEY"
        raise SettingsError(f"The embedder {self.name} needs a key: {how}.")


def _batches(texts: list[str], limits: CallLimits) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        cost = tokens.count(text)
        if batch and (len(batch) == limits.call_texts or size + cost > limits.call_tokens):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += cost
    if batch:
        yield batch


# Responses, which are read strictly: a wrong vector would go unnoticed.


def _read_vectors(answer: Any, wanted: int, dimensions: int, name: str) -> Vectors:
    """Return unit vectors in the order of the texts. `dimensions`: their length, 0 if unknown."""
    import numpy as np

    data = answer.data
    if len(data) != wanted:
        raise BadAnswer(f"{name} returned {len(data)} vectors for {wanted} texts.")
    if sorted(item.index for item in data) != list(range(wanted)):
        raise BadAnswer(f"{name} does not say which vector belongs to which text.")
    rows = [_row(item.embedding, name) for item in sorted(data, key=lambda item: int(item.index))]
    lengths = {len(row) for row in rows} | ({dimensions} if dimensions else set())
    if len(lengths) != 1 or not min(lengths):
        found = " and ".join(map(str, sorted(lengths)))
        why = f"gave vectors of different length ({found})"
        raise BadAnswer(f"{name} {why}: they can't be compared.")
    vectors = np.stack(rows)
    if not np.isfinite(vectors).all():
        raise BadAnswer(f"{name} returned vectors with invalid numbers.")
    # In doubles, because squares of large values overflow.
    sizes = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(sizes, 1e-30)).astype(np.float32)
    return unit


def _row(given: object, name: str) -> Vectors:
    """Read floats in base64, as requested, or the plain list that some servers send."""
    import numpy as np

    try:
        if isinstance(given, str):
            row = np.frombuffer(base64.b64decode(given, validate=True), dtype="<f4")
        else:
            row = np.array(given, dtype=np.float32)
    except (TypeError, ValueError):
        row = np.zeros(())
    if row.ndim != 1:
        raise BadAnswer(f"{name} returned something other than vectors.")
    return row.astype(np.float32)


def _explain_error(error: Exception, name: str, timeout: float) -> Error | None:
    """Translate a failed call; None for a bug of ours."""
    import openai

    if isinstance(error, Error):
        return error
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return ModelUnavailable(f"{name} did not answer within {timeout:g} seconds.")
    if isinstance(error, openai.APIStatusError):
        code, named = quote_code(error.code, error.type), ("ERSTWHILE_EMBEDDER_KEY", "embedder_url")
        after = read_retry_after(error.response.headers.get("retry-after", ""))
        return StatusFailure(name, error.status_code, code, *named, after).explain()
    if isinstance(error, openai.APIConnectionError | OSError):
        return ModelUnavailable(
            f"{name} could not be reached, or the connection broke. Check embedder_url, or wait."
        )
    if isinstance(error, openai.APIError | LookupError | AttributeError | TypeError | ValueError):
        # A body that is cut off, not JSON, or of another protocol.
        return ModelUnavailable(f"{name} sent an unreadable response. Check embedder_url, or wait.")
    return None
