"""Translate HTTP failures of model providers. Written once for language models and embedders.

Only codes are quoted from a provider's error: its text may contain the key or the input.
"""

from __future__ import annotations

import math
import re
from typing import Final

from erstwhile.base.errors import Error, ModelRefused, ModelUnavailable
from erstwhile.base.records import dataclass

_RETRYABLE: Final = frozenset({408, 409, 425, 429})
_CODE: Final = re.compile(r"[a-z][a-z_.]{2,40}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StatusFailure:
    """`key` and `address` name the settings to check. `code` is as from `quote_code`."""

    model: str
    status: int
    code: str = ""
    key: str = ""
    address: str = ""
    retry_after: float | None = None

    def explain(self) -> Error:
        model, shown = self.model, f"({self.status}{self.code})"
        if self.status in _RETRYABLE or self.status >= 500:
            why = f"{model} can't answer now {shown}."
            return ModelUnavailable(why, retry_after=self.retry_after)
        if self.status in (401, 403):
            why = f"{model} does not accept the key {shown}."
            return ModelRefused(f"{why} Check {self.key}, and that the key may use this model.")
        if self.status == 402:
            why = f"{model}: the account has no credit left {shown}."
            return ModelRefused(f"{why} Top it up, then retry.")
        if self.status == 404:
            why = f"{model} was not found {shown}."
        elif self.status == 413:
            why = f"{model} finds the request too long {shown}."
            return ModelRefused(f"{why} Choose a model that reads more.")
        else:
            why = f"{model} did not accept the request {shown}."
        return ModelRefused(f"{why} Check the model's name and {self.address}.")


def quote_code(*values: object) -> str:
    """Return ", code" for the first value that looks like a code, else ""."""
    words = (each for each in values if isinstance(each, str) and _CODE.fullmatch(each))
    return next((f", {each}" for each in words), "")


def read_retry_after(header: str) -> float | None:
    """Return the seconds to wait, if the header has seconds; some gateways send fractions."""
    try:
        seconds = float(header)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
