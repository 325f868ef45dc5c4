"""A conversation beside its memory: looked at, changed, undone, and true while another process writes."""

from __future__ import annotations

import re

import pytest
from dashing import Dash
from playwright.sync_api import Locator, Page, expect

from erstwhile.api.blocking import SyncChannel

THINGS = (
    "trains",
    "planes",
    "the sea",
    "old maps",
    "the cello",
    "green tea",
    "long walks",
    "Korean food",
    "cats",
    "chess",
)


def talk(dash: Dash, channel: str = "support-42", count: int = 20, start: int = 0) -> SyncChannel:
    """Somebody tells what they like, and what is due is made of it."""
    chat = dash.memory.channel(channel)
    chat.add_many(
        [
            {
                "role": "user",
                "text": f"I own a stall with {THINGS[n % 10]} number {n} in Busan",
                "person": "alice",
                "name": "Alice Kim",
            }
            for n in range(start, start + count)
        ]
    )
    dash.memory.settle()
    return chat


def opened(page: Page, channel: str = "support-42", more: str = "") -> None:
    page.goto(f"/conversations/channel?channel={channel}{more}")
    expect(page.get_by_role("heading", level=1)).to_have_text(channel)


def section(page: Page, name: str) -> Locator:
    return page.locator("details.section").filter(has=page.locator(".heading", has_text=re.compile(f"^{name}$")))


def count(page: Page, name: str) -> Locator:
    return section(page, name).locator(".count")


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=re.compile(f"^{name}")).click()


def memory(page: Page, words: str) -> Locator:
    return page.locator(".memory", has=page.locator(".text", has_text=words))


def sign_in(page: Page, key: str) -> None:
    page.goto("/login")
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")


def press(row: Locator, name: str) -> None:
    row.get_by_role("button", name=re.compile(f"^{name}: ")).click()


def undo(page: Page) -> None:
    page.get_by_role("button", name="Undo").last.click()


def test_a_memory_lights_its_messages_and_a_message_its_memories(dash_on_each: Dash, page: Page) -> None:
    chat = talk(dash_on_each, count=25)
    page.goto("/conversations")
    row = page.locator("[data-row]", has_text="support-42")
    expect(row).to_contain_text("25 messages")
    expect(row).to_contain_text("2 summaries")
    expect(row).to_contain_text("Alice Kim: I own a stall with the cello number 24")
    expect(row.locator(".people")).to_have_text("Alice Kim")
    expect(row.locator("time")).to_have_text("just now")
    row.get_by_role("link", name="support-42").click()

    expect(page.locator(".message")).to_have_count(25)
    expect(count(page, "Meta summaries")).to_have_text("0")
    expect(count(page, "Summaries")).to_have_text("2")
    expect(count(page, "Facts")).to_have_text(str(len(dash_on_each.memory.facts.list(chat))))
    expect(count(page, "Not in a note yet")).to_have_text("25")

    expect(page.locator(".memory.fact").first).to_be_visible()  # facts come first
    tab(page, "Summaries")
    chunk = page.locator(".memory.chunk").nth(1)
    chunk.locator(".text").click()
    expect(page.locator(".message.lit")).to_have_count(10)
    assert [each.get_attribute("data-seq") for each in page.locator(".message.lit").all()] == [
        str(seq) for seq in range(11, 21)
    ]
    expect(page.locator(".message.lit").first).to_be_in_viewport()
    chunk.locator(".text").click()
    expect(page.locator(".lit")).to_have_count(0)

    # A message leads to the most specific memory of it, in whichever tab that is.
    page.locator("[data-seq='3'] .text").click()
    expect(page.locator(".memory.chunk.lit")).to_have_count(1)
    expect(page.locator(".memory.fact.leaned")).to_have_text(re.compile("number 2"))
    expect(page.locator(".memory.fact.leaned")).to_be_in_viewport()
    expect(page.get_by_role("tab", name=re.compile("^Facts"))).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.locator(".lit")).to_have_count(0)


