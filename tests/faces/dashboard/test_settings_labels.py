"""What the settings page works out without a browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import process_time

import pytest

from erstwhile.base.setting_list import Setting, list_settings
from erstwhile.base.settings import load
from erstwhile.configuration import prompts as choices
from erstwhile.configuration.space import SettingChoice
from erstwhile.dashboard.pages import settings
from erstwhile.dashboard.settings import fields, prompts
from erstwhile.layers.retention.model import ExpiryReport


def marked(old: str, new: str) -> str:
    signs = {"same": "{}", "gone": "[-{}-]", "new": "[+{}+]"}
    return "".join(signs[piece.kind].format(piece.text) for piece in prompts.pieces(old, new))


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("the same", "the same", "the same"),
        ("", "", ""),
        ("Write two short sentences, and no more than that.", "Write two long sentences, and no more than that.",
         "Write two [-short-][+long+] sentences, and no more than that."),
        ("one two", "three four", "[-one two-][+three four+]"),
        ("a b c", "a b c d", "a b c[+ d+]"),
        ("keep these words\n\nold", "keep these words\n\nnew", "keep these words\n\n[-old-][+new+]"),
    ],
)  # fmt: skip
def test_a_difference_reads_word_by_word(old: str, new: str, shown: str) -> None:
    assert marked(old, new) == shown


def test_both_texts_can_be_put_together_again_from_their_difference() -> None:
    old = "Extract the facts.\n\n- places\n- dates <b>x</b>\n\nAnswer in the language."
    new = "List the facts, please.\n\n- places\n- names <i>x</i>\n\nAnswer in English."
    found = prompts.pieces(old, new)
    assert "".join(each.text for each in found if each.kind != "new") == old
    assert "".join(each.text for each in found if each.kind != "gone") == new


def test_a_prompt_of_repeated_words_is_compared_at_once() -> None:
    """Every word was compared with every equal one again and again: 8,000 characters took 18 seconds."""
    default = choices.default("structure").instructions
    for unit in ("x ", "the ", "a b ", "x\n", default):
        new = (f"{default}\n\n" + unit * 500_000)[:500_000]
        begun = process_time()
        found = prompts.pieces(default, new)
        assert process_time() - begun < 1.0, f"{unit!r} took {process_time() - begun:.1f} s"
        assert "".join(each.text for each in found if each.kind != "gone") == new
        assert (found[0].kind, found[0].text.strip()) == ("same", default)


def test_where_a_value_comes_from_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERSTWHILE_CHAT_MODEL", "openai:gpt-5")
    monkeypatch.setenv("ERSTWHILE_API_KEY", "sk-a-key-that-is-shown-nowhere")
    settings = load(recipe="brief")
    found = {each.name: each for each in list_settings(settings)}
    assert (found["recipe"].source, fields.where(found["recipe"])) == ("given", "given at the start")
    assert fields.where(found["chat_model"]) == "ERSTWHILE_CHAT_MODEL"
    assert fields.where(found["budget"]) == "default"
    assert found["api_key"].value == "(set)"
    assert "sk-a-key" not in str(found)
    model = Setting("model", "", "default", "")
    assert fields.source(SettingChoice("model", "x:y", "space"), model) == "this space"
    assert fields.source(SettingChoice("model", "extractive", "default"), model) == "default"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    assert fields.source(SettingChoice("model", "anthropic:m", "default"), model) == "the key in ANTHROPIC_API_KEY"


def test_a_password_in_an_address_is_not_shown() -> None:
    found = {each.name: each for each in list_settings(load(database="postgresql://me:hunter2@db/name"))}
    assert found["database"].value == "postgresql://me@db/name"


def test_the_form_of_retention_and_what_is_stored_say_the_same() -> None:
    assert fields.days("message=30,day=1.5") == {"message": "30", "day": "1.5"}
    assert fields.days("never") == fields.days("") == {}
    assert fields.retention({"message": " 30 ", "day": "", "told": "9"}) == "message=30,told=9"
    assert fields.retention({"message": ""}) == "never"
    assert fields.expired(ExpiryReport(message=1200, told=1)) == "Expired: 1,200 messages, 1 remembered."
    assert fields.expired(ExpiryReport()) == "Nothing was old enough to expire."


def test_a_key_is_not_offered_to_last_longer_than_the_one_it_is_made_with() -> None:
    now = datetime(2026, 3, 2, tzinfo=UTC)
    assert "90d" in settings.ends(None, now)
    assert list(settings.ends(now + timedelta(days=90), now)) == ["", "1d", "30d"]
    assert settings.ends(now + timedelta(hours=2), now) == {"": "when your own key does"}
