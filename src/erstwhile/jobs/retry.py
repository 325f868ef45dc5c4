"""What becomes of a job that failed: when it is tried again, or why it is parked."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta

from erstwhile.base.errors import BadAnswer, Error, ModelRefused, ModelUnavailable, SettingsError, StorageError

_AWAY = (ModelUnavailable, StorageError)
_LONGEST = 1800  # times the base: an hour with the default of two seconds


@dataclass(frozen=True, slots=True)
class Verdict:
    """`fault`: it spoke against the job itself, not against a provider or a database that was away."""

    parked: bool
    wait: timedelta
    reason: str
    fault: bool


def judge(
    error: Exception, attempts: int, base_seconds: float, chance: random.Random, faults: int | None = None
) -> Verdict:
    """`attempts` have been made so far, this one included; `faults` of those before it (None: all) were the job's own."""
    reason = _reason(error)
    fault = not isinstance(error, _AWAY)
    tried = attempts if faults is None or not fault else faults + 1
    if tried >= _patience(error):
        said = f"{reason} (after {attempts} attempt{'s' if attempts > 1 else ''})"
        return Verdict(parked=True, wait=timedelta(0), reason=said, fault=fault)
    backoff = base_seconds * min(2.0 ** (attempts - 1), _LONGEST) * chance.uniform(0.5, 1.0)
    asked = error.retry_after or 0.0 if isinstance(error, ModelUnavailable) else 0.0
    return Verdict(parked=False, wait=timedelta(seconds=max(backoff, asked)), reason=reason, fault=fault)


def _patience(error: Exception) -> int:
    """How many attempts an error is worth."""
    if isinstance(error, _AWAY):
        return 50  # an outage of a day and a half passes by itself
    if isinstance(error, ModelRefused | SettingsError):
        return 1  # a wrong key or model name doesn't mend itself
    if isinstance(error, BadAnswer):
        return 8
    return 5


def _reason(error: Exception) -> str:
    """Our own errors are written for people. Others may quote what was said, so only their type is kept."""
    if isinstance(error, Error):
        return str(error)
    return f"{type(error).__name__} in the step; the worker's log has the details"
