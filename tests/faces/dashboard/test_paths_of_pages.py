"""Where signing in leads: to one of our pages, with what was asked for, without a key."""

from __future__ import annotations

import pytest

from erstwhile.dashboard import paths
from erstwhile.keys import model

KEY = "er_" + "a" * 12 + "_" + "B" * 43


@pytest.mark.parametrize(
    ("asked", "goes"),
    [
        ("/search?q=lantern&space=mine", "/search?q=lantern&space=mine"),
        ("/search", "/search"),
        (f"/search?key={KEY}&q=lantern", "/search?q=lantern"),
        (f"/search?q={KEY}", "/search"),
        (f"/?api_key={KEY[:20]}", "/"),
        (f"/search?q=x%20{KEY.replace('_', '%5F')}", "/search"),
        (f"/?{KEY}", "/"),
        ("/?token=abc", "/"),
        ("//evil.example", "/"),
        ("/search\\evil", "/"),
        ("https://evil.example/", "/"),
    ],
)
def test_a_key_in_an_address_does_not_come_along(asked: str, goes: str) -> None:
    assert model.parse_key(KEY) is not None
    assert paths.local(asked) == goes
