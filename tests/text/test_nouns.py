"""Nouns and adjectives are told by a word and the words beside it."""

from __future__ import annotations

import pytest

from erstwhile.text import nouns


def told(sentence: str, role: int) -> list[str]:
    words = sentence.split()
    (found,) = nouns.classes([words])
    return [word for word, (each, _) in zip(words, found, strict=True) if each == role]


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("the lanterns for the festival are red", ["lanterns", "festival"]),
        ("we had a talk about the sheep", ["talk", "sheep"]),
        ("they talk every day about the weather", ["day", "weather"]),
        ("Ich habe gestern den Mietvertrag unterschrieben", ["Mietvertrag"]),
        ("nous avons loué un appartement à Lyon", ["appartement", "Lyon"]),
        ("compramos una casa en Sevilla", ["casa", "Sevilla"]),
    ],
)
def test_nouns_are_told_from_other_words(sentence: str, wanted: list[str]) -> None:
    assert told(sentence, nouns.NOUN) == wanted


def test_sentences_do_not_change_each_other() -> None:
    sentences = [["the", "red", "lanterns"], ["we", "talk"], [], ["halal", "food", "pls"]]
    together = nouns.classes(sentences)
    assert together == [nouns.classes([each])[0] for each in sentences]
    assert list(map(len, together)) == [3, 2, 0, 3]


def test_rare_words_tell_more_than_common_ones_and_unknown_ones_nothing() -> None:
    (found,) = nouns.classes([["stent", "thing", "\U000f0000"]])
    rare, common, unknown = (tells for _, tells in found)
    assert rare > common > unknown == 0
