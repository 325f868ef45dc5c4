"""The settings page: prompts edited and tried, models tested, keys shown once, retention, privacy; and what a key that reads sees of it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dashing import Dash
from playwright.sync_api import Page, expect

import erstwhile
from erstwhile.configuration.encryption import new_secret
from erstwhile.testing import Fault, ModelServer
from support.serving import Served

EVIL = "<img src=x onerror=\"document.title='evil'\"><script>document.title='evil'</script>{{constructor.constructor('x')()}}"


@pytest.fixture
def dash(tmp_path: Path, port: int) -> Iterator[Dash]:
    """With a secret to seal keys with, and without patience for models."""
    database, secret = str(tmp_path / "test.db"), new_secret()
    with (
        erstwhile.open_sync(database, worker=False, secret_key=secret) as memory,
        Served(
            database, "--no-worker", "--log-level", "warning", port=port, secret_key=secret, model_timeout_seconds=2
        ) as server,
    ):
        opened = Dash(f"http://127.0.0.1:{server.port}", database, memory)
        yield opened
        assert not opened.seen, opened.seen


def talked(dash: Dash, **settings: str) -> Any:
    chat = dash.memory.channel("hall")
    chat.add_many([{"role": "user", "text": f"I bought {n} lanterns in Busan", "person": "mina"} for n in range(10)])
    if settings:
        dash.memory.spaces.configure(**settings)  # type: ignore[arg-type]
    dash.memory.settle()
    return chat


def with_model(server: ModelServer) -> dict[str, str]:
    return {"model": "openai-compatible:scripted", "base_url": server.base_url}


def sign_in(page: Page, key: str, path: str) -> None:
    page.goto(path)
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile("/settings"))


def in_force(dash: Dash, name: str) -> str:
    return next(each.instructions for each in dash.memory.prompts.list() if each.name == name)


@pytest.mark.usefixtures("unchecked")
def test_a_prompt_is_edited_tried_saved_and_reset(dash_on_each: Dash, page: Page, model_server: ModelServer) -> None:
    dash, ours = dash_on_each, in_force(dash_on_each, "summarise")
    chat = talked(dash, **with_model(model_server))
    stored = dash.memory.channels.summaries(chat)
    page.goto("/settings?part=prompts&name=summarise")
    field = page.get_by_label("Prompt", exact=True)
    expect(field).to_have_value(ours)
    expect(page.get_by_text("no difference")).to_be_visible()

    # What can't be filled is said at once.
    field.fill("Tell {nobody}.")
    expect(page.get_by_text("unknown placeholder {nobody}")).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()

    # Tried before it is saved: shown beside what is stored, and nothing changes.
    field.fill("Tell {people} like a pirate.")
    expect(page.get_by_text("Not saved yet.", exact=True)).to_be_visible()
    expect(page.locator(".diff ins")).to_contain_text("like a pirate")
    model_server.then("Arr, lanterns.")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("Arr, lanterns.")).to_be_visible()  # the first call imports the model clients
    expect(page.locator(".compare")).to_contain_text(stored[0].text)
    expect(page.get_by_text(re.compile(r"\d+ tokens in, \d+ out"))).to_be_visible()
    assert "like a pirate" in model_server.calls[-1].system
    assert (dash.memory.channels.summaries(chat), in_force(dash, "summarise")) == (stored, ours)

    # A model that fails says so, and what to do.
    model_server.then(Fault.bad_key())
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text("does not accept the key")

    # Saved, the next piece of work uses it; reset, the default is back.
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved. What is made from now on uses it.")).to_be_visible()
    assert in_force(dash, "summarise") == "Tell {people} like a pirate."
    dash.memory.memories.regenerate(chat, 1, 10)
    assert any("Tell mina like a pirate." in call.system for call in model_server.calls)
    page.get_by_role("button", name="Reset to default").click()
    expect(field).to_have_value(ours)
    assert in_force(dash, "summarise") == ours
    page.get_by_role("button", name="Undo").last.click()
    expect(field).to_have_value("Tell {people} like a pirate.")


def test_what_another_changes_appears_and_what_is_being_written_stays(dash: Dash, page: Page) -> None:
    talked(dash)
    page.goto("/settings?part=prompts&name=extract")
    expect(page.get_by_text("prompts have no effect")).to_be_visible()  # no model: it says so, and what to do
    expect(page.get_by_role("link", name="Choose a model")).to_be_visible()
    expect(page.get_by_role("button", name="Try it")).to_be_disabled()
    field = page.get_by_label("Prompt", exact=True)
    dash.memory.prompts.set("extract", "Another's words.")
    expect(field).to_have_value("Another's words.")
    field.fill("Mine alone.")
    expect(page.get_by_text("Not saved yet.", exact=True)).to_be_visible()
    dash.memory.prompts.set("extract", "Another's second thoughts.")
    expect(page.get_by_text("Someone else has changed this prompt")).to_be_visible()
    expect(field).to_have_value("Mine alone.")


def test_a_persons_prompt_is_their_own(dash: Dash, page: Page) -> None:
    page.goto("/settings?part=prompts&name=fold&person=mina")
    page.get_by_label("Prompt", exact=True).fill("For Mina.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved. What is made")).to_be_visible()
    found = {person: in_force_of(dash, person) for person in ("mina", None)}
    assert found["mina"] == "For Mina."
    assert found[None] != "For Mina."
    page.goto("/settings?part=prompts&name=fold")
    page.get_by_role("link", name="mina").click()
    expect(page.get_by_label("Prompt", exact=True)).to_have_value("For Mina.")


def in_force_of(dash: Dash, person: str | None) -> str:
    return next(each.instructions for each in dash.memory.prompts.list(person=person) if each.name == "fold")


def test_a_model_is_set_for_the_space_and_tested(dash: Dash, page: Page, model_server: ModelServer) -> None:
    page.goto("/settings?part=models")
    page.get_by_role("button", name="Test: Memories").click()
    expect(page.get_by_text("No model is set")).to_be_visible()
    page.get_by_label("Model", exact=True).fill("openai-compatible:scripted")
    page.get_by_label("Base URL").fill(model_server.base_url)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("cell", name="this space").first).to_be_visible()
    row = page.get_by_role("row").filter(has_text="Memories").first
    for step, told in (
        ("yes", "answers"),
        (Fault.bad_key(), "does not accept the key"),
        (Fault.unknown_model(), "was not found"),
        (Fault.hang(), re.compile("did not answer within")),
    ):
        model_server.then(step)
        page.get_by_role("button", name="Test: Memories").click()
        expect(row).to_contain_text(told)
        expect(row).to_contain_text("ms")
    model_server.down()
    page.get_by_role("button", name="Test: Memories").click()
    expect(row).to_contain_text("could not be reached")
    page.get_by_role("button", name="Use the server's again").click()
    page.get_by_role("dialog").get_by_role("button", name="Use the server's").click()
    expect(row).to_contain_text("extractive")


def test_a_space_s_key_is_written_and_never_shown(dash: Dash, page: Page, model_server: ModelServer) -> None:
    dash.memory.spaces.configure(**with_model(model_server))  # type: ignore[arg-type]
    page.goto("/settings?part=models")
    page.get_by_label("API key").fill("sk-canary-0123456789wxyz")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("set, ends in …wxyz")).to_be_visible()
    expect(page.locator("[data-tried]")).to_contain_text("answers")  # it was tested with what was saved
    assert model_server.calls[-1].headers["authorization"] == "Bearer sk-canary-0123456789wxyz"
    assert "sk-canary" not in page.content()
    page.reload()
    assert "sk-canary" not in page.content()
    assert b"sk-canary" not in Path(dash.database).read_bytes()


def test_a_key_is_shown_once_and_revoked(dash: Dash, page: Page) -> None:
    admin = dash.memory.keys.create(admin=True, name="ops")
    sign_in(page, admin.key, "/settings?part=keys")
    page.get_by_label("Name").fill(EVIL)
    page.get_by_label("It may only read").check()
    page.get_by_role("button", name="Make the key").click()
    shown = page.locator(".new-key code")
    expect(shown).to_have_text(re.compile("^er_"))
    key = shown.text_content() or ""
    made = next(each for each in dash.memory.keys.list(space="default") if each.id == key.split("_")[1])
    assert (made.name, made.read_only, made.expires_at is not None) == (EVIL, True, True)
    row = page.get_by_role("row").filter(has_text=made.id)
    expect(row).to_contain_text("<img src=x")
    page.reload()
    expect(row).to_be_visible()
    assert key not in page.content()
    row.get_by_role("button").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("Revoked", exact=True)).to_be_visible()
    assert next(each for each in dash.memory.keys.list(space="default") if each.id == made.id).revoked_at is not None
    assert page.title().startswith("Settings")


def test_a_space_s_key_sees_its_own_and_makes_none_that_outlives_it(dash: Dash, page: Page) -> None:
    dash.memory.keys.create(admin=True, name="ops")
    dash.memory.keys.create(space="other", name="theirs")
    own = dash.memory.keys.create(space="default", name="mine", expires="10d")
    sign_in(page, own.key, "/settings?part=keys")
    expect(page.get_by_role("row").filter(has_text="mine")).to_contain_text("this one")
    assert page.get_by_text("ops", exact=True).count() == page.get_by_text("theirs", exact=True).count() == 0
    assert page.get_by_label("Opens").locator("option").count() == 1
    assert page.get_by_label("Ends").locator("option").all_inner_texts() == ["when your own key does", "in a day"]
    page.get_by_role("button", name="Make the key").click()
    expect(page.locator(".new-key code")).to_be_visible()
    assert {each.expires_at for each in dash.memory.keys.list(space="default")} == {own.expires_at}
    page.goto("/settings?part=models")
    assert page.get_by_label("Base URL").count() == 0  # an admin's, because the server then calls that address
    page.get_by_label("Model", exact=True).fill("openai:gpt-5-nano")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("has no api_key of its own")).to_be_visible()
    page.goto("/settings?part=about")
    expect(page.get_by_text("shown to those with an admin key")).to_be_visible()
    assert dash.database not in page.content()


def test_retention_is_set_and_run(dash: Dash, page: Page) -> None:
    chat = dash.memory.channel("old")
    old = [{"role": "user", "text": f"old {n}", "at": "2020-01-01T00:00:00+00:00"} for n in range(40)]
    chat.add_many(old)
    dash.memory.settle()
    page.goto("/settings?part=retention")
    expect(page.get_by_text("everything is kept for good")).to_be_visible()
    page.get_by_label("Messages: days").fill("30")
    page.get_by_role("button", name="Save for this space").click()
    expect(page.get_by_role("row").filter(has_text="Messages")).to_contain_text("20")
    expect(page.get_by_text("Set by this space.")).to_be_visible()
    asked = page.get_by_role("dialog").get_by_role("button", name="Run now")
    for _ in range(5):  # the page draws itself anew a moment after it was saved, and a click may fall into that
        page.get_by_role("button", name="Run now").first.click()
        with contextlib.suppress(AssertionError):
            expect(asked).to_be_visible(timeout=2000)
            break
    asked.click()
    expect(page.get_by_text("Expired: 20 messages.")).to_be_visible()
    assert len(list(chat.messages())) == 20
    page.get_by_label("Messages: days").fill("soon")
    page.get_by_role("button", name="Save for this space").click()
    expect(page.get_by_text("retention is days by kind")).to_be_visible()


def test_who_hears_what_is_shown_and_declared(dash: Dash, page: Page) -> None:
    talked(dash)
    dash.memory.channels.set_privacy(dash.memory.channel("den"), "private", people=["mina", EVIL])
    page.goto("/settings?part=privacy")
    row = page.get_by_role("row").filter(has_text="den")
    expect(row).to_contain_text("mina")
    expect(row).to_contain_text("<img src=x")
    page.get_by_label("den is").select_option("open")
    expect(row).to_contain_text("everyone in this space")
    dash.memory.people.block("mallory")  # live
    expect(page.get_by_role("link", name="mallory")).to_be_visible()
    page.get_by_role("button", name="Unblock: mallory").click()
    expect(page.get_by_text("mallory is remembered again")).to_be_visible()
    assert not any(each.blocked for each in dash.memory.people.list())
    page.get_by_role("link", name="All channels").click()
    expect(page.get_by_role("link", name="hall")).to_be_visible()
    assert page.title().startswith("Settings")


def test_a_key_that_reads_finds_nothing_to_press_and_a_phone_nothing_to_push_aside(dash: Dash, page: Page) -> None:
    talked(dash)
    dash.memory.prompts.set("summarise", EVIL.replace("{", "{{").replace("}", "}}"))
    dash.memory.spaces.configure(retention="message=30")
    key = dash.memory.keys.create(space="default", read_only=True).key
    page.set_viewport_size({"width": 390, "height": 844})
    sign_in(page, key, "/settings?part=prompts")
    expect(page.locator("main.page pre")).to_contain_text("<img src=x")
    for part in ("prompts", "models", "keys", "retention", "privacy", "about"):
        page.goto(f"/settings?part={part}")
        expect(page.get_by_role("navigation", name="Settings")).to_be_visible()
        buttons = [each.text_content() for each in page.locator("main.page button").all()]
        assert buttons in ([], ["Show"], ["Check the whole database"]), part
        assert page.locator("main.page textarea").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, part
        assert page.title().startswith("Settings")
