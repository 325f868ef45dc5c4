"""Notes and topics in the dashboard: the calendar, a day, a note, and the night."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from dashing import Dash
from playwright.sync_api import Page, expect

import erstwhile
from erstwhile.dashboard import calendar
from erstwhile.layers.notes.model import NotedDay
from erstwhile.testing import FixedClock

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
THINGS = (
    "I moved to Busan last week.",
    "The garden needs water and the roses too.",
    "The garden roses are red.",
    "The train to Seoul is late.",
    "The train is on time again.",
)
XSS = "<img src=x onerror='document.title=1'> is my name"


def talked(dash: Dash, *, night: bool = False, name: str = "Mina") -> None:
    """Five conversations of one day and one of the day before, each with its note; and one that goes on."""
    clock = FixedClock(DAY - timedelta(days=1))
    with erstwhile.open_sync(dash.database, clock=clock, worker=False) as memory:
        for n, text in enumerate(("Tea is ready.", *THINGS)):
            clock.now = DAY - timedelta(days=1) if n == 0 else DAY + timedelta(hours=n)
            memory.channel("hall").add("user", text, person="mina", name=name)
            memory.channel("hall").add("user", text, person="juno", name="Juno")
            clock.advance(minutes=30)
            memory.settle()
        if night:
            memory.notes.nightly()
            memory.settle()
        clock.now = DAY + timedelta(hours=12)
        memory.channel("yard").add("user", "Still talking.", person="mina", name=name)


def test_a_calendar_leads_to_a_day_and_a_topic_lights_its_notes(dash_on_each: Dash, page: Page) -> None:
    talked(dash_on_each, night=True)
    page.goto("/notes")
    expect(page.get_by_role("heading", level=2, name="Monday 2 March 2026")).to_be_visible()
    expect(page.locator(".note")).to_have_count(5)
    expect(page.get_by_role("link", name=re.compile(r"Sunday 1 March 2026: 1 note, "))).to_be_visible()
    expect(page.locator(".card", has_text="Waiting for a note").get_by_role("link", name="yard")).to_be_visible()

    topics = [
        each for each in dash_on_each.memory.notes.list(kind="topic", day=date(2026, 3, 2)) if len(each.notes) > 1
    ]
    chosen = page.locator(f"[data-topic='{topics[0].id}']")
    chosen.click()
    expect(chosen).to_have_attribute("aria-pressed", "true")
    lit = page.locator(".note.lit")
    expect(lit).to_have_count(len(topics[0].notes))
    assert {each.get_attribute("id") for each in lit.all()} == set(topics[0].notes)
    page.keyboard.press("Escape")
    expect(lit).to_have_count(0)

    page.get_by_role("link", name=re.compile("Sunday 1 March 2026")).click()
    expect(page.locator(".note")).to_have_count(1)
    page.get_by_role("link", name="Earlier month").click()
    expect(page.get_by_role("heading", name="February 2026")).to_be_visible()


def test_a_note_shows_who_took_part_its_messages_and_what_it_told(dash: Dash, page: Page) -> None:
    talked(dash)
    (note,) = [each for each in dash.memory.notes.list(kind="note") if "Busan" in each.text]
    page.goto("/notes")
    page.locator(f"[id='{note.id}'] h3 a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(note.title)
    expect(page.get_by_role("link", name=f"hall #{note.first_seq} to #{note.last_seq}")).to_have_attribute(
        "href", re.compile(rf"/conversations/channel\?.*channel=hall.*seq={note.first_seq}")
    )
    expect(page.get_by_role("group", name="Who took part").get_by_role("link")).to_have_text(["Juno", "Mina"])
    expect(page.locator(".memory.fact").first).to_contain_text("Busan")
    expect(page.get_by_text("In no topic yet.")).to_be_visible()
    page.goto("/notes?note=nte_0123456789abcdefghjkmnpqrs")
    expect(page.get_by_role("alert")).to_contain_text("There is no note")


def test_the_night_is_run_from_the_page(dash: Dash, page: Page) -> None:
    talked(dash)
    page.goto("/notes?day=2026-03-02")
    expect(page.locator(".topic")).to_have_count(0)
    page.get_by_role("button", name="Run it now").click()
    expect(page.get_by_text(re.compile(r"5 notes put into \d topics; 2 people took part\."))).to_be_visible()
    expect(page.locator(".topics .topic").first).to_be_visible()
    assert dash.memory.notes.list(kind="topic")


def test_notes_appear_while_the_page_is_open_and_can_be_narrowed(dash: Dash, page: Page) -> None:
    talked(dash)
    page.goto("/notes?day=2026-03-02")
    expect(page.locator(".note")).to_have_count(5)
    page.wait_for_timeout(300)  # until the page is connected
    clock = FixedClock(DAY + timedelta(hours=13))
    with erstwhile.open_sync(dash.database, clock=clock, worker=False) as memory:
        memory.settle()  # the yard has been quiet for an hour
    expect(page.locator(".note")).to_have_count(6)
    expect(page.get_by_text("No conversation is waiting.")).to_be_visible()
    page.get_by_label("Conversation").fill("yard")
    page.get_by_role("button", name="Apply the filter").click()
    expect(page.locator(".note")).to_have_count(1)
    page.get_by_role("link", name="Show all").click()
    page.get_by_label("Person").fill("juno")
    page.get_by_role("button", name="Apply the filter").click()
    expect(page.locator(".note")).to_have_count(5)


def test_a_read_only_key_runs_no_night(dash: Dash, page: Page) -> None:
    talked(dash)
    key = dash.memory.keys.create(space="default", read_only=True).key
    page.goto("/login")
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.goto("/notes")
    expect(page.locator(".note")).to_have_count(5)
    expect(page.get_by_role("button", name="Run it now")).to_have_count(0)


def test_what_people_wrote_stays_text_and_a_phone_is_wide_enough(dash: Dash, page: Page) -> None:
    talked(dash, night=True, name=XSS)
    dash.memory.memories.edit(dash.memory.notes.list(kind="note")[0].id, XSS * 20, by=XSS)
    page.set_viewport_size({"width": 390, "height": 844})
    for address in ("/notes", f"/notes?note={dash.memory.notes.list(kind='note')[0].id}", "/notes?person=%3Cscript%3E"):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_timeout(200)
        assert page.title() == "Notes · erstwhile"
        assert page.locator("#content img, #content script").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_where_nothing_was_said_the_next_command_is_named(dash: Dash, page: Page) -> None:
    page.goto("/notes")
    expect(page.locator(".empty code")).to_contain_text("erstwhile add")
    page.goto("/notes?month=2026-13")
    expect(page.get_by_role("alert")).to_contain_text("Write it like 2026-03")


# Without a browser


def test_a_month_is_rows_of_seven_from_monday() -> None:
    month = calendar.read_month("2026-03")
    assert (month.name, month.earlier, month.later) == ("March 2026", "2026-02", "2026-04")
    assert len(month.cells) % 7 == 0
    assert [each for each in month.cells if each] == [date(2026, 3, n) for n in range(1, 32)]
    assert month.cells.index(date(2026, 3, 2)) % 7 == 0
    assert calendar.read_month("0001-01").earlier is None
    assert calendar.read_month("9999-12").later is None
    with pytest.raises(erstwhile.InvalidInput):
        calendar.read_day("2026-02-30")


def test_the_fullest_day_is_the_darkest() -> None:
    noted = {each.day: each for each in (NotedDay(date(2026, 3, n), n, 0) for n in (1, 5, 20))}
    assert [calendar.fullness(each, noted) for each in noted.values()] == [1, 1, 4]
    assert calendar.fullness(None, noted) == 0