def test_what_others_do_is_there_within_a_second(dash: Dash, page: Page) -> None:
    chat = talk(dash, count=100)
    opened(page)
    expect(count(page, "Summaries")).to_have_text("10")
    tab(page, "Notes")
    section(page, "Notes").locator("summary").click()
    tab(page, "Summaries")
    chosen = page.locator(".memory.chunk").first
    chosen.locator(".text").click()
    lit = page.locator(".message.lit").count()
    scroller = page.locator("[data-scroller]")
    scroller.evaluate("each => { each.scrollTop = -200; each.firstElementChild.kept = true; }")
    page.locator(".message").nth(30).evaluate("each => { each.kept = true; }")
    place = page.locator(".message").nth(30).evaluate("each => each.getBoundingClientRect().top")
    total = len(dash.memory.facts.list(chat))

    chat.add("user", "And now for something else", person="bob", name="Bob", key="else")
    expect(page.locator(".message", has_text="And now for something else")).to_be_attached()
    chat.edit("else", "And now for lunch")
    expect(page.locator(".message", has_text="And now for lunch")).to_be_attached()
    expect(page.locator(".message", has_text="something else")).to_have_count(0)
    chat.delete(["else"])
    expect(page.locator(".message", has_text="And now for")).to_have_count(0)
    chat.add("user", "And now for something else", person="bob", name="Bob")
    expect(page.locator(".message", has_text="And now for something else")).to_be_attached()
    assert abs(page.locator(".message").nth(30).evaluate("each => each.getBoundingClientRect().top") - place) < 2

    added = dash.memory.facts.add(chat, "Alice is allergic to nuts.", by="carol", person="alice")
    expect(memory(page, "Alice is allergic to nuts.")).to_be_attached()
    expect(count(page, "Facts")).to_have_text(str(total + 1))
    dash.memory.memories.edit(added.id, "Alice is allergic to shellfish.", by="carol")
    expect(memory(page, "Alice is allergic to shellfish.")).to_be_attached()
    dash.memory.memories.delete(added.id, by="carol")
    expect(memory(page, "Alice is allergic")).to_have_count(0)
    expect(count(page, "Facts")).to_have_text(str(total))

    first, second = dash.memory.channels.summaries(chat, level=0)[-2:]
    dash.memory.memories.edit(first.id, "They spoke of lanterns.", by="carol")
    expect(memory(page, "They spoke of lanterns.")).to_contain_text("edited by carol")
    expect(page.locator(".memory.meta .badge", has_text="stale")).to_be_attached()
    dash.memory.memories.delete(second.id, by="carol")
    expect(count(page, "Summaries")).to_have_text("9")
    (meta,) = dash.memory.channels.summaries(chat, level=1)
    dash.memory.memories.edit(meta.id, "All of it was about what Alice likes.", by="carol")
    expect(memory(page, "All of it was about what Alice likes.")).to_be_attached()
    expect(page.locator(".badge", has_text="stale")).to_have_count(0)
    dash.memory.memories.delete(meta.id, by="carol")
    expect(count(page, "Meta summaries")).to_have_text("0")

    # What somebody looks at stays as it was.
    expect(section(page, "Notes")).not_to_have_attribute("open", re.compile(""))
    expect(chosen).to_have_class(re.compile("chosen"))
    expect(page.locator(".message.lit")).to_have_count(lit)
    assert page.locator(".message").nth(30).evaluate("each => each.kept === true")


def test_the_memory_goes_along_with_the_messages(dash: Dash, page: Page) -> None:
    talk(dash, count=60)
    opened(page)
    expect(page.locator(".memory.fact.near .text")).to_have_text(re.compile(r"number 5\d"))
    page.locator("[data-seq='8']").evaluate("each => each.scrollIntoView({ block: 'center' })")
    expect(page.locator(".memory.fact.near .text")).to_have_text(re.compile(r"number ([3-9]|1[0-2])\b"))
    expect(page.locator(".memory.fact.near .text")).to_be_in_viewport()


def test_a_flood_does_not_freeze_the_page(dash: Dash, page: Page) -> None:
    chat = talk(dash)
    opened(page)
    expect(page.locator(".message")).to_have_count(20)
    for start in range(0, 1_000, 10):
        chat.add_many([{"role": "user", "text": f"flood {start + n}", "person": "bob"} for n in range(10)])
    expect(page.locator("[data-seq='1020']")).to_be_in_viewport()
    expect(page.locator(".message")).to_have_count(180)
    page.get_by_role("link", name="Older").click()
    expect(page.locator("[data-seq='840']")).to_be_visible()
    expect(page.locator("[data-seq='840']")).to_be_in_viewport()


