"""People, one of them, and what they see of themselves."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from dashing import Dash
from playwright.sync_api import Browser, Locator, Page, expect

import erstwhile
from erstwhile.testing import FixedClock

SAID = (
    (300, "ann", "Ann", "I live in Seoul and I work as a nurse."),
    (200, "ann", "Ann", "I prefer tea to coffee. My cat is called Miso."),
    (100, "ann", "Anna", "I moved to Busan last week."),
    (1, "ann", "Anna", "I love hiking in the mountains."),
)
HOSTILE = "<img src=x onerror=\"document.title='hit'\"><script>document.title='hit'</script>"


def tell(database: str) -> None:
    """A year of Ann, as it was said: each time on its day, with what is made of it."""
    now = datetime.now(UTC)
    clock = FixedClock(now - timedelta(days=301))
    with erstwhile.open_sync(database, clock=clock, worker=False, recipe="full", chunk_size=2) as memory:
        square = memory.channel("square")
        memory.channels.set_privacy(square, "open")
        for days, person, name, text in SAID:
            clock.now = now - timedelta(days=days, hours=1)
            square.add("user", text, person=person, name=name)
            square.add("assistant", "Noted.")
            memory.settle()
            clock.advance(minutes=30)
            memory.settle()
        clock.now = now - timedelta(minutes=1)
        memory.remember("ann", "is allergic to nuts", by="ann")
        memory.channel("bobs").add("user", "Between us: Ann lives in Jeju in truth.", person="bob", name="Bob")
        memory.remember("ann", "lives in Jeju in truth", by="bob", channel="bobs")
        memory.settle()


def group(page: Page, name: str) -> Locator:
    """A group of what we know."""
    return page.get_by_role("region", name=name, exact=True)


def signed_in(dash: Dash, page: Page, key: str) -> None:
    page.goto("/login")
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_a_person_with_all_that_is_known_and_where_it_is_from(dash_on_each: Dash, page: Page) -> None:
    tell(dash_on_each.database)
    page.goto("/people")
    row = page.get_by_role("listitem").filter(has_text="Anna")
    expect(row).to_contain_text("before: Ann")
    expect(row).to_contain_text("4 messages")
    row.get_by_role("link", name="Anna").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Anna")

    home = page.locator(".lane", has=page.get_by_role("heading", name="Home", exact=True))
    expect(home.locator("a.bar")).to_have_text(["Seoul", "Busan"])
    expect(home).to_contain_text(re.compile(r"Seoul.*until.*Busan.*since.*said by"))
    first, second = (home.locator("a.bar").nth(number).bounding_box() for number in range(2))
    assert first
    assert second
    assert first["width"] > second["width"] > 20
    assert abs(first["x"] + first["width"] - second["x"]) < 3
    expect(home.get_by_role("link", name="square, message 5")).to_have_attribute(
        "href", re.compile(r"/conversations/channel\?channel=square&seq=5$")
    )
    # The page leads with all of it, each statement once, and with its sources.
    assert page.locator("#content .card").first.locator("h2").inner_text() == "What we know"
    busan = page.get_by_role("article").filter(has_text="lives in Busan")
    expect(busan).to_have_count(1)
    expect(busan.get_by_role("link").first).to_have_attribute("href", re.compile("channel=square&seq=5$"))
    expect(group(page, "Remembered")).to_contain_text("allergic to nuts")
    expect(group(page, "Remembered").get_by_role("article").filter(has_text="Jeju")).to_contain_text("only in bobs")
    expect(page.locator(".card", has_text="Latest messages")).to_contain_text("hiking in the mountains")

    # Nothing waited for a model: the last days are written when someone asks, and until then take no room.
    before = page.locator(".card", has_text="The six days before")
    expect(before).to_be_hidden()
    expect(page.get_by_text(re.compile("^Nothing yet under .*“The six days before”"))).to_be_visible()
    page.get_by_role("button", name="Refresh").click()
    expect(before).to_contain_text("hiking")


def test_what_others_write_appears_and_what_is_told_here_is_kept(dash: Dash, page: Page) -> None:
    tell(dash.database)
    page.goto("/people/person?person=ann")
    told = page.locator(".card", has_text="Remembered")
    expect(told).to_contain_text("allergic to nuts")
    dash.memory.remember("ann", "plays the cello", by="ann")
    expect(told).to_contain_text("plays the cello")
    dash.memory.people.add_to_profile("ann", "skills", "Holds a first aid certificate.", by="bob")
    expect(group(page, "Skills")).to_contain_text("first aid certificate")

    page.get_by_label("Remember …").fill("has two sisters")
    page.get_by_role("button", name="Remember", exact=True).click()
    expect(told).to_contain_text("has two sisters")
    assert "two sisters" in dash.memory.people.remembered("ann")[0].text
    page.get_by_label("Remember …").fill("owns a yacht")
    told.get_by_role("button", name="Forget", exact=True).click()
    expect(page.get_by_role("status").last).to_contain_text("is not among what is remembered")
    told.get_by_role("button", name=re.compile("Forget: .*cello")).click()
    expect(told).not_to_contain_text("cello")
    page.get_by_role("button", name="Undo").click()
    expect(told).to_contain_text("plays the cello")

    page.get_by_role("button", name="Share: ").click()
    expect(page.locator(".person .badge", has_text="shares")).to_be_visible()
    page.get_by_role("button", name="Block").click()
    asked = page.get_by_role("dialog").get_by_role("button", name="Block")
    expect(asked).to_be_visible()
    dash.memory.people.share("ann", False)
    expect(page.locator(".person .badge", has_text="shares")).to_have_count(0)
    asked.click()  # what others write meanwhile does not take the question away
    expect(page.get_by_role("alert")).to_contain_text("Blocked")
    (ann,) = dash.memory.people.list(people=["ann"])
    assert (ann.blocked, ann.shares) == (True, False)


def test_a_fact_is_corrected_and_deleted_and_both_are_undone(dash: Dash, page: Page) -> None:
    tell(dash.database)
    page.goto("/people/person?person=ann")
    bio = page.locator(".known")
    bio.get_by_role("button", name="Edit: Anna lives in Busan.").click()
    page.get_by_role("dialog").get_by_label("Text").fill("Anna lives in Busan, by the sea.")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(bio).to_contain_text("by the sea")
    page.get_by_role("button", name="Undo").click()
    expect(bio).not_to_contain_text("by the sea")
    expect(bio).to_contain_text("lives in Busan")
    bio.get_by_role("button", name="Delete: Anna lives in Busan.").click()
    expect(bio).not_to_contain_text("lives in Busan")  # nor what else says it
    page.get_by_role("button", name="Undo").click()
    expect(bio).to_contain_text("lives in Busan")


def test_what_someone_wants_from_every_answer_is_shown_and_deleted(dash: Dash, page: Page) -> None:
    with erstwhile.open_sync(dash.database, worker=False) as memory:
        chat = memory.channel("assistant")
        for text in ("Call me Ally.", "Always answer in metric units.", "Call me Annie."):
            chat.add("user", text, person="ann", name="Ann")
            chat.add("assistant", "Noted.")
        memory.settle()
    page.goto("/people/person?person=ann")
    card = page.locator(".card", has=page.get_by_role("heading", name="Wants from every answer"))
    expect(card.locator("article")).to_have_count(3)
    expect(card.locator("article").filter(has_text="Call me Ally.")).to_contain_text("until")
    card.get_by_role("button", name="Delete: Always answer in metric units.").click()
    expect(card.locator("article")).to_have_count(2)
    with erstwhile.open_sync(dash.database, worker=False) as memory:
        held = [each.text for each in memory.about("ann", fresh=False).standing if each.until is None]
    assert held == ["Call me Annie."]


def test_whoever_may_only_read_sees_all_and_no_button(dash: Dash, page: Page) -> None:
    tell(dash.database)
    signed_in(dash, page, dash.memory.keys.create(read_only=True, name="eyes").key)
    page.goto("/people/person?person=ann")
    expect(page.locator(".card", has_text="Remembered")).to_contain_text("allergic to nuts")
    main = page.locator("#content")
    expect(main.get_by_role("button").filter(has_not_text="Copy")).to_have_count(0)
    expect(main.get_by_role("textbox")).to_have_count(0)


def test_what_people_write_stays_words(dash: Dash, page: Page) -> None:
    chat = dash.memory.channel(HOSTILE)
    dash.memory.channels.set_privacy(chat, "open")
    chat.add("user", HOSTILE, person=HOSTILE, name=HOSTILE)
    dash.memory.remember(HOSTILE, f"likes {HOSTILE}", by=HOSTILE)
    dash.memory.people.add_to_profile(HOSTILE, "bio", f"Is {HOSTILE}.", by=HOSTILE)
    page.goto("/people")
    page.locator("#content").get_by_role("link", name=HOSTILE).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    expect(group(page, "Bio")).to_contain_text("onerror")
    expect(page.locator(".card", has_text="Latest messages")).to_contain_text("onerror")
    expect(page.locator("#content img")).to_have_count(0)
    page.get_by_role("button", name="Link for this person").click()
    expect(page.get_by_role("dialog")).to_contain_text("onerror")
    assert "hit" not in page.title()


def test_people_are_found_by_name_and_turned_in_pages(dash: Dash, page: Page) -> None:
    many = [{"role": "user", "text": "hello", "person": f"p{n:03}", "name": f"Person {n:03}"} for n in range(120)]
    dash.memory.channel("square").add_many(many)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/people")
    expect(page.get_by_role("listitem")).to_have_count(50)
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("51 to 100 of 120")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("person 11")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 to 10 of 10")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("person=p11"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Person 11")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_nobody_yet_says_what_to_do(dash: Dash, page: Page) -> None:
    page.goto("/people")
    expect(page.locator("#content")).to_contain_text("erstwhile add")
    page.goto("/people/person?person=nobody")
    expect(page.get_by_role("alert")).to_contain_text("Unknown person 'nobody'")


# What a person sees of themselves


@pytest.fixture
def anns(dash: Dash, page: Page, browser: Browser) -> Iterator[Page]:
    """Ann's own browser, in which she followed the link that was made for her."""
    tell(dash.database)
    page.goto("/people/person?person=ann")
    page.get_by_role("button", name="Link for this person").click()
    link = page.get_by_role("dialog").locator("code").inner_text()
    assert link.startswith(dash.url)
    with browser.new_context(viewport={"width": 390, "height": 844}, base_url=dash.url) as context:
        context.set_default_timeout(60_000)
        opened = dash.watch(context.new_page())
        opened.goto(link)
        opened.get_by_role("button", name="Continue").click()
        expect(opened).to_have_url(re.compile("/me$"))
        yield opened


