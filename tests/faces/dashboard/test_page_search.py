"""Searching everything in the dashboard."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from dashing import Dash
from playwright.sync_api import Page, expect

from erstwhile.dashboard.pages.search import SHOWN, SearchFilters, of_month, pieces, place
from erstwhile.search.model import Hit
from erstwhile.text import analyse

XSS = '<img src=x onerror="document.title=1"> lantern </script><script>document.title=1</script>'


def filled(dash: Dash) -> None:
    said = [
        {"role": "user", "person": f"p{n % 2}", "name": ("Mina", "Juno")[n % 2], "text": f"I bought {n} red lanterns."}
        for n in range(45)
    ]
    dash.memory.channel("market").add_many(said)
    dash.memory.channel("harbour/1 ü").add(
        "user", "부산에서 등불을 샀어요. The boat is repaired.", person="p0", name="Mina"
    )
    dash.memory.settle()


def test_words_are_found_marked_narrowed_and_turned_over(dash_on_each: Dash, page: Page) -> None:
    filled(dash_on_each)
    page.goto("/search")
    expect(page.locator("[data-row]")).to_have_count(20)
    expect(page.locator(".result").first).to_contain_text("등불")  # the newest
    page.keyboard.press("/")
    page.keyboard.type("lanterns")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"q=lanterns"))
    expect(page.locator(".result mark").first).to_have_text("lanterns")
    total = dash_on_each.memory.memories.browse("lanterns").total
    expect(page.get_by_text(f"1 to 20 of {total}, best first")).to_be_visible()

    page.locator(".facet", has_text="Kind").get_by_role("link", name="message").click()
    expect(page.get_by_text("1 to 20 of 45, best first")).to_be_visible()
    seen: list[str] = []
    for number in (1, 2, 3):
        expect(page.get_by_text(f"Page {number} of 3")).to_be_visible()
        seen += page.locator(".result .snippet").all_inner_texts()
        if number < 3:
            page.get_by_role("link", name="Next").click()
    assert sorted(seen) == sorted(f"I bought {n} red lanterns." for n in range(45))

    page.locator(".facet", has_text="Person").get_by_role("link", name="Juno").click()
    expect(page.get_by_text("1 to 20 of 22, best first")).to_be_visible()
    assert parse_qs(urlsplit(page.url).query) == {"q": ["lanterns"], "kinds": ["message"], "person": ["p1"]}
    page.get_by_role("link", name="Remove kind message").click()
    expect(page.get_by_role("link", name="Remove person p1")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("1 to 20 of 22, best first")).to_be_visible()


def test_other_scripts_are_marked_and_the_keyboard_leads_to_the_place(dash: Dash, page: Page) -> None:
    filled(dash)
    page.goto("/search?q=등불&kinds=message")
    expect(page.locator(".result mark")).to_have_text("등불")
    page.route("**/conversations/channel*", lambda route: route.fulfill(body="there"))
    page.keyboard.press("j")
    expect(page.locator(".result").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/conversations/channel"))
    assert parse_qs(urlsplit(page.url).query) == {"channel": ["harbour/1 ü"], "seq": ["1"]}


def test_what_comes_meanwhile_is_hinted_at_and_nothing_moves(dash: Dash, page: Page) -> None:
    filled(dash)
    page.goto("/search?q=boat&kinds=message")
    expect(page.get_by_text("1 to 1 of 1")).to_be_visible()
    page.wait_for_timeout(300)  # until the page is connected
    dash.memory.channel("market").add("user", "Another boat came.", person="p1")
    hint = page.get_by_role("link", name="1 new results. Show them")
    expect(hint).to_be_visible()
    expect(page.locator("[data-row]")).to_have_count(1)
    hint.click()
    expect(page.locator("[data-row]")).to_have_count(2)
    assert dash.memory.requests.list() == []  # looking through is not on record


def test_what_people_wrote_stays_text(dash: Dash, page: Page) -> None:
    dash.memory.channel(XSS).add("user", XSS, person=XSS, name=XSS)
    dash.memory.facts.add(dash.memory.channel(XSS), XSS, by=XSS, person=XSS)
    for address in ("/search", "/search?q=lantern", "/search?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E&writer=%3Cb%3E"):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_have_text("Search")
        page.wait_for_timeout(200)
        assert page.title() == "Search · erstwhile"
        assert page.locator("#content img, #content script").count() == 0
    page.goto("/search?q=lantern")
    expect(page.locator(".result .snippet").first).to_have_text(XSS)


def test_nothing_there_nothing_found_and_wrong_addresses_are_said(dash: Dash, page: Page) -> None:
    page.goto("/search")
    expect(page.locator(".empty code")).to_contain_text("erstwhile add")
    page.goto("/search?q=theremin")
    expect(page.get_by_text("Nothing was found.")).to_be_visible()
    page.goto("/search?kinds=fcat")
    expect(page.get_by_role("alert")).to_contain_text("Kinds are")
    page.goto("/search?since=yesterday")
    expect(page.get_by_role("alert")).to_contain_text("2026-03-01")


def test_on_a_phone_the_filters_open_and_nothing_is_too_wide(dash: Dash, page: Page) -> None:
    filled(dash)
    dash.memory.channel("w" * 200).add("user", "x" * 400, person="p" * 200)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/search")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    filters = page.locator(".facet", has_text="Kind")
    expect(filters).not_to_be_visible()
    page.get_by_text("Filters", exact=True).click()
    expect(filters).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


# Without a browser


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("I bought red Lanterns.", "lantern", ["Lanterns"]),
        ("Alice's cat, her CAT", "cats", ["cat", "CAT"]),
        ("부산에서 등불을 샀어요", "등불", ["등불"]),
        ("我昨天在北京吃饭", "北京", ["北京"]),
        ("東京タワーに行った", "東京タワー", ["東京タワー"]),
        ("Ｌａｎｔｅｒｎ wide", "lantern", ["Ｌａｎｔｅｒｎ"]),
        ("<b>lantern</b>", "lantern", ["lantern"]),
        ("nothing here", "lantern", []),
    ],
)
def test_the_words_found_are_marked_in_the_text_as_it_is(text: str, words: str, found: list[str]) -> None:
    made = pieces(text, analyse.query_terms(words))
    assert "".join(piece.text for piece in made) == text
    assert [piece.text for piece in made if piece.found] == found


def test_of_a_long_text_the_part_with_the_words_is_shown() -> None:
    text = "so " * 3000 + "a lantern there " + "and " * 3000
    made = pieces(text, ["lantern"])
    shown = "".join(piece.text for piece in made)
    assert [piece.text for piece in made if piece.found] == ["lantern"]
    assert len(shown) <= SHOWN + 4
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert shown[2:-2] in text
    assert pieces(text, []) == [(text[:SHOWN], False), (" …", False)]
    assert pieces("", ["lantern"]) == []


def test_the_address_says_what_is_chosen_and_changes_one_thing_at_a_time() -> None:
    filters = SearchFilters.of({"q": "a b", "kinds": "fact, chunk,fact,", "person": "p", "cursor": "c"}, 3)
    assert (filters.kinds, filters.page, filters.skipped) == (("fact", "chunk"), 3, 40)
    assert filters.toggled("fact")["kinds"] == "chunk"
    assert filters.toggled("meta")["kinds"] == "fact,chunk,meta"
    assert (filters.toggled("meta")["page"], filters.toggled("meta")["cursor"]) == (None, None)
    assert [(sort, value) for sort, value, _ in filters.chips()] == [
        ("kind", "fact"),
        ("kind", "chunk"),
        ("person", "p"),
    ]
    assert filters.hidden("q") == {"kinds": "fact,chunk", "person": "p"}
    assert of_month("2024-02") == ("2024-02-01", "2024-02-29")
    assert of_month("2026-12") == ("2026-12-01", "2026-12-31")


def test_every_kind_has_its_place() -> None:
    from datetime import UTC, datetime

    def hit(kind: str, person: str | None = "mina") -> Hit:
        return Hit("x_1", kind, "", "hall", person, 7, datetime.now(UTC), 0.0, ())

    assert place(hit("message")) == ("/conversations/channel", {"channel": "hall", "seq": 7})
    assert place(hit("fact"))[1]["memory"] == hit("fact").id
    assert place(hit("topic")) == ("/notes", {"note": "x_1"})
    assert place(hit("profile")) == ("/people/person", {"person": "mina"})
