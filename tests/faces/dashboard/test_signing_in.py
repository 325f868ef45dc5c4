"""Who gets in, and with what."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
from dashing import Contexts, Dash
from playwright.sync_api import Page, expect
from terminal import Terminal

import erstwhile


def test_without_a_key_the_dashboard_is_open_to_this_machine(dash: Dash, page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")


def test_a_key_signs_in_and_out(dash_on_each: Dash, page: Page) -> None:
    key = dash_on_each.memory.keys.create(admin=True, name="ops").key
    page.goto("/people?space=default")
    expect(page).to_have_url(re.compile("/login"))
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("People")
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("/login"))
    page.goto("/")
    expect(page).to_have_url(re.compile("/login"))


def test_a_session_ends_with_its_key(dash: Dash, page: Page) -> None:
    made = dash.memory.keys.create(admin=True)
    page.goto("/login")
    page.get_by_label("Key").fill(made.key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    assert not dash.seen
    dash.memory.keys.revoke(made.id, admin=True)
    page.wait_for_timeout(1500)
    page.goto("/")
    expect(page).to_have_url(re.compile("/login"))
    dash.seen.clear()  # a socket that was just being opened is refused, and the browser tells of it


def test_what_is_no_key_is_told_so(dash: Dash, page: Page) -> None:
    dash.memory.keys.create(admin=True)
    page.goto("/login")
    page.get_by_label("Key").fill("er_nonsense")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("copied whole")
    dash.seen.clear()  # the browser tells of the 401


def test_after_signing_in_nobody_is_led_elsewhere(dash: Dash) -> None:
    key = dash.memory.keys.create(admin=True).key
    for wish in ("//evil.example", "https://evil.example", "/\\evil.example", "/v1/keys"):
        answer = httpx2.post(f"{dash.url}/login", data={"key": key, "next": wish})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_the_cookie_opens_the_dashboard_and_not_the_api(dash: Dash) -> None:
    key = dash.memory.keys.create(admin=True).key
    with httpx2.Client(base_url=dash.url) as client:
        assert client.post("/login", data={"key": key}).status_code == 303
        assert client.get("/").status_code == 200
        assert client.get("/v1/keys").status_code == 401


def test_another_sites_page_can_neither_sign_in_nor_out(dash: Dash) -> None:
    for path in ("/login", "/logout"):
        assert httpx2.post(dash.url + path, headers={"Origin": "https://evil.example"}).status_code == 403


def test_the_terminals_link_signs_in_once_and_outlasts_the_first_key(tmp_path: Path, context_of: Contexts) -> None:
    with Terminal(str(tmp_path / "test.db")) as terminal:
        link = terminal.said(r"http://\S+/login\?link=\S+")
        page = context_of(terminal.url).new_page()
        page.goto(link)
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
        terminal.erstwhile("keys", "create", "--admin")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
        other = context_of(terminal.url).new_page()
        other.goto(link)
        other.get_by_role("button", name="Continue").click()
        expect(other.get_by_role("alert")).to_contain_text("used already")


def test_logs_that_others_read_get_no_link_once_there_is_a_key(tmp_path: Path) -> None:
    with erstwhile.open_sync(str(tmp_path / "test.db")) as memory:
        memory.keys.create(admin=True)
    with Terminal(str(tmp_path / "test.db")) as terminal:
        assert "link=" not in terminal.said(r"The dashboard: .*")
