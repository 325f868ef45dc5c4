"""An embedder refuses what it can't read: English vectors of Korean are noise that looks like an answer."""

from __future__ import annotations

import pytest

from erstwhile.embedders.fastembed import FastEmbedder
from erstwhile.embedders.minilm import MiniLMEmbedder
from erstwhile.embedders.openai import EmbeddingEndpoint, OpenAIEmbedder
from erstwhile.embedders.port import Embedder
from erstwhile.embedders.scripts import beginning
from erstwhile.embedders.use import USEEmbedder
from erstwhile.embedders.vectors import OwnVectors

ENGLISH: list[Embedder] = [MiniLMEmbedder(), FastEmbedder()]
EVERYTHING: list[Embedder] = [
    OpenAIEmbedder(EmbeddingEndpoint("openai", "text-embedding-3-small")),
    FastEmbedder("intfloat/multilingual-e5-large"),
]
LATIN = [
    "I moved to Busan in March",
    "Où habites-tu ? À Zürich, für ein Jahr",
    "Tôi sống ở Hà Nội",
    "I love 김치 with rice",
    "She said 谢谢 and left the room",
    "meet at 10:30",
    "2026",
    "Naïve café 😀",
]
KNOWN_TO_USE = [
    "저는 부산에 살아요",
    "나는 TypeScript랑 React를 좋아해",
    "我住在北京",
    "明日は東京へ行きます",
    "Я живу в Москве",
    "أعيش في القاهرة",
    "ฉันอาศัยอยู่ในกรุงเทพ",
    "Я использую Python каждый день",
]
OTHERS = ["Μένω στην Αθήνα", "אני גר בתל אביב", "मैं दिल्ली में रहता हूँ", "ᐃᓄᒃᑎᑐᑦ", "თბილისში ვცხოვრობ"]


@pytest.mark.parametrize("embedder", ENGLISH, ids=lambda each: each.name)
def test_english_models_take_latin_letters_and_nothing_else(embedder: Embedder) -> None:
    assert [text for text in LATIN if not embedder.speaks(text)] == []
    assert [text for text in KNOWN_TO_USE + OTHERS if embedder.speaks(text)] == []


def test_use_takes_the_scripts_of_its_sixteen_languages() -> None:
    embedder = USEEmbedder()
    assert [text for text in LATIN + KNOWN_TO_USE if not embedder.speaks(text)] == []
    assert [text for text in OTHERS if embedder.speaks(text)] == []


def test_our_own_vectors_take_the_scripts_of_their_seven_languages() -> None:
    embedder = OwnVectors()
    assert [text for text in LATIN + KNOWN_TO_USE[:4] if not embedder.speaks(text)] == []
    assert [text for text in KNOWN_TO_USE[4:] + OTHERS if embedder.speaks(text)] == []


def test_a_chinese_model_takes_chinese_and_english() -> None:
    embedder = FastEmbedder("BAAI/bge-small-zh-v1.5")
    assert embedder.speaks("我住在北京")
    assert embedder.speaks("I live in Beijing")
    assert not embedder.speaks("저는 부산에 살아요")


@pytest.mark.parametrize("embedder", EVERYTHING, ids=lambda each: each.name)
def test_multilingual_models_take_everything_that_is_said(embedder: Embedder) -> None:
    assert [text for text in LATIN + KNOWN_TO_USE + OTHERS if not embedder.speaks(text)] == []
    assert not embedder.speaks(" …! ")


def test_mostly_is_what_counts() -> None:
    embedder = MiniLMEmbedder()
    assert embedder.speaks("word " * 3 + "字" * 4)  # twelve letters against what says as much as twelve
    assert not embedder.speaks("word " * 3 + "字" * 5)
    assert embedder.speaks("A long English text. " * 500 + "끝에 한국어 " * 20)


def test_the_beginning_ends_with_a_word_where_one_ends_near() -> None:
    assert beginning("one two three", 100) == "one two three"
    assert beginning("several words that go on", 13) == "several words"
    assert beginning("several words that go on", 14) == "several words"
    assert beginning("several words that go on", 16) == "several words"
    assert beginning("x" * 50, 20) == "x" * 20
    assert beginning("ab " + "x" * 50, 20) == "ab " + "x" * 17  # the word's end is too far back
    assert beginning(" " * 50, 20).strip() == ""
    assert beginning("字" * 50, 20) == "字" * 20
    assert beginning("a\ud800b", 20) == "a?b"
