"""Forgetting what was remembered in other forms of the same words; in doubt nothing is taken."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.layers.remembered import merge
from erstwhile.layers.remembered.model import Teller
from erstwhile.testing import FixedClock


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("Alice is allergic to mango.", "mango allergy"),
        ("Alice is allergic to mango.", "my mango allergies"),
        ("Alice plays the violin in an orchestra.", "playing violin in the orchestra"),
        ("Alice ist allergisch gegen Mango.", "Allergie gegen Mango"),
        ("Alice est allergique à la mangue.", "allergie à la mangue"),
        ("Alice es alérgica al mango.", "alergia al mango"),
        ("앨리스는 망고 알레르기가 있다.", "망고 알레르기"),
        ("アリスはマンゴーにアレルギーがある。", "マンゴーアレルギー"),
        ("爱丽丝对芒果过敏。", "芒果过敏"),
    ],
)
def test_other_forms_of_the_words_are_found(told: str, words: str) -> None:
    text = f"{told}\nAlice lives in Busan."
    gone = merge.forget(text, words, ("Alice",), Teller())
    assert gone.text == "Alice lives in Busan."
    assert gone.removed == (told,)


@pytest.mark.parametrize(
    ("text", "words", "unsure"),
    [
        ("Alice is allergic to mango.\nAlice's mother is allergic to mango and papaya.", "mango allergy", 2),
        ("Alice is allergic to mango.", "nut allergy", 0),
        ("Alice eats organic food.", "organ", 1),
        ("Alice is not allergic to mango.", "is allergic to mangoes", 0),
    ],
)
def test_in_doubt_nothing_is_taken(text: str, words: str, unsure: int) -> None:
    gone = merge.forget(text, words, ("Alice",), Teller())
    assert not gone.changed
    assert gone.text == text
    assert len(gone.unsure) == unsure


async def test_through_the_api(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        await memory.remember("alice", "is allergic to mango")
        await memory.remember("alice", "works as a gardener")
        gone = await memory.forget("alice", "mango allergy")
        assert gone.found
        assert "mango" not in gone.text
        assert "gardener" in gone.text
        await memory.remember("alice", "is allergic to walnuts")
        await memory.remember("alice", "is allergic to cashews")
        which = await memory.forget("alice", "allergy")
        assert not which.found
        assert len(which.unsure) == 2
        assert "cashews" in which.question
