"""fastembed: any model of its list, on onnxruntime. Downloads the model on first use.

The download runs in the background. Calls wait a few seconds for it and then fail, so that jobs
retry later and a search continues without it. Offline, fastembed itself blocks for 39 seconds
(version 0.9.1).
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, Final

from erstwhile.base.errors import Error, ModelUnavailable, SettingsError
from erstwhile.embedders.local import LocalEmbedder
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.scripts import HAN, LATIN, Scripts, beginning

DEFAULT: Final = "BAAI/bge-small-en-v1.5"
_WAIT: Final = 5.0  # seconds from the start of loading; a model on disk takes about one
_CHARACTERS: Final = 4000
_MULTILINGUAL: Final = re.compile(
    r"multilingual|embeddings-v3|embeddinggemma|qwen3|siglip2|bge-m3", re.IGNORECASE
)
_CHINESE: Final = re.compile(r"-zh\b", re.IGNORECASE)


def installed() -> bool:
    return find_spec("fastembed") is not None


class FastEmbedder(LocalEmbedder):
    def __init__(self, model: str = "", *, load: Callable[[str], Any] | None = None) -> None:
        self._model = model or DEFAULT
        self._load = load or _load
        self._loading: Future[Any] | None = None
        self._patience = 0.0
        self._turn = threading.Lock()
        self.scripts = _scripts(self._model)
        self.name = f"fastembed:{self._model}"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        model = await self._ready()
        return await asyncio.to_thread(self._embed, model, texts)

    async def close(self) -> None:
        self._loading = None

    async def _ready(self) -> Any:
        if self._loading is None:
            self._loading = _in_the_background(self._load, self._model)
            self._patience = time.monotonic() + _WAIT
        loading = self._loading
        failure: Error
        try:
            if loading.done():
                return loading.result()
            left = max(0.0, self._patience - time.monotonic())
            return await asyncio.wait_for(asyncio.wrap_future(loading), left)
        except (OSError, RuntimeError, ValueError) as wrong:  # TimeoutError is an OSError
            if loading.done() and loading.exception() is None:
                return loading.result()  # it arrived just as the wait ended
            if not loading.done():
                what = f"fastembed is still downloading {self._model}"
                failure = ModelUnavailable(f"{what}; until then search works without it.")
            else:
                self._loading = None  # the next call retries
                failure = _explained(wrong, self._model)
        raise failure  # outside of the except block, so that addresses in fastembed's error are not chained

    def _embed(self, model: Any, texts: Sequence[str]) -> Vectors:
        import numpy as np

        read = [beginning(text, _CHARACTERS) for text in texts]
        asked = [at for at, text in enumerate(read) if text.strip()]
        with self._turn:
            # Without padding, other texts in the batch do not matter. It is faster too: on one core
            # MiniLM took 70 texts a second one by one, 24 in batches of 16, 12 in batches of 64
            # (2026-11-15).
            rows = list(model.embed([read[at] for at in asked], batch_size=1))
            vectors = np.zeros((len(texts), model.embedding_size), dtype=np.float32)
        for at, row in zip(asked, rows, strict=True):
            vectors[at] = row / max(float(np.linalg.norm(row)), 1e-12)
        return vectors


def _load(model: str) -> Any:
    from fastembed import TextEmbedding

    with suppress(ImportError):
        from loguru import logger

        logger.disable("fastembed")  # it prints what it raises anyway
    return TextEmbedding(model, threads=1)


def _scripts(model: str) -> Scripts:
    if _MULTILINGUAL.search(model):
        return Scripts()
    return Scripts(LATIN, HAN) if _CHINESE.search(model) else Scripts(LATIN)


def _in_the_background(load: Callable[[str], Any], model: str) -> Future[Any]:
    """Load in a daemon thread, which does not delay the end of the program."""
    loaded: Future[Any] = Future()

    def run() -> None:
        loaded.set_running_or_notify_cancel()  # from here on a caller that stops waiting does not stop the load
        try:
            loaded.set_result(load(model))
        except BaseException as wrong:  # noqa: BLE001 - any error goes to whoever waits for the model
            loaded.set_exception(wrong)

    threading.Thread(target=run, name=f"load {model}", daemon=True).start()
    return loaded


def _explained(wrong: Exception, model: str) -> Error:
    if "is not supported" in str(wrong):
        known = "TextEmbedding.list_supported_models() lists them"
        return SettingsError(f"fastembed has no model {model!r}: {known}.")
    why = f"fastembed could not download {model}."
    return ModelUnavailable(f"{why} Check the network, or put the model into FASTEMBED_CACHE_PATH.")
