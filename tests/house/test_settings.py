"""Settings: code, then environment, then erstwhile.toml, then the default; a wrong one says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import erstwhile
from erstwhile.base.settings import Settings, load


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_each_source_wins_over_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load().chunk_size == 10
    Path("erstwhile.toml").write_text("chunk_size = 12\nmeta_size = 5\n")
    assert load().chunk_size == 12
    monkeypatch.setenv("ERSTWHILE_CHUNK_SIZE", "14")
    assert (load().chunk_size, load().meta_size) == (14, 5)
    assert load(chunk_size=16).chunk_size == 16


def test_an_empty_variable_is_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERSTWHILE_CHUNK_SIZE", "")
    assert load().chunk_size == 10


def test_a_wrong_value_says_which_and_what_it_takes() -> None:
    with pytest.raises(erstwhile.SettingsError, match=r"chunk_size.*greater than or equal to 2.*Messages in a chunk"):
        load(chunk_size=1)
    with pytest.raises(erstwhile.SettingsError, match="no setting 'chunk_sise'"):
        load(chunk_sise=10)


def test_there_are_few_enough_to_read_and_each_is_described() -> None:
    # An embedder needs four of its own: which one, where, with whose key, and for what. The nearest peer has 71.
    assert len(Settings.model_fields) <= 52
    assert all(field.description for field in Settings.model_fields.values())


def test_the_model_follows_the_key_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load().chosen_model == "extractive"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert load().chosen_model.startswith("anthropic:")
    assert load(model="extractive").chosen_model == "extractive"


def test_a_key_is_not_shown() -> None:
    assert "canary" not in repr(load(api_key="canary"))
