"""What an `/embeddings` server answered: read strictly, because a wrong vector would be stored and never noticed."""

from __future__ import annotations

import base64
import math
import re
from typing import TYPE_CHECKING, Any, Final

from erstwhile.base.errors import BadAnswer, Error, ModelRefused, ModelUnavailable
from erstwhile.embedders.port import Vectors

if TYPE_CHECKING:
    from openai import APIStatusError

_WORTH_TRYING_AGAIN: Final = frozenset({408, 409, 425, 429})
# Only what looks like a code is repeated from a provider's error: its free text may quote the key or the text.
_CODE: Final = re.compile(r"[a-z][a-z_.]{2,40}", re.IGNORECASE)


def read(answer: Any, wanted: int, dimensions: int, name: str) -> Vectors:
    """The vectors in the order of the texts, of unit length. `dimensions`: how long they must be, 0 when that is not known."""
    import numpy as np

    data = answer.data
    if len(data) != wanted:
        raise BadAnswer(f"{name} was asked for {wanted} vectors and gave {len(data)}.")
    if sorted(item.index for item in data) != list(range(wanted)):
        raise BadAnswer(f"{name} does not say which vector belongs to which text.")
    rows = [_row(item.embedding, name) for item in sorted(data, key=lambda item: int(item.index))]
    lengths = {len(row) for row in rows} | ({dimensions} if dimensions else set())
    if len(lengths) != 1 or not min(lengths):
        found = " and ".join(map(str, sorted(lengths)))
        raise BadAnswer(f"{name} gave vectors of different length ({found}): they can't be compared.")
    vectors = np.stack(rows)
    if not np.isfinite(vectors).all():
        raise BadAnswer(f"{name} gave vectors with what is not a number in them.")
    # In doubles, because the squares of large values don't fit.
    sizes = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(sizes, 1e-30)).astype(np.float32)
    return unit


def _row(given: object, name: str) -> Vectors:
    """As floats packed into base64, which is what was asked for, or as the plain list that some servers send all the same."""
    import numpy as np

    try:
        packed = base64.b64decode(given, validate=True) if isinstance(given, str) else None
        row = np.array(given, dtype=np.float32) if packed is None else np.frombuffer(packed, dtype="<f4")
    except (TypeError, ValueError):
        row = np.zeros(())
    if row.ndim != 1:
        raise BadAnswer(f"{name} gave something else than vectors.")
    return row.astype(np.float32)


def explained(error: Exception, name: str, timeout: float) -> Error | None:
    """What a failed call means to us; None for what is no failure of a provider but a fault of ours."""
    import openai

    if isinstance(error, Error):
        return error
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return ModelUnavailable(f"{name} did not answer within {timeout:g} seconds.")
    if isinstance(error, openai.APIStatusError):
        return _status(error, name)
    if isinstance(error, openai.APIConnectionError | OSError):
        return ModelUnavailable(f"{name} could not be reached, or the connection broke. Check embedder_url, or wait.")
    if isinstance(error, openai.APIError | LookupError | AttributeError | TypeError | ValueError):
        # A body that is cut, not JSON, or of another protocol.
        return ModelUnavailable(f"{name} sent what can't be read as vectors. Check embedder_url, or wait.")
    return None


def _status(error: APIStatusError, name: str) -> Error:
    status, code = error.status_code, _code(error)
    if status in _WORTH_TRYING_AGAIN or status >= 500:
        return ModelUnavailable(f"{name} can't answer now ({status}{code}).", retry_after=_retry_after(error))
    if status in (401, 403):
        return ModelRefused(
            f"{name} does not accept the key ({status}{code}). Check ERSTWHILE_EMBEDDER_KEY, and that the key may use this model."
        )
    if status == 402:
        return ModelRefused(f"{name}: the account has no credit left ({status}{code}). Top it up, then retry.")
    if status == 404:
        return ModelRefused(f"{name} was not found ({status}{code}). Check the model's name and embedder_url.")
    return ModelRefused(f"{name} did not accept the texts ({status}{code}). Check the model's name and the settings.")


def _code(error: APIStatusError) -> str:
    found = [value for value in (error.code, error.type) if isinstance(value, str) and _CODE.fullmatch(value)]
    return f", {found[0]}" if found else ""


def _retry_after(error: APIStatusError) -> float | None:
    """Seconds to wait, where the provider says so in seconds."""
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
