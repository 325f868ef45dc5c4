"""Vectors from OpenAI, or from any server with the same `/embeddings`: Ollama, vLLM, llama.cpp and others.

Calls are never repeated here: the client's own retries are off, because the job table retries durably. Every failure comes out as one of
erstwhile's own errors; keys, and what people said, are in none of them.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from erstwhile.base.errors import Error, SettingsError
from erstwhile.embedders import answers
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.reading import Scripts, beginning
from erstwhile.text import tokens

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT: Final = "text-embedding-3-small"
_KEY: Final = "OPENAI_API_KEY"
_CONNECT_SECONDS: Final = 5.0
_CHARACTERS_PER_TOKEN: Final = 8  # no text has more, so that counting does not read a megabyte
_KNOWN: Final = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one text is sent, and how much in one call."""

    text_tokens: int
    call_texts: int
    call_tokens: int


# OpenAI takes 8,192 tokens a text and 300,000 a call. Many small models read 512 tokens and refuse more, and a laptop needs a second for
# a thousand or two: what is sent at once must be done within the timeout.
OPENAI: Final = Limits(text_tokens=2000, call_texts=256, call_tokens=150_000)
COMPATIBLE: Final = Limits(text_tokens=450, call_texts=64, call_tokens=8_000)


@dataclass(frozen=True, slots=True)
class Place:
    """Which model, where, and with whose key. Without a key OpenAI's usual variable is asked, but never for another's server."""

    provider: str
    model: str
    url: str = ""
    key: str = field(default="", repr=False)
    timeout: float = 60
    limits: Limits = OPENAI


class OpenAIEmbedder:
    served = True
    cheap = False

    def __init__(self, place: Place) -> None:
        self.name = f"{place.provider}:{place.model}"
        self.local = _on_this_machine(place.url)
        self._place = place
        self._scripts = Scripts()
        self._client: AsyncOpenAI | None = None
        self._building = asyncio.Lock()
        self._dimensions = 0 if place.url else _KNOWN.get(place.model, 0)

    def speaks(self, text: str) -> bool:
        return self._scripts.speak(text)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        read = [_read(text, self._place.limits.text_tokens) for text in texts]
        asked = [at for at, text in enumerate(read) if text]
        if not asked and not self._dimensions:
            await self._call(["."])  # only to learn how long its vectors are: it refuses an empty text
        rows = [
            row for batch in _batches([read[at] for at in asked], self._place.limits) for row in await self._call(batch)
        ]
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        if rows:
            vectors[asked] = np.stack(rows)
        return vectors

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _call(self, batch: list[str]) -> Vectors:
        client = await self._reach()
        failure: Error
        try:
            async with asyncio.timeout(self._place.timeout):
                answer = await client.embeddings.create(model=self._place.model, input=batch, encoding_format="base64")
            rows = answers.read(answer, len(batch), self._dimensions, self.name)
        except Exception as error:  # sorted out by type; what is not a provider's failure goes on as it is
            explained = answers.explained(error, self.name, self._place.timeout)
            if explained is None:
                raise
            failure = explained
        else:
            self._dimensions = rows.shape[1]
            return rows
        raise failure  # out here, so that the provider's error, which quotes bodies and headers, is not chained to it

    async def _reach(self) -> AsyncOpenAI:
        if self._client is None:
            async with self._building:
                if self._client is None:
                    # The first import takes a second or two: not on the event loop.
                    self._client = await asyncio.to_thread(self._build)
        return self._client

    def _build(self) -> AsyncOpenAI:
        key = self._key()
        import openai

        timeout = openai.Timeout(self._place.timeout, connect=min(_CONNECT_SECONDS, self._place.timeout))
        return openai.AsyncOpenAI(api_key=key, base_url=self._place.url or None, max_retries=0, timeout=timeout)

    def _key(self) -> str:
        place = self._place
        key = place.key or (os.environ.get(_KEY, "") if place.provider == "openai" else "")
        if key:
            return key
        if place.url:
            return "none"  # a local server or a gateway may not need one, but the client insists
        raise SettingsError(f"The embedder {self.name} needs a key: set {_KEY}, or ERSTWHILE_EMBEDDER_KEY.")


def _read(text: str, limit: int) -> str:
    """What is sent of a text; nothing for a blank one, which OpenAI refuses."""
    return tokens.cut(beginning(text, limit * _CHARACTERS_PER_TOKEN).strip(), limit)


def _batches(texts: list[str], limits: Limits) -> Iterator[list[str]]:
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


def _on_this_machine(url: str) -> bool:
    from urllib.parse import urlsplit

    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
