"""Budgets are counted in these tokens, so they must be near the truth and never far below it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.text.tokens import count, cut

ENGLISH = (
    "I moved to Busan last week for a new job at the aquarium, and honestly I'm loving it so far. "
    "The apartment is small but it's right by the beach! We should meet up when you're back in March, don't forget."
)
KOREAN = "지난주에 부산으로 이사했어요. 수족관에서 새로운 일을 시작했는데 정말 마음에 들어요. 아파트는 작지만 바닷가 바로 옆이에요!"
CHINESE = "我上周搬到了釜山，在水族馆找到了一份新工作，目前非常喜欢。公寓虽然小，但是就在海边！等你三月回来的时候我们应该见一面。"


@pytest.mark.parametrize(
    ("text", "fewest", "most"),
    [(ENGLISH, 3.4, 4.6), (KOREAN, 1.45, 1.9), (CHINESE, 1.2, 1.5)],
    ids=["English", "Korean", "Chinese"],
)
def test_characters_per_token_are_those_of_current_vocabularies(text: str, fewest: float, most: float) -> None:
    assert fewest <= len(text) / count(text) <= most


def test_small_things_cost_little() -> None:
    assert count("") == 0
    assert count("hello") == count("2025"[:3]) == count("don't"[:3]) == count(" ") == 1
    assert count("don't") == 2
    assert count("123456789") == 3
    assert count("=" * 16) == 1
    assert count("😀") == 2


def test_code_and_capitals_cost_more_than_prose() -> None:
    assert count("getUserNameFromDatabase") >= 5
    assert count("WHY ARE YOU SHOUTING") > count("why are you shouting")


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_never_counts_clearly_less(one: str, other: str) -> None:
    """Where two pieces meet, other pieces may form: a mark joins a run of digits, say. It stays in proportion."""
    whole = count(one + other)
    assert 2 * whole + 3 >= max(count(one), count(other))
    assert whole <= 1.5 * (count(one) + count(other)) + 3


@given(st.text(max_size=400), st.integers(0, 60))
def test_what_was_cut_fits(text: str, limit: int) -> None:
    kept = cut(text, limit)
    assert count(kept) <= limit
    assert kept == text or text.startswith(kept.removesuffix("…").rstrip())


@pytest.mark.parametrize("text", [ENGLISH, KOREAN, CHINESE], ids=["English", "Korean", "Chinese"])
def test_a_cut_uses_most_of_its_room_and_says_that_it_cut(text: str) -> None:
    for limit in range(8, count(text)):
        kept = cut(text, limit)
        assert kept.endswith("…")
        assert count(kept) >= limit * 0.6
    assert cut(text, count(text)) == text


def test_a_cut_ends_with_a_sentence_or_a_word() -> None:
    assert cut(ENGLISH, 30).endswith("so far. …")
    assert cut(ENGLISH, 10) == "I moved to Busan last week for a…"


def test_a_list_is_cut_between_its_lines() -> None:
    text = "Good ones:\n1. The one about the sea and the boats\n2. The one about kilns\n3. The one about a dog"
    lines = text.split("\n")
    kept = {cut(text, limit).rstrip(" …").split("\n")[-1] for limit in range(22, count(text))}
    assert kept <= set(lines)


@pytest.mark.parametrize(
    "hostile", ["a" * 100_000, "\n" * 100_000, "é" * 100_000, "~" * 100_000, "a'" * 50_000, "ㅋ" * 100_000]
)
def test_hostile_text_takes_no_longer_than_its_length(hostile: str) -> None:
    started = time.process_time()
    count(hostile)
    cut(hostile, 500)
    cut(hostile + "한", 500)
    assert time.process_time() - started < 2
