"""Words are split as the `tokenizers` library splits them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.embedders import wordllama
from erstwhile.embedders.word_pieces import WordPieces

FOLDER = wordllama.installed()
if FOLDER is None:
    pytest.skip("wordllama is not installed", allow_module_level=True)
FILE = FOLDER / wordllama._TOKENIZER
PIECES = WordPieces(FILE)
THEIRS = pytest.importorskip("tokenizers").Tokenizer.from_file(str(FILE))
THEIRS.no_padding()
THEIRS.no_truncation()
ODD = [
    "x" * 3000,
    "ab" * 2000,
    "漢" * 1000,
    "<s>",
    "a<s>b",
    "</s><unk>",
    "<0x41>",
    "▁",
    "▁▁▁▁",
    "don't",
    "e\u0301",
    "😀👍🏽",
    "\0",
]


def _same(word: str) -> None:
    assert PIECES.ids(word) == THEIRS.encode(word, add_special_tokens=False).ids


@pytest.mark.parametrize("word", ODD)
def test_odd_words(word: str) -> None:
    _same(word)


def test_every_word_of_our_documentation() -> None:
    pages = (Path(__file__).parents[2] / "docs").glob("*.md")
    for word in {word for page in pages for word in page.read_text("utf-8").split()}:
        _same(word)


def test_a_word_of_the_vocabulary_is_one_piece() -> None:
    """`ids` takes it without joining, so joining must end there too."""
    whole = {piece.removeprefix("▁"): id for piece, id in PIECES._ids.items() if piece.startswith("▁") and piece != "▁"}
    assert len(whole) > 10_000
    assert [word for word, id in whole.items() if PIECES._encode(word) != [id]] == []


@given(st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1, max_size=60))
def test_any_word(word: str) -> None:
    _same(word)
