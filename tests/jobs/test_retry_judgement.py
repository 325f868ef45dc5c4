"""When a failed job is tried again, and when it is parked: a plain function, tried without a database."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from erstwhile.base.errors import BadAnswer, ModelRefused, ModelUnavailable, StorageError
from erstwhile.jobs.retry import decide


class Highest(random.Random):
    def uniform(self, a: float, b: float) -> float:
        return b


class Lowest(random.Random):
    def uniform(self, a: float, b: float) -> float:
        return a


def waits(chance: random.Random, base: float = 2.0) -> list[float]:
    error = ModelUnavailable("down")
    return [decide(error, attempts, base, chance).wait.total_seconds() for attempts in range(1, 50)]


def test_the_wait_doubles_up_to_eighteen_hundred_times_the_base() -> None:
    longest = waits(Highest())
    assert longest[:5] == [2, 4, 8, 16, 32]
    assert longest == sorted(longest)
    assert max(longest) == 2 * 1800
    assert longest[-1] == longest[-10] == 3600


def test_the_wait_is_jittered_between_half_and_all_of_it() -> None:
    assert waits(Lowest())[:4] == [1, 2, 4, 8]
    some = {decide(ModelUnavailable("down"), 3, 2.0, random.Random(seed)).wait for seed in range(50)}
    assert len(some) > 40
    assert all(timedelta(seconds=4) <= each <= timedelta(seconds=8) for each in some)


def test_a_provider_that_says_when_to_come_back_is_heeded() -> None:
    asked = ModelUnavailable("busy", retry_after=90)
    assert decide(asked, 1, 2.0, random.Random(1)).wait == timedelta(seconds=90)
    assert decide(asked, 20, 2.0, Highest()).wait == timedelta(seconds=3600), "never sooner than our own backoff"


@pytest.mark.parametrize(
    ("error", "attempts"),
    [
        (ModelUnavailable("down"), 50),
        (StorageError("away"), 50),
        (BadAnswer("babble"), 8),
        (ModelRefused("wrong key"), 1),
        (ValueError("a fault of ours"), 5),
    ],
)
def test_each_kind_of_error_has_its_own_patience(error: Exception, attempts: int) -> None:
    if attempts > 1:
        assert not decide(error, attempts - 1, 2.0, random.Random(1)).parked
    parked = decide(error, attempts, 2.0, random.Random(1))
    assert parked.parked
    assert f"after {attempts} attempt" in parked.reason


def test_an_outage_of_a_day_passes_before_patience_ends() -> None:
    assert sum(waits(Lowest())) > 24 * 3600 * 0.75


def test_a_reason_never_quotes_what_an_unknown_error_says() -> None:
    verdict = decide(ValueError("alice's secret is 42"), 5, 2.0, random.Random(1))
    assert "secret" not in verdict.reason
    assert "ValueError" in verdict.reason
    assert decide(BadAnswer("The model refused to do this."), 1, 2.0, random.Random(1)).reason == (
        "The model refused to do this."
    )
