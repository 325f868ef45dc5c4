"""OpenAI's embeddings, also as other servers speak them: vectors that are equal for equal texts and
near for similar ones.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
import struct
from typing import Any

from erstwhile.testing.calls import Call
from erstwhile.testing.openai_protocol import estimate

_DIMENSIONS = 256


def answer(call: Call, fault: str = "") -> dict[str, Any]:
    """`fault` names what is wrong with it; those that change words do nothing here."""
    if fault == "bare_object":
        return {"embedding": vector(""), "kind": "note"}
    texts = _texts(call.body.get("input", ""))
    vectors = [vector(text, int(call.body.get("dimensions") or _DIMENSIONS)) for text in texts]
    encode = _packed if call.body.get("encoding_format") == "base64" else list
    vectors = _spoilt(vectors, fault)
    rows: list[dict[str, Any]] = [
        {"object": "embedding", "index": at, "embedding": encode(row)} for at, row in enumerate(vectors)
    ]
    if fault == "wrong_types" and rows:
        rows[-1]["embedding"] = {"values": ["a", None]}
    tokens = sum(map(estimate, texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": rows, "model": call.model, "usage": usage}


def _spoilt(vectors: list[list[float]], fault: str) -> list[list[float]]:
    match fault:
        case "empty":
            return []
        case "fewer_vectors":
            return vectors[:-1]
        case "other_dimensions":
            return [*vectors[:-1], vectors[-1][: len(vectors[-1]) // 2]]
        case "not_numbers":
            return [*vectors[:-1], [math.nan, *vectors[-1][1:]]]
    return vectors


def vector(text: str, dimensions: int = _DIMENSIONS) -> list[float]:
    """Hashed words and letter trigrams: equal texts are equal, texts that share words are near."""
    folded = " ".join(text.casefold().split())
    features = [*re.findall(r"\w+", folded) * 2, *(folded[at : at + 3] for at in range(len(folded) - 2))]
    row = [0.0] * dimensions
    for feature in features or [""]:
        digest = int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big")
        row[digest % dimensions] += 1.0 if digest >> 63 else -1.0
    length = math.sqrt(sum(value * value for value in row)) or 1.0
    return [value / length for value in row]


def _texts(given: object) -> list[str]:
    """The API takes a text, texts, a token list, or token lists."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, list) and given and all(isinstance(item, int) for item in given):
        return [" ".join(map(str, given))]
    return (
        [item if isinstance(item, str) else " ".join(map(str, item)) for item in given]
        if isinstance(given, list)
        else []
    )


def _packed(row: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode()
