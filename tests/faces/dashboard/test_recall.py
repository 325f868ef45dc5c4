"""The Recall lab: the question, what the model is told, what was left out and why."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing

import httpx2
from dashing import Dash
from playwright.sync_api import Page, expect

import erstwhile
from erstwhile.testing import ModelServer

QUESTION = "Which day is the boiler man away?"
ALERT = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>{{7*7}}'
HIT = "window.hit"


def talked(dash: Dash) -> None:
    """A long talk about lanterns, and one message that matters."""
    chat = dash.memory.channel("kitchen")
    lines = [
        {"role": "user", "person": "mina", "name": "Mina", "text": f"The boiler and lantern {n}"} for n in range(40)
    ]
    lines[7]["text"] = "Found a man for the boiler!\n  He is closed Wednesdays, he goes fishing  \tand so on"
    chat.add_many(lines)
    dash.memory.channel("studio").add("user", "The kiln is purple", person="wei", name="Wei")
    dash.memory.settle()


def url(**values: str) -> str:
    return str(httpx2.URL("/recall", params=values))


def test_the_lab_shows_exactly_what_an_app_gets(dash_on_each: Dash, page: Page) -> None:
    dash = dash_on_each
    talked(dash)
    page.goto("/recall")
    expect(page.get_by_text("Nothing was asked yet")).to_be_visible()
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.get_by_label("Conversation").first.fill("kitchen")
    page.get_by_label("Who asks").fill("mina")
    page.get_by_label("Recipe").select_option("full")
    page.get_by_label("Budget in tokens").fill("300")
    page.get_by_role("button", name="Ask", exact=True).click()

    expect(page.get_by_role("heading", name="The context, as the model gets it")).to_be_visible()
    wanted = {"query": QUESTION, "person": "mina", "recipe": "full", "budget": 300}
    api = httpx2.get(f"{dash.url}/v1/spaces/default/channels/kitchen/context", params=wanted).json()
    made = dash.memory.channel("kitchen").context(QUESTION, person="mina", recipe="full", budget=300)
    assert page.locator("[data-verbatim]").text_content() == api["text"] == made.text
    expect(page.locator("[data-message]").first).to_be_hidden()
    page.get_by_role("button", name="As messages").click()
    expect(page.locator("[data-message]").first).to_be_visible()
    expect(page.locator("[data-verbatim]")).to_be_hidden()
    assert page.locator("[data-message]").all_text_contents() == [each["content"] for each in api["messages"]]
    copied = page.get_by_role("button", name="Copy messages").get_attribute("data-copy")
    assert json.loads(copied or "") == api["messages"]

    bar = page.locator(".lab-bar").get_attribute("aria-label") or ""
    for part in made.parts:
        assert f" {part.tokens:,} tokens" in bar
    assert "related messages" in bar  # in the words of the docs
    page.locator("summary", has_text="Source of each line").click()
    page.locator("summary", has_text="related messages").click()
    link = page.locator("details[open] .lab-place").first
    assert re.search(r"/conversations/channel\?channel=kitchen&seq=\d+", link.get_attribute("href") or "")

    (request,) = dash.memory.requests.list(only="trial", op="context")  # and the report knows nothing of it
    assert dash.memory.requests.report().by_op["context"] == 2
    why = dash.memory.requests.explain(request.id)
    rows = page.locator(".candidate[data-row]")
    expect(rows).to_have_count(len(why.seen))
    kept = sum(each.candidate.fate in ("kept", "shown already") for each in why.seen)
    page.get_by_label("Kept or left out").select_option("kept")
    expect(page.get_by_text(f"{kept} shown")).to_be_visible()
    page.get_by_label("Kept or left out").select_option("")
    page.get_by_label("Only candidates that contain").fill("closed wed")
    found = page.locator(".candidate[data-row]:visible").first
    expect(found.locator(".text")).to_be_hidden()
    found.locator("summary").click()  # a row opens to all that is known of it
    expect(found.locator(".text")).to_contain_text("closed Wednesdays")
    expect(found.locator(".lab-parts")).to_contain_text("It has words of the question")
    expect(found.locator(".stacked")).to_have_attribute("aria-label", re.compile(r"words \d"))
    page.get_by_label("Only candidates that contain").fill("")
    page.get_by_label("Order", exact=True).select_option("words")
    words = [float(each) for each in rows.evaluate_all("rows => rows.map(row => row.dataset.words)")]
    assert words == sorted(words, reverse=True)


def test_what_privacy_withheld_is_named_with_its_reason(dash: Dash, page: Page) -> None:
    talked(dash)
    secret = dash.memory.channel("mina-and-bot")
    secret.add("user", "The boiler man is away on Fridays too, keep it quiet", person="mina", name="Mina")
    dash.memory.channels.set_privacy(secret, "private", people=["mina"])
    dash.memory.settle()
    page.goto(url(channel="kitchen", query=QUESTION, person="wei"))
    expect(page.locator("[data-verbatim]")).not_to_contain_text("Fridays")
    row = page.locator("[data-withheld] .candidate", has_text="Fridays").first
    expect(row).to_contain_text("private")
    row.locator("summary").click()
    expect(row).to_contain_text("It was said in private: only Mina may see it.")
    assert page.evaluate("document.documentElement.scrollHeight") < 2_500


def test_what_was_forgotten_is_explained_and_marked(dash: Dash, page: Page) -> None:
    talked(dash)
    chat = dash.memory.channel("kitchen")
    asked = chat.context("lantern", budget=150).request
    chat.context("something else", budget=150)
    assert len(list(dash.memory.requests.list())) == 2  # listing writes what waits to be recorded
    page.goto("/recall")
    page.get_by_label("Question holds").fill("LANTERN")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".lab-past tbody tr")).to_have_count(1)
    page.get_by_role("link", name="lantern").click()
    expect(page).to_have_url(re.compile(f"request={asked}"))

    page.locator("summary", has_text="Why is something missing?").click()

    def look(words: str) -> None:
        page.get_by_label("What you expected").fill(words)
        page.get_by_role("button", name="Look").click()

    look("the kiln is purple")
    expect(page.get_by_role("status").get_by_text("It is in another conversation")).to_be_visible()
    expect(
        page.get_by_text("Said in another conversation. Only the conversation of the question was searched.")
    ).to_be_visible()
    look("a giraffe on the moon")
    expect(page.get_by_text("No message or memory in this space says that.")).to_be_visible()
    look("lantern 39")
    expect(page.locator(".lab-verdict")).not_to_have_text("No message or memory in this space says that.")

    page.get_by_role("button", name="Something was missed").click()
    page.get_by_label("Text").fill("He is closed on Wednesdays")
    page.get_by_role("button", name="Send feedback").click()
    expect(page.get_by_text("He is closed on Wednesdays")).to_be_visible()
    assert dash.memory.requests.explain(asked).request.feedback == "He is closed on Wednesdays"
    page.goto(url(only="feedback"))
    expect(page.locator(".lab-past tbody tr")).to_have_count(1)
    page.get_by_role("link", name="lantern").click()
    page.get_by_role("link", name="Run again").click()
    expect(page.get_by_role("textbox", name="Question", exact=True)).to_have_value("lantern")
    expect(page.get_by_label("Budget in tokens")).to_have_value("150")
    expect(page.get_by_role("heading", name="The context, as the model gets it")).to_be_visible()


def test_a_past_request_shows_what_it_was_answered_with(dash: Dash, page: Page) -> None:
    talked(dash)
    with (
        ModelServer("He is closed on <b>Wednesdays</b>.") as model,
        erstwhile.open_sync(
            dash.database, worker=False, model="openai-compatible:m", base_url=model.base_url, api_key="test-key"
        ) as memory,
    ):
        assert "".join(memory.channel("kitchen").ask(QUESTION, person="mina"))
    page.goto(url(op="ask"))
    page.get_by_role("link", name=QUESTION).click()
    card = page.locator(".card", has=page.get_by_role("heading", name="Reply"))
    expect(card).to_contain_text("He is closed on <b>Wednesdays</b>.")
    expect(card.get_by_role("link", name="kitchen #42")).to_be_visible()


BOTH, PARTS = (
    "Where do the two of them work?",
    ("Who starts at the <b>library</b>?", "Who was taken on by the bakery?"),
)
CONTRAST = """element => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const ground = (at) => {
    const [r, g, b, a = 1] = parse(getComputedStyle(at).backgroundColor);
    return a ? [r, g, b] : ground(at.parentElement);
  };
  const light = (rgb) => rgb.map(each => each / 255).map(each => each <= .04045 ? each / 12.92 : ((each + .055) / 1.055) ** 2.4)
    .reduce((sum, each, n) => sum + each * [.2126, .7152, .0722][n], 0);
  const [one, other] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
  return (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
}"""


def test_each_line_says_which_sub_question_found_it(dash: Dash, page: Page) -> None:
    talked(dash)
    chat = dash.memory.channel("kitchen")
    chat.add("user", "I start at the harbour library on Monday, in the map room.", person="mina", name="Mina")
    chat.add("user", "The bakery finally took me on, night shifts and all.", person="wei", name="Wei")
    chat.add_many([{"role": "user", "person": "mina", "text": f"Rain again, day {n}"} for n in range(30)])
    dash.memory.settle()
    with ModelServer(json.dumps({"questions": PARTS})) as model:
        dash.memory.spaces.configure(model="openai-compatible:scripted", base_url=model.base_url)
        page.goto("/recall")
        page.get_by_label("Question", exact=True).fill(BOTH)
        page.get_by_label("Conversation").first.fill("kitchen")
        page.get_by_label("Who asks").fill("mina")
        page.get_by_label("Split the question").select_option("By a model")
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator(".lab-way")).to_contain_text(f"“{PARTS[0]}” “{PARTS[1]}”")
    library, bakery = (
        page.locator(".candidate[data-row]", has_text=each).first for each in ("harbour", "night shifts")
    )
    for row, question in zip((library, bakery), PARTS, strict=True):
        expect(row.locator(".hop")).to_have_text(f"found for “{question}”")
    library.locator("summary").click()
    expect(library.get_by_text(f"Found for the sub-question “{PARTS[0]}”.")).to_be_visible()
    assert bakery.locator(".hop").evaluate(CONTRAST) >= 4.5
    page.get_by_role("button", name="Light or dark").click()
    page.wait_for_selector("html[data-theme=dark]", state="attached")
    assert bakery.locator(".hop").evaluate(CONTRAST) >= 4.5
    page.locator("summary", has_text="Source of each line").click()
    page.locator("summary", has_text="related messages").click()
    line = page.locator("details[open] .list li", has_text="night shifts").first
    expect(line).to_contain_text(f"found for “{PARTS[1]}”")
    page.locator("summary", has_text="The same as code").click()
    expect(page.locator("[data-code=Python]")).to_contain_text("decompose=True")

    page.get_by_role("link", name="As a past request").click()
    expect(page.locator(".lab-way")).to_contain_text(f"“{PARTS[0]}” “{PARTS[1]}”")
    expect(bakery.locator(".hop")).to_have_text(f"found for “{PARTS[1]}”")
    page.get_by_role("link", name="Run again").click()  # where no model answers now
    expect(page.get_by_label("Split the question")).to_have_value("1")
    expect(page.locator(".lab-way")).to_contain_text("Nothing: it needs a model")
    expect(page.locator(".hop")).to_have_count(0)


def test_past_requests_come_in_pages(dash: Dash, page: Page) -> None:
    chat = dash.memory.channel("kitchen")
    chat.add("user", "hello")
    for number in range(30):
        chat.context(f"question {number}")
    assert len(list(dash.memory.requests.list(limit=50))) == 30  # listing writes what waits to be recorded
    page.goto("/recall")
    expect(page.locator(".lab-past tbody tr")).to_have_count(25)
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".lab-past tbody tr")).to_have_count(5)
    expect(page.get_by_role("link", name="question 0")).to_be_visible()
    page.get_by_role("link", name="Newest").click()
    expect(page.get_by_role("link", name="question 29")).to_be_visible()


def test_a_reading_key_asks_and_marks_nothing(dash: Dash, page: Page) -> None:
    talked(dash)
    page.goto("/login")
    admin, key = (
        dash.memory.keys.create(**more).key for more in ({"admin": True}, {"space": "default", "read_only": True})
    )

    def sign_in(key: str) -> None:
        page.goto("/login")
        page.get_by_label("Key").fill(key)
        page.get_by_role("button", name="Sign in").click()

    lab = url(channel="kitchen", query=QUESTION, budget="200", expected="Wednesdays")
    sign_in(admin)
    page.goto(lab)
    expect(page.get_by_role("heading", name="Every candidate")).to_be_visible()
    expect(page.locator(".candidate .score")).not_to_have_count(0)
    seen_by_admin = page.locator(".candidate .gist").all_inner_texts()
    sign_in(key)
    page.goto(lab)
    expect(page.get_by_role("heading", name="Every candidate")).to_be_visible()
    expect(page.locator(".candidate .score")).to_have_count(0)  # ranks alone
    assert page.locator(".candidate .gist").all_inner_texts() == seen_by_admin
    expect(page.get_by_role("button", name="Something was missed")).to_have_count(0)
    page.locator("summary", has_text="The same as code").click()
    for name in ("Python", "cURL"):
        code = page.get_by_role("button", name=f"Copy as {name}").get_attribute("data-copy") or ""
        assert "ERSTWHILE_KEY" in code
        assert key not in code


def test_whatever_people_wrote_stays_text_also_on_a_phone(dash: Dash, page: Page) -> None:
    chat = dash.memory.channel(ALERT)
    chat.add_many([{"role": "user", "person": ALERT, "name": ALERT, "text": f"{ALERT} boiler {n}"} for n in range(12)])
    dash.memory.settle()
    asked = chat.context(f"boiler {ALERT}", person=ALERT).request
    dash.memory.requests.feedback(asked, ALERT)
    page.set_viewport_size({"width": 390, "height": 844})
    for address in (
        "/recall",
        url(channel=ALERT, query=f"boiler {ALERT}", person=ALERT, expected=ALERT),
        url(request=asked, expected=ALERT),
    ):
        page.goto(address)
        expect(page.get_by_text("<img src=x").first).to_be_visible()
        assert page.evaluate(HIT) is None
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for address in (url(request="req_" + ALERT), url(channel="x", budget=ALERT), url(channel="x", recipe=ALERT)):
        page.goto(address)
        expect(page.get_by_role("alert")).to_be_visible()
        assert page.evaluate(HIT) is None


def test_an_answer_that_takes_long_comes_after_the_page(dash: Dash, page: Page) -> None:
    talked(dash)
    with closing(sqlite3.connect(dash.database)) as other:
        other.execute("BEGIN IMMEDIATE")  # the record of the request has to wait
        page.goto(url(channel="kitchen", query=QUESTION))
        expect(page.get_by_role("progressbar")).to_be_visible()
        other.rollback()
    expect(page.get_by_role("heading", name="Every candidate")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)
