"""The tables of `words.toml` are parsed one by one: together they say what the whole file says."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import erstwhile.language
from erstwhile.language import languages, unfold

FOLDER = Path(erstwhile.language.__file__).parent


@pytest.mark.parametrize("language", languages(), ids=lambda each: each.code)
def test_a_table_parsed_alone_is_the_table_of_the_file(language: erstwhile.language.Language) -> None:
    whole = tomllib.loads((FOLDER / language.code / "words.toml").read_text("utf-8"))
    tables = {name: value for name, value in whole.items() if isinstance(value, dict)}
    alone = {name: language.data(name) for name in tables if f"{name}.toml" not in language.files}
    assert alone == {name: unfold(tables[name]) for name in alone}
    assert alone or language.code not in ("en", "de", "es", "fr", "ja", "ko", "zh")
