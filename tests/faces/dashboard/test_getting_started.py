"""A newcomer's way: bring a conversation along, watch memory form, find one's way, and lose the server for a moment."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote_plus

import httpx2
import pytest
from dashing import SMALL
from playwright.sync_api import Browser, BrowserContext, Page, expect

from erstwhile.importers.loading import NAMES
from support.exports import MAKERS
from support.serving import Served

OLD = datetime(2021, 3, 4, tzinfo=UTC)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """With a worker, as somebody starts it who tries it out."""
    with Served(str(tmp_path_factory.mktemp("new") / "new.db"), "--log-level", "warning") as started:
        yield started


@pytest.fixture(scope="module")
def profile(browser: Browser, server: Served) -> Iterator[BrowserContext]:
    url = f"http://127.0.0.1:{server.port}"
    with browser.new_context(base_url=url, timezone_id="Asia/Seoul", viewport={"width": 1280, "height": 900}) as made:
        made.set_default_timeout(60_000)
        yield made


@pytest.fixture
def page(profile: BrowserContext) -> Iterator[Page]:
    opened = profile.new_page()
    yield opened
    opened.close()


def chatgpt(folder: Path) -> Path:
    """Two conversations of 2021, as ChatGPT exports them."""
    made = []
    for number, title in enumerate(("Trip to Porto", "رحلة إلى القاهرة " + "x" * 200)):
        nodes: dict[str, object] = {}
        for place in range(24):
            role = "assistant" if place % 2 else "user"
            at = OLD + timedelta(days=9 * number, minutes=place)
            said = f"I moved to street {place} in Lisbon." if role == "user" else "Noted."
            message = {
                "id": f"m{number}-{place}",
                "author": {"role": role},
                "create_time": at.timestamp(),
                "content": {"content_type": "text", "parts": [said]},
            }
            above = f"n{place - 1}" if place else None
            nodes[f"n{place}"] = {"id": f"n{place}", "parent": above, "children": [], "message": message}
        made.append({"title": title, "conversation_id": f"c{number}", "mapping": nodes, "current_node": "n23"})
    (folder / "user.json").write_text(json.dumps({"id": "u1", "name": "김민아"}))
    (folder / "conversations.json").write_text(json.dumps(made))
    return folder


def test_an_export_is_uploaded_and_memory_forms(server: Served, page: Page, tmp_path: Path) -> None:
    page.goto("/")
    expect(page.get_by_text("Nothing is remembered here yet")).to_be_visible()
    files = chatgpt(tmp_path)
    page.locator("[data-upload]").set_input_files([files / "conversations.json", files / "user.json"])
    expect(page).to_have_url(re.compile("/import"))
    expect(page.locator("[data-import=done]")).to_contain_text("48 new messages in 2 conversations by 1 person")
    expect(page.locator("[data-forming] .memory").first).to_be_visible()  # while it is made, or the last of it
    expect(page.locator("[data-due]")).to_have_text("All memories are made.")

    # Where the data is: the plots show 2021, though nothing is of the last days.
    page.goto("/")
    expect(page.get_by_role("link", name="All time")).to_have_attribute("aria-current", "true")
    plot = page.get_by_role("img", name=re.compile("^Messages, by day, 2021-03-04 to 2021-03-13: .*48 in all"))
    expect(plot).to_be_visible()
    expect(page.locator("[data-status]")).to_contain_text("All is well")
    expect(page.locator("[data-parked], [data-errors]").first).to_be_hidden()
    page.goto("/conversations")
    row = page.locator("[data-row]", has_text="Trip to Porto")
    expect(row.locator(".people")).to_have_text("김민아")
    expect(row.locator("time")).to_have_text("2021-03-04")
    expect(row.locator("time")).to_have_attribute("title", re.compile(r"2021-03-04 09:23 GMT\+9 \(Asia/Seoul\)"))
    expect(page.locator("[data-zone-name]")).to_have_text("Times in Asia/Seoul (GMT+9)")


def zipped(format: str, folder: Path) -> Path:
    """A small export, as the product sends it: one zip."""
    (folder / format).mkdir()
    MAKERS[format](folder / format, 24)
    return Path(shutil.make_archive(str(folder / f"{format} export"), "zip", folder / format))


@pytest.mark.parametrize(
    ("format", "channel"),
    {
        "whatsapp": "whatsapp:The house",
        "discord": "77",
        "slack": "C001",
        "claude": "claude:c-0",
        "telegram": "telegram:4711",
    }.items(),
)
def test_another_product_s_export_is_uploaded(
    format: str, channel: str, server: Served, page: Page, tmp_path: Path
) -> None:
    page.goto("/import")
    page.locator("[data-upload]").set_input_files(zipped(format, tmp_path))
    done = page.locator("[data-import=done]")
    expect(done).to_contain_text(
        re.compile(rf"24 new messages in \d conversations? by \d (person|people) \({format}\)")
    )
    expect(page.locator("[data-due]")).to_have_text("All memories are made.")
    done.get_by_role("link", name="See the conversations").click()
    link = page.locator(f"[data-row] a[href*='channel={quote_plus(channel)}']").first
    expect(link).to_be_visible()
    link.click()
    expect(page.locator(".memories .memory").first).to_be_visible()  # in the tab that is open


def test_a_file_that_is_no_export_is_refused_in_plain_words(server: Served, page: Page, tmp_path: Path) -> None:
    (tmp_path / "holiday.bin").write_bytes(b"\x00\x01 not a conversation")
    page.goto("/import")
    page.locator("[data-upload]").set_input_files(tmp_path / "holiday.bin")
    expect(page.get_by_role("alert")).to_contain_text("is in no known format")
    lines = page.get_by_role("alert").inner_text().splitlines()
    assert [line.split(":")[0].strip() for line in lines[1:9]] == list(NAMES)  # each on a line of its own
    expect(page.locator("[data-upload]")).to_be_attached()  # and another can be chosen


def test_nobody_uploads_what_no_page_waits_for(server: Served) -> None:
    url = f"http://127.0.0.1:{server.port}/uploads/import"
    assert httpx2.post(url, params={"token": "guessed", "name": "x"}, content=b"x").status_code == 404
    evil = httpx2.post(
        url, params={"token": "guessed", "name": "x"}, content=b"x", headers={"Origin": "http://evil.test"}
    )
    assert evil.status_code == 403


def test_the_palette_goes_anywhere(server: Served, page: Page) -> None:
    said = {"role": "user", "text": "hello", "person": "yuna", "name": "Yuna"}
    httpx2.post(f"http://127.0.0.1:{server.port}/v1/spaces/default/channels/lantern-club/messages", json=said)
    page.goto("/")
    expect(page.get_by_role("button", name="Find")).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("lantern")
    expect(page.get_by_role("option", name=re.compile("lantern-club"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("channel=lantern-club"))
    expect(page.get_by_role("heading", name="lantern-club")).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("yun")
    expect(page.get_by_role("option").first).to_contain_text("Yuna")
    page.keyboard.press("Escape")
    expect(page.get_by_role("option")).to_have_count(0)


def test_a_page_that_is_not_there_is_a_page(server: Served, page: Page) -> None:
    answer = page.goto("/nowhere/<b>at all</b>")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("alert")).to_have_text("There is no page /nowhere/<b>at all</b> here.")
    page.get_by_role("link", name="To the overview").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    plain = httpx2.get(f"http://127.0.0.1:{server.port}/nowhere")
    assert plain.headers["content-type"] == "application/problem+json"


def test_a_phone_has_four_places_and_more_and_nothing_is_too_small_to_touch(server: Served, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for address in ("/", "/conversations", "/people", "/import", "/settings?part=models"):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate(SMALL) == [], address
    bar = page.get_by_role("navigation", name="Pages")
    expect(bar.get_by_role("link")).to_have_count(4)
    bar.get_by_role("button", name="More").click()
    bar.get_by_role("link", name="Report").click()
    expect(page).to_have_url(re.compile("/report"))


def test_without_its_server_a_page_says_so_and_takes_nothing_in(server: Served, page: Page) -> None:
    page.goto("/people/person?person=u1")
    expect(page.get_by_label("Remember …")).to_be_enabled()
    server.kill()
    expect(page.get_by_text("Editing is off until the server answers again.")).to_be_visible()
    assert page.evaluate("document.querySelector('main').inert")
    server.start()
    server.ready()
    expect(page.get_by_text("Connection lost")).to_be_hidden()
    page.wait_for_function("!document.querySelector('main').inert")
    page.get_by_label("Remember …").fill("plays the cello")
    page.get_by_role("button", name="Remember", exact=True).click()
    expect(page.get_by_role("article").filter(has_text="plays the cello")).to_be_visible()
