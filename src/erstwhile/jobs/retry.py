"""Decide what happens to a failed job: when it is retried, or why it is parked."""

from __future__ import annotations

import random
from datetime import timedelta

from erstwhile.base import errors
from erstwhile.base.records import dataclass

_OUTAGES = (errors.ModelUnavailable, errors.StorageError)
_LONGEST = 1800  # times the base: an hour with the default of two seconds


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """`fault`: the job itself failed, not a provider or database that was unavailable."""

    parked: bool
    wait: timedelta
    reason: str
    fault: bool


def decide(
    error: Exception,
    attempts: int,
    base_seconds: float,
    random_source: random.Random,
    faults: int | None = None,
) -> RetryDecision:
    """Decide after `attempts`, this one included; `faults` of the earlier ones (None: all) were the
    job's own."""
    reason = _reason(error)
    fault = not isinstance(error, _OUTAGES)
    tried = attempts if faults is None or not fault else faults + 1
    if tried >= _max_attempts(error):
        said = f"{reason} (after {attempts} attempt{'s' if attempts > 1 else ''})"
        return RetryDecision(parked=True, wait=timedelta(0), reason=said, fault=fault)
    backoff = base_seconds * min(2.0 ** (attempts - 1), _LONGEST) * random_source.uniform(0.5, 1.0)
    asked = error.retry_after or 0.0 if isinstance(error, errors.ModelUnavailable) else 0.0
    wait = timedelta(seconds=max(backoff, asked))
    return RetryDecision(parked=False, wait=wait, reason=reason, fault=fault)


def _max_attempts(error: Exception) -> int:
    """Return how many attempts to make after this error."""
    if isinstance(error, _OUTAGES):
        return 50  # covers an outage of a day and a half
    if isinstance(error, errors.ModelRefused | errors.SettingsError):
        return 1  # a wrong key or model name needs a person
    if isinstance(error, errors.UngroundedAnswer):
        return 2
    if isinstance(error, errors.BadAnswer):
        return 8
    return 5


def _reason(error: Exception) -> str:
    """Return the text of our own errors. Others may quote messages, so only their type is kept."""
    if isinstance(error, errors.Error):
        return str(error)
    return f"{type(error).__name__} in the step; the worker's log has the details"