def test_sources_on_another_page_are_a_jump_away(dash: Dash, page: Page) -> None:
    chat = talk(dash, count=150)
    first = dash.memory.channels.summaries(chat, level=0)[1]
    opened(page)
    expect(page.locator("[data-seq='150']")).to_be_in_viewport()
    expect(page.locator("[data-seq='91']")).to_be_attached()
    expect(page.locator("[data-seq='90']")).to_have_count(0)
    tab(page, "Summaries")
    section(page, "Summaries").get_by_role("button", name="Show all").click()
    row = page.locator(f"[data-id='{first.id}']")
    row.locator(".text").click()
    expect(row).to_have_class(re.compile("away"))
    row.get_by_role("link", name="messages 11–20").click()
    expect(page).to_have_url(re.compile("seq=11"))
    expect(page.locator(f"[data-id='{first.id}']")).to_have_class(re.compile("chosen"))
    expect(page.locator(".message.lit")).to_have_count(10)
    expect(page.locator("[data-seq='11']")).to_be_in_viewport()
    page.get_by_label("Number of a message").fill("75")
    page.get_by_role("button", name="Go to").click()
    expect(page.locator("[data-seq='75']")).to_have_class(re.compile("chosen"))
    expect(page.locator("[data-seq='75']")).to_be_in_viewport()
    page.get_by_role("link", name="Newest").click()
    expect(page.locator("[data-seq='150']")).to_be_in_viewport()


def test_edited_and_deleted_and_added_and_each_undone(dash_on_each: Dash, page: Page) -> None:
    dash = dash_on_each
    chat = talk(dash)
    fact = dash.memory.facts.list(chat)[0]
    opened(page)
    row = page.locator(f"[data-id='{fact.id}']")
    words = fact.text.removeprefix(f"Alice Kim ({fact.at:%-d %b %Y}): ")  # who and when are below it
    assert words != fact.text
    expect(row.locator(".text")).to_have_text(words)
    expect(row.get_by_role("link", name="Alice Kim")).to_have_attribute("href", re.compile("person=alice$"))
    press(row, "Edit")
    page.get_by_label("Text").fill("Alice likes night trains.")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("Alice likes night trains.")
    expect(row).to_contain_text("edited by api")
    assert dash.memory.memories.get(fact.id).text == "Alice likes night trains."
    undo(page)
    expect(row.locator(".text")).to_have_text(words)
    assert dash.memory.memories.get(fact.id).text == fact.text

    press(row, "History")
    expect(page.locator(".versions")).to_contain_text("Alice likes night trains.")
    page.get_by_role("button", name="Use this text again").first.click()
    expect(row.locator(".text")).to_have_text("Alice likes night trains.")
    undo(page)
    expect(row.locator(".text")).to_have_text(words)

    before = dash.memory.facts.list(chat), dash.memory.channels.summaries(chat)
    press(row, "Delete")
    expect(row).to_have_count(0)
    assert fact.id not in {each.id for each in dash.memory.facts.list(chat)}
    undo(page)
    expect(row.locator(".text")).to_have_text(words)
    tab(page, "Summaries")
    chunk = page.locator(".memory.chunk").first
    press(chunk, "Delete")
    expect(count(page, "Summaries")).to_have_text("1")
    undo(page)
    expect(count(page, "Summaries")).to_have_text("2")
    assert (dash.memory.facts.list(chat), dash.memory.channels.summaries(chat)) == before

    tab(page, "Facts")
    page.get_by_role("button", name="Add a fact").click()
    page.get_by_label("The fact").fill("Alice is allergic to nuts.")
    page.get_by_label("Whom it is about").fill("alice")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(memory(page, "Alice is allergic to nuts.")).to_contain_text("by api")
    assert dash.memory.facts.list(chat)[-1].person == "alice"
    undo(page)
    expect(memory(page, "Alice is allergic to nuts.")).to_have_count(0)
    assert dash.memory.facts.list(chat) == before[0]