def test_a_link_shows_someone_their_own_and_lets_them_correct_it(dash: Dash, anns: Page) -> None:
    expect(anns.get_by_role("heading", level=1)).to_have_text("What is known about you, Anna")
    main = anns.locator("#content")
    expect(main).to_contain_text("allergic to nuts")
    expect(main).to_contain_text("lives in Busan")
    expect(main).not_to_contain_text("Jeju")  # what Bob said between himself and his assistant
    assert anns.evaluate("document.documentElement.scrollWidth") <= 390
    anns.get_by_label("Remember …").fill("I am vegan")
    anns.get_by_role("button", name="Remember", exact=True).click()
    told = anns.locator(".card", has_text="Remembered")
    expect(told).to_contain_text("vegan")
    assert "According to" not in dash.memory.people.remembered("ann")[0].text  # it is her own word
    group(anns, "Relationships").get_by_role("button", name=re.compile("Delete")).click()
    expect(group(anns, "Relationships")).to_have_count(0)
    # And while she looks, what others say in the open appears.
    dash.memory.people.add_to_profile("ann", "skills", "Juggles.", by="bob")
    expect(main).to_contain_text("Juggles.")


def test_a_link_opens_nothing_else(dash: Dash, anns: Page) -> None:
    for path in (
        "/",
        "/people",
        "/people/person?person=bob",
        "/people/person?person=ann",
        "/settings",
        "/search?q=Jeju",
    ):
        anns.goto(path)
        expect(anns).to_have_url(re.compile("/me$"))
    expect(anns.get_by_role("navigation")).to_have_count(0)
    expect(anns.locator("#content a[href^='/conversations']")).to_have_count(0)
    cookies = {each["name"]: each["value"] for each in anns.context.cookies()}
    key = dash.memory.keys.create(admin=True)  # from now on this machine alone opens nothing
    with httpx2.Client(base_url=dash.url, cookies=cookies) as hers:
        assert hers.get("/me").status_code == 200
        assert hers.get("/me", params={"space": "other"}).text.count("has no access to the space") == 1
        assert hers.get("/downloads/export", params={"person": "bob"}).status_code == 403
        assert hers.get("/downloads/export", params={"person": "ann", "space": "other"}).status_code == 403
        assert hers.get("/downloads/something").status_code == 403
        assert hers.get("/v1/spaces/default/people").status_code == 401
        assert hers.post("/me").status_code == 405
    with httpx2.Client(base_url=dash.url) as nobody:
        assert nobody.get("/me").status_code == 303
        assert nobody.get("/downloads/export", params={"person": "ann"}).status_code == 401
        refused = nobody.get("/_nicegui_ws/socket.io/", params={"EIO": "4", "transport": "polling"})
        assert refused.status_code == 401
    assert key.key


