"""Settings: code, then environment, then erstwhile.toml, then the default; a wrong one says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import erstwhile
from erstwhile import layers
from erstwhile.base.setting_list import list_settings
from erstwhile.base.settings import TASKS, Settings, described, load


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


@pytest.mark.parametrize("written", ["a,b", " a , b,", '["a", "b"]'])
def test_spaces_are_written_with_commas_or_as_json(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("ERSTWHILE_SPACES", written)
    assert load().spaces == ["a", "b"]
    monkeypatch.setenv("ERSTWHILE_SPACES", '["a"')
    with pytest.raises(erstwhile.SettingsError, match=r"spaces.*write a,b or"):
        load()
    assert load(spaces=["c"]).spaces == ["c"]


@pytest.mark.parametrize("name", ["models", "retention"])
def test_a_variable_that_is_not_json_says_how_to_write_it(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"ERSTWHILE_{name.upper()}", "a=b")
    with pytest.raises(
        erstwhile.SettingsError, match=rf'{name}: ERSTWHILE_{name.upper()} must be JSON, for example {{"'
    ):
        load()


def test_models_are_for_tasks_that_there_are() -> None:
    assert load(models={"note": "openai:x"}).models == {"note": "openai:x"}
    with pytest.raises(erstwhile.SettingsError, match=r"models: .*no task 'notes'.*summarise.*consolidate"):
        load(models={"notes": "openai:x"})
    package = Path(erstwhile.__file__).parent
    found = [prompt.stem for room in ("layers", "search") for prompt in (package / room).rglob("*.md")]
    assert sorted(TASKS) == sorted(found)
    for entry in layers.ENTRIES:
        folder = package / "layers" / entry.home.partition(".")[0]
        assert {prompt.stem for prompt in folder.rglob("*.md")} == set(entry.tasks), entry.name


def test_there_are_few_enough_to_read_and_each_is_described() -> None:
    # The nearest peer has 71.
    assert len(Settings.fields) <= 40
    assert len(described()) <= 55
    fields = [*Settings.fields.values(), *described().values()]
    assert all(field.description for field in fields)


def test_a_group_is_set_whole_or_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("erstwhile.toml").write_text("[notes]\ntopics = 5\nquiet_minutes = 7\nnightly_hour = 1\n")
    monkeypatch.setenv("ERSTWHILE_NOTES", '{"quiet_minutes": 8, "nightly_hour": 2}')
    monkeypatch.setenv("ERSTWHILE_NOTES__NIGHTLY_HOUR", "4")
    notes = load(notes={"limit_minutes": 60}).notes
    assert (notes.topics, notes.quiet_minutes, notes.nightly_hour, notes.limit_minutes) == (5, 8, 4, 60)
    sources = {each.name: each.source for each in list_settings(load(notes={"limit_minutes": 60}))}
    assert sources["notes.topics"] == "erstwhile.toml"
    assert sources["notes.quiet_minutes"] == sources["notes.nightly_hour"] == "environment"
    assert (sources["notes.limit_minutes"], sources["brief.cap"]) == ("given", "default")


def test_a_wrong_value_of_a_group_says_which_and_what_it_takes() -> None:
    with pytest.raises(erstwhile.SettingsError, match=r"brief\.cap.*or equal to 50.*Largest brief, in tokens"):
        load(brief={"cap": 1})
    with pytest.raises(erstwhile.SettingsError, match=r"brief\.kap.*not permitted.*rolling summary"):
        load(brief={"kap": 100})


def test_the_model_follows_the_key_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load().chosen_model == "extractive"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert load().chosen_model.startswith("anthropic:")
    assert load(model="extractive").chosen_model == "extractive"


def test_a_key_is_not_shown() -> None:
    assert "canary" not in repr(load(api_key="canary"))