def test_nobody_writes_over_somebody_else(dash: Dash, page: Page) -> None:
    chat = talk(dash)
    fact = dash.memory.facts.list(chat)[0]
    opened(page)
    row = page.locator(f"[data-id='{fact.id}']")
    press(row, "Edit")
    dash.memory.memories.edit(fact.id, "Carol was faster.", by="carol")
    expect(row).to_contain_text("Carol was faster.")
    page.get_by_label("Text").fill("I come too late.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".toast.wrong")).to_contain_text("Somebody else changed it meanwhile")
    assert dash.memory.memories.get(fact.id).text == "Carol was faster."

    # Whoever could undo something is told when that is too late.
    press(row, "Edit")
    page.get_by_label("Text").fill("I am in time.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".toast", has_text="Edited.").get_by_role("button", name="Undo")).to_be_visible()
    dash.memory.memories.edit(fact.id, "Carol again.", by="carol")
    expect(page.locator(".toast", has_text="too late to undo")).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)


def test_made_again_and_undone_and_realigned(dash_on_each: Dash, page: Page) -> None:
    dash = dash_on_each
    chat = talk(dash, count=100)
    chunk = dash.memory.channels.summaries(chat, level=0)[-1]
    dash.memory.memories.edit(chunk.id, "They spoke of lanterns.", by="carol")
    dash.memory.memories.realign(chat)
    before = dash.memory.facts.list(chat), dash.memory.channels.summaries(chat)
    opened(page)
    tab(page, "Summaries")
    row = page.locator(f"[data-id='{chunk.id}']")
    press(row, "Make again")
    page.get_by_role("button", name="Replace").click()
    expect(row.locator(".text")).to_have_text(chunk.text)
    expect(page.locator(".memory.meta .badge", has_text="stale")).to_be_attached()
    assert dash.memory.memories.get(chunk.id).text == chunk.text
    undo(page)
    expect(row.locator(".text")).to_have_text("They spoke of lanterns.")
    expect(page.locator(".badge", has_text="stale")).to_have_count(0)
    assert (dash.memory.facts.list(chat), dash.memory.channels.summaries(chat)) == before

    press(row, "Facts again")
    expect(page.locator(".toast", has_text="Made again")).to_be_visible()
    undo(page)
    expect(page.locator(".toast", has_text="As it was").last).to_be_visible()
    assert (dash.memory.facts.list(chat), dash.memory.channels.summaries(chat)) == before

    dash.memory.memories.edit(chunk.id, "They spoke of paper boats.", by="carol")
    expect(page.locator(".memory.meta .badge", has_text="stale")).to_be_visible()
    page.get_by_role("button", name="Realign").click()
    expect(page.locator(".badge", has_text="stale")).to_have_count(0)
    expect(page.get_by_role("button", name="Realign")).to_be_hidden()
    assert not any(each.stale for each in dash.memory.channels.summaries(chat))


EVIL = "<img src=x onerror='window.pwned=1'><script>window.pwned=1</script>{{ window.pwned = 1 }}"


def test_whatever_people_write_is_only_shown(dash: Dash, page: Page) -> None:
    chat = dash.memory.channel(EVIL)
    chat.add("user", EVIL, person=EVIL, name=f"{EVIL}!")
    chat.add("assistant", f"javascript:window.pwned=1 {EVIL}", model=EVIL)
    fact = dash.memory.facts.add(chat, EVIL, by=EVIL, person=EVIL)
    page.goto("/conversations")
    page.get_by_role("link", name=EVIL).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(EVIL)
    expect(page.locator("[data-seq='1'] .text")).to_have_text(EVIL)
    expect(page.locator("[data-seq='1'] .speaker")).to_have_text(re.compile("^img src x onerror"))
    expect(page.locator("[data-seq='2'] .badge", has_text="img")).to_have_text(EVIL)
    row = page.locator(f"[data-id='{fact.id}']")
    expect(row.locator(".text")).to_have_text(EVIL)
    press(row, "Edit")
    page.get_by_label("Text").fill(EVIL + EVIL)
    page.get_by_role("button", name="Save").click()
    expect(row.locator(".text")).to_have_text(EVIL + EVIL)
    press(row, "History")
    expect(page.locator(".versions .text").first).to_have_text(EVIL + EVIL)
    page.get_by_role("button", name="Close").click()
    press(row, "Delete")
    expect(row).to_have_count(0)
    assert page.evaluate("window.pwned") is None


def test_a_read_only_key_has_nothing_to_press_and_forges_nothing(dash: Dash, page: Page) -> None:
    chat = talk(dash, count=100)
    chunk = dash.memory.channels.summaries(chat, level=0)[0]
    dash.memory.memories.edit(chunk.id, "They spoke of lanterns.", by="carol")
    before = dash.memory.facts.list(chat), dash.memory.channels.summaries(chat)
    admin = dash.memory.keys.create(admin=True).key
    reader = dash.memory.keys.create(read_only=True, name="reader").key
    sign_in(page, admin)
    opened(page)
    pressed = page.evaluate(
        """() => {
            const sent = [];
            window.socket.emit = (name, said) => { if (name === "event") sent.push(said); };
            document.querySelectorAll("main.page button").forEach((each) => each.click());
            return sent;
        }"""
    )
    assert len(pressed) > 20
    page.get_by_role("button", name="Sign out").click()

    sign_in(page, reader)
    opened(page)
    tab(page, "Summaries")
    expect(page.locator(".memory.chunk").first).to_be_visible()
    for name in ("Edit", "Delete", "Make again", "Facts again", "Realign", "Add a fact"):
        expect(page.get_by_role("button", name=re.compile(f"^{name}"))).to_have_count(0)
    page.evaluate(
        """(pressed) => {
            for (const said of pressed) window.socket.emit("event", { ...said, client_id: window.clientId });
        }""",
        pressed,
    )
    press(page.locator(".memory.chunk").first, "History")  # comes after the forged ones, and is answered
    expect(page.locator(".versions")).to_be_visible()
    expect(page.get_by_role("button", name="Use this text again")).to_have_count(0)
    assert (dash.memory.facts.list(chat), dash.memory.channels.summaries(chat)) == before


def test_a_key_that_ends_takes_its_buttons_along(dash: Dash, page: Page) -> None:
    chat = talk(dash)
    made = dash.memory.keys.create(admin=True)
    sign_in(page, made.key)
    opened(page)
    before = dash.memory.facts.list(chat)
    dash.memory.keys.create(admin=True)
    dash.memory.keys.revoke(made.id, admin=True)
    page.wait_for_timeout(1_200)  # as long as an answer about a key is remembered
    press(page.locator(".memory.fact").first, "Delete")
    expect(page).to_have_url(re.compile("/login"))
    assert dash.memory.facts.list(chat) == before


def test_on_a_phone_one_side_at_a_time(dash: Dash, page: Page) -> None:
    talk(dash, count=30)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/conversations")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    opened(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator("[data-seq='30']")).to_be_in_viewport()
    expect(page.locator(".memory.chunk").first).to_be_hidden()
    page.get_by_role("button", name="Memory").click()
    tab(page, "Summaries")
    chunk = page.locator(".memory.chunk").first
    chunk.locator(".text").click()
    expect(page.locator("[data-pane-switch=thread]")).to_have_attribute("data-lit", "10")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    chunk.get_by_role("link", name="messages 1–10").click()
    expect(page.locator("[data-seq='1']")).to_be_in_viewport()
    expect(page.locator(".message.lit")).to_have_count(10)


def test_an_empty_space_says_what_to_do(dash: Dash, page: Page) -> None:
    page.goto("/conversations")
    expect(page.locator(".command")).to_contain_text("erstwhile add")
    dash.memory.channel("hello").add("user", "I moved to Busan last week", person="alice")
    expect(page.get_by_role("link", name="hello")).to_be_visible()
    expect(page.locator(".command")).to_have_count(0)
    for n in range(60):
        dash.memory.channel(f"room {n:02}").add("user", "hello", at=f"2026-01-01T00:{n:02}:00Z")
    page.goto("/conversations?order=name")
    expect(page.locator("[data-row]")).to_have_count(50)
    page.get_by_role("link", name="Next").click()
    expect(page.locator("[data-row]")).to_have_count(11)
    box = page.get_by_role("searchbox", name="Filter conversations")
    box.press_sequentially("ROOM 5")  # nothing has to be pressed
    expect(page.locator("[data-row]")).to_have_count(10)
    box.fill("alice")  # somebody who is in it
    expect(page.locator("[data-row]")).to_have_count(1)
    box.fill("nothing is called so")
    expect(page.locator(".empty")).to_contain_text("No conversation")


def test_a_page_without_a_channel_says_where_to_come_from(dash: Dash, page: Page) -> None:
    page.goto("/conversations/channel")
    expect(page.get_by_role("alert")).to_contain_text("channel")
    dash.memory.channel("nowhere-near").add("user", "hello")
    page.goto("/conversations/channel?channel=nowhere-neer&seq=7")
    expect(page.locator("main.page")).to_contain_text("There is no conversation “nowhere-neer”")
    expect(page.locator("main.page").get_by_role("link", name="nowhere-near")).to_be_visible()
    dash.memory.channel("nowhere-neer").add("user", "I am here now")
    expect(page.locator("main.page")).to_contain_text("I am here now")
    page.goto("/?space=nowhere")
    expect(page.get_by_role("alert")).to_contain_text("There is no space “nowhere” yet.")
    page.get_by_role("link", name="To the overview").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    dash.seen.clear()  # the browser names the 404


@pytest.mark.parametrize("given", ["seq=-1", "first=x", "last=99999999999999999999"])
def test_a_wrong_number_in_the_address_is_told(dash: Dash, page: Page, given: str) -> None:
    page.goto(f"/conversations/channel?channel=a&{given}")
    expect(page.get_by_role("alert")).to_contain_text("must be a number")