def test_a_link_works_once(dash: Dash, page: Page) -> None:
    tell(dash.database)
    page.goto("/people/person?person=ann")
    page.get_by_role("button", name="Link for this person").click()
    link = page.get_by_role("dialog").locator("code").inner_text()
    token = link.partition("link=")[2]
    assert httpx2.get(link).status_code == 200  # whoever merely looks at it does not use it up
    assert httpx2.post(f"{dash.url}/login", data={"link": token}).status_code == 303
    assert httpx2.post(f"{dash.url}/login", data={"link": token}).status_code == 401


# Taking along, and away


def erased(page: Page, id: str) -> dict[str, Any]:
    """Types what is asked for, and saves the receipt."""
    page.get_by_role("button", name="Erase …").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Id").fill("someone else")
    dialog.get_by_role("button", name="Erase for good").click()
    expect(dialog.get_by_role("alert")).to_have_text("That is not the id.")
    dialog.get_by_label("Id").fill(id)
    dialog.get_by_role("button", name="Erase for good").click()
    expect(page.locator(".card", has_text="Receipt")).to_contain_text("nothing is left")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the receipt").click()
    receipt: dict[str, Any] = json.loads(saved.value.path().read_text(encoding="utf-8"))
    for table, count in receipt["counts"].items():
        row = page.get_by_role("row").filter(has=page.get_by_role("cell", name=table.replace("_", " "), exact=True))
        expect(row).to_contain_text(f"{count:,}")
    assert receipt["checked"] is True
    return receipt


