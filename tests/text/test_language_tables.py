"""The tables of a language are those of its files, from the cache that Python keeps and without it."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

import erstwhile.language
from erstwhile.language import Language, languages, unfold

FOLDER = Path(erstwhile.language.__file__).parent


@pytest.mark.parametrize("language", languages(), ids=lambda each: each.code)
def test_a_table_is_what_its_file_says(language: Language) -> None:
    whole = tomllib.loads((FOLDER / language.code / "words.toml").read_text("utf-8"))
    tables = {name: value for name, value in whole.items() if isinstance(value, dict)}
    alone = {name: language.data(name) for name in tables if f"{name}.toml" not in language.files}
    assert alone == {name: unfold(tables[name]) for name in alone}
    assert alone or language.code not in ("en", "de", "es", "fr", "ja", "ko", "zh")


@pytest.mark.parametrize("cached", [True, False])
def test_a_changed_file_is_read_again(tmp_path: Path, cached: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", not cached)
    monkeypatch.setattr("sys.pycache_prefix", None)
    folder = tmp_path / "de"
    shutil.copytree(FOLDER / "de", folder, ignore=shutil.ignore_patterns("__pycache__"))
    first, again = Language("de", folder), Language("de", folder)
    assert first.data("time") == again.data("time") == erstwhile.language.of("de").data("time")
    assert (folder / "__pycache__").exists() is cached
    with (folder / "time.toml").open("a", encoding="utf-8") as file:
        file.write("\n[more]\nfew = 1\n")
    assert Language("de", folder).data("time")["more"] == {"few": 1}
