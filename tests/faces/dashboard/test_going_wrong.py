"""What a page says when something goes wrong, and when nothing does."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from dashing import Dash
from playwright.sync_api import Page, expect


def test_a_message_that_was_dismissed_does_not_come_back_as_an_error(dash: Dash, page: Page) -> None:
    dash.memory.channel("hall").add("user", "hello", person="alice")
    page.goto("/people/person?person=alice")
    page.get_by_label("Remember …").fill("Alice lives in Busan.")
    page.get_by_role("button", name="Remember", exact=True).click()
    toast = page.locator(".toast")
    expect(toast).to_contain_text("Remembered.")
    toast.get_by_role("button", name="Dismiss").click()
    expect(toast).to_have_count(0)
    page.wait_for_timeout(5_500)  # as long as it would have stayed
    expect(toast).to_have_count(0)


def test_a_page_that_fails_says_so_in_plain_words(dash: Dash, page: Page) -> None:
    dash.memory.channel("hall").add("user", "hello", person="alice")
    page.goto("/people")
    with closing(sqlite3.connect(dash.database)) as broken, broken:
        broken.execute("ALTER TABLE people RENAME TO people_elsewhere")
    answer = page.goto("/people")
    assert answer is not None
    assert answer.status == 500
    expect(page.get_by_role("alert")).to_have_text("Something went wrong in the server. Its log says where.")
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    dash.seen.clear()  # the browser names the 500
    with closing(sqlite3.connect(dash.database)) as broken, broken:
        broken.execute("ALTER TABLE people_elsewhere RENAME TO people")


def test_copying_works_over_plain_http_too(dash: Dash, page: Page) -> None:
    page.add_init_script("Object.defineProperty(Navigator.prototype, 'clipboard', {value: undefined})")
    page.goto("/")
    page.evaluate("document.addEventListener('copy', () => { window.copied = String(document.activeElement.value) })")
    copy = page.get_by_role("button", name="Copy").first
    copy.click()
    expect(page.get_by_role("button", name="Copied")).to_have_count(1)
    assert page.evaluate("window.copied").startswith("curl -s")
    expect(page.locator("textarea")).to_have_count(0)