def test_someone_is_erased_and_a_receipt_is_left(dash_on_each: Dash, page: Page) -> None:
    dash = dash_on_each
    tell(dash.database)
    page.goto("/people/person?person=ann")
    receipt = erased(page, "ann")
    assert receipt["counts"]["messages"] >= len(SAID)  # and what was replied to her
    assert dash.memory.people.list(people=["ann"]).total == 0
    assert dash.memory.people.messages("ann") == []
    page.goto("/people/person?person=ann")
    expect(page.get_by_role("alert")).to_contain_text("Unknown person")


def test_someone_erases_themselves(dash: Dash, anns: Page) -> None:
    dash.memory.keys.create(admin=True)  # from now on her session is all that lets her in, and it goes with her
    receipt = erased(anns, "ann")
    assert receipt["what"]["person"] == "ann"
    assert dash.memory.people.messages("ann") == []
    assert len(dash.memory.people.messages("bob")) == 1
    anns.goto("/me")
    expect(anns).to_have_url(re.compile("/login"))


def test_pages_that_are_open_let_go_of_someone_who_is_erased_elsewhere(dash: Dash, page: Page, anns: Page) -> None:
    page.goto("/people/person?person=ann")
    expect(page.locator(".person")).to_contain_text("hiking")
    expect(anns.locator(".person")).to_contain_text("hiking")
    dash.memory.erase(person="ann")
    expect(page.get_by_role("alert")).to_have_text("ann was erased.")
    expect(anns.get_by_role("heading", level=1)).to_have_text("You are erased")
    expect(page.locator("#content")).not_to_contain_text("hiking")
    expect(anns.locator("#content")).not_to_contain_text("hiking")


def test_what_is_kept_of_someone_is_taken_along(dash: Dash, anns: Page) -> None:
    with anns.expect_download() as saved:
        anns.get_by_role("link", name="Export").click()
    assert saved.value.suggested_filename == "ann.json"
    words = saved.value.path().read_text(encoding="utf-8")
    assert "hiking in the mountains" in words
    assert "Jeju" not in words  # what Bob said in private stays there
    answer = httpx2.get(f"{dash.url}/downloads/export", params={"person": "ann"})  # whoever runs the memory
    with zipfile.ZipFile(io.BytesIO(answer.content)) as taken:
        assert "hiking in the mountains" in taken.read("messages.jsonl").decode()
    assert answer.headers["content-disposition"].startswith('attachment; filename="ann.zip"')
    assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert httpx2.get(f"{dash.url}/downloads/export", params={"person": "nobody"}).status_code == 404
