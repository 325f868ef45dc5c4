"""Words like a word that nobody used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.index.spelling import ALIKE, LEAST, Spelling, alike

HOUSE = [
    "lantern",
    "landlord",
    "buckwheat",
    "restaurant",
    "ulleungdo",
    "kayak",
    "ferry",
    "münchen",
    "tea",
    "등불",
    "火锅",
]
words = st.text(st.sampled_from("abcdeé"), min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("lanten", "lantern"), ("lanterrn", "lantern"), ("buckweat", "buckwheat"), ("restarant", "restaurant"),
        ("uleungdo", "ulleungdo"), ("fery", "ferry"), ("münchn", "münchen"),
    ],
)  # fmt: skip
def test_a_slip_leads_to_the_word(typed: str, meant: str) -> None:
    assert next(iter(Spelling(HOUSE).like(typed))) == meant


@pytest.mark.parametrize("typed", ["fer", "tae", "zzzzzz", "등북이", "火鍋店家", ""])
def test_short_words_other_scripts_and_what_is_like_nothing_lead_nowhere(typed: str) -> None:
    assert Spelling(HOUSE).like(typed) == {}
    assert Spelling([]).like("lantern") == {}


@given(vocabulary=st.sets(words, max_size=40), typed=words)
def test_the_three_most_alike_are_given(vocabulary: set[str], typed: str) -> None:
    found = Spelling(sorted(vocabulary)).like(typed)
    close = sorted(
        ((alike(typed, other), other) for other in vocabulary if len(other) >= LEAST - 1),
        key=lambda each: (-each[0], each[1]),
    )
    expected = [(other, round(much, 3)) for much, other in close if much >= ALIKE][:3] if len(typed) >= LEAST else []
    assert list(found.items()) == expected


@given(one=words, other=words)
def test_likeness_is_mutual_and_only_the_same_is_the_same(one: str, other: str) -> None:
    assert alike(one, other) == alike(other, one)
    assert 0 <= alike(one, other) <= 1
    assert alike(one, one) == 1


def test_in_a_large_vocabulary_too() -> None:
    letters = "bcdfghklmnprst"
    large = [f"{a}a{b}o{c}i{d}" for a in letters for b in letters for c in letters for d in letters[:6]]
    spelling = Spelling([*large, "ulleungdo"])
    assert list(spelling.like("uleungdo")) == ["ulleungdo"]
