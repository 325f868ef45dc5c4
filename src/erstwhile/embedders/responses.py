"""Read the response of an `/embeddings` server strictly: a wrong vector would go unnoticed."""

from __future__ import annotations

import base64
from typing import Any

from erstwhile.base.errors import BadAnswer, Error, ModelUnavailable
from erstwhile.base.provider_errors import StatusFailure, quote_code, read_retry_after
from erstwhile.embedders.port import Vectors


def read_vectors(answer: Any, wanted: int, dimensions: int, name: str) -> Vectors:
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
        raise BadAnswer(f"{name} gave vectors of different length ({found}): they can't be compared.")
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
        packed = base64.b64decode(given, validate=True) if isinstance(given, str) else None
        row = np.array(given, dtype=np.float32) if packed is None else np.frombuffer(packed, dtype="<f4")
    except (TypeError, ValueError):
        row = np.zeros(())
    if row.ndim != 1:
        raise BadAnswer(f"{name} returned something other than vectors.")
    return row.astype(np.float32)


def explain_error(error: Exception, name: str, timeout: float) -> Error | None:
    """Translate a failed call; None for a bug of ours."""
    import openai

    if isinstance(error, Error):
        return error
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return ModelUnavailable(f"{name} did not answer within {timeout:g} seconds.")
    if isinstance(error, openai.APIStatusError):
        return StatusFailure(
            name,
            error.status_code,
            quote_code(error.code, error.type),
            key="ERSTWHILE_EMBEDDER_KEY",
            address="embedder_url",
            retry_after=read_retry_after(error.response.headers.get("retry-after", "")),
        ).explain()
    if isinstance(error, openai.APIConnectionError | OSError):
        return ModelUnavailable(f"{name} could not be reached, or the connection broke. Check embedder_url, or wait.")
    if isinstance(error, openai.APIError | LookupError | AttributeError | TypeError | ValueError):
        # A body that is cut off, not JSON, or of another protocol.
        return ModelUnavailable(f"{name} sent an unreadable response. Check embedder_url, or wait.")
    return None
