"""Whoever knows how a page talks to its server, and says something else."""

from __future__ import annotations

import logging
import re
from typing import Any

import httpx2
import pytest
from dashing import Contexts, Dash
from playwright.sync_api import BrowserContext, Page, expect
from wire import Wire, signed_in

from erstwhile.dashboard import shell

_PRESSED = """name => {
  const found = [...document.querySelectorAll('button')].find(each => (each.ariaLabel || each.innerText).startsWith(name))
  const id = Number(found.id.slice(1))
  return {client_id: window.clientId, id, listener_id: mounted_app.elements[id].events[0].listener_id, args: []}
}"""


def _shown(context: BrowserContext, key: str, address: str) -> Page:
    page = context.new_page()
    page.goto("/login")
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


def _shares(dash: Dash) -> bool:
    return next(each.shares for each in dash.memory.people.list() if each.person == "alice")


def test_a_socket_speaks_for_no_page_but_its_own(dash: Dash, context: BrowserContext) -> None:
    """Even whoever has learned the id of someone else's page, and of a button on it, presses nothing there."""
    dash.memory.channel("talk").add("user", "Hello", person="alice")
    admin, reader = dash.memory.keys.create(admin=True).key, dash.memory.keys.create(read_only=True).key
    page = _shown(context, admin, "/people/person?person=alice")
    pressing = page.evaluate(_PRESSED, "Share")
    with signed_in(dash.url, reader) as thief:
        _attack(thief, pressing)
    with signed_in(dash.url, admin) as other:  # another session of the same key is another pair of eyes
        Wire(other).emit("event", pressing)
    page.wait_for_timeout(500)
    assert not _shares(dash)
    page.evaluate("message => window.socket.emit('event', message)", pressing)
    expect(page.get_by_text("Their private channels are shared")).to_be_visible()
    assert _shares(dash)


def _attack(thief: httpx2.Client, pressing: dict[str, Any]) -> None:
    wire = Wire(thief)
    wire.emit("event", pressing)
    wire.emit("handshake", {"client_id": pressing["client_id"], "tab_id": "x", "document_id": "x"})
    wire.emit("event", pressing)
    refused = Wire(thief, client_id=pressing["client_id"], implicit_handshake="true", tab_id="x", document_id="x")
    assert refused.said.startswith("44")
    for nonsense in (None, [], "x", {}, {"client_id": 3}, {**pressing, "id": "x"}, {**pressing, "args": [{}]}):
        for name in ("event", "handshake", "javascript_response", "ack", "log"):
            wire.emit(name, nonsense)


def test_a_page_whose_key_was_revoked_does_nothing_more(dash: Dash, context: BrowserContext) -> None:
    dash.memory.channel("talk").add("user", "Hello", person="alice")
    dash.memory.keys.create(admin=True)
    made = dash.memory.keys.create(space="default")
    page = _shown(context, made.key, "/people/person?person=alice")
    dash.memory.keys.revoke(made.id, space="default")
    page.wait_for_timeout(1500)
    page.get_by_role("button", name=re.compile("Erase")).click()
    expect(page).to_have_url(re.compile("/login"))


def test_a_page_that_stays_open_is_left_when_its_session_is_over(dash: Dash, context: BrowserContext) -> None:
    """What is said from now on is not shown to whoever signed out, or lost the key, elsewhere."""
    chat = dash.memory.channel("talk")
    chat.add("user", "Hello", person="alice")
    page = _shown(context, dash.memory.keys.create(admin=True).key, "/conversations/channel?channel=talk")
    expect(page.get_by_text("Hello")).to_be_visible()
    other = context.new_page()
    other.goto("/")
    other.get_by_role("button", name="Sign out").click()
    expect(other).to_have_url(re.compile("/login"))
    chat.add("user", "A secret", person="alice")
    expect(page).to_have_url(re.compile("/login"))


def test_a_page_of_another_origin_opens_no_socket(dash: Dash) -> None:
    for headers in ({"Origin": "http://localhost:3000"}, {"Origin": "null"}, {"Sec-Fetch-Site": "same-site"}):
        answer = httpx2.get(f"{dash.url}/_nicegui_ws/socket.io/?EIO=4&transport=polling", headers=headers)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


def test_what_is_not_there_costs_no_page(dash: Dash) -> None:
    for path in ("/_nicegui/x", "/_nicegui/%2e%2e/%2e%2e/etc/passwd", "/downloads/x", "/downloads/..%2fx"):
        answer = httpx2.get(dash.url + path)
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_a_space_is_not_told_where_the_server_keeps_its_files(dash: Dash, context_of: Contexts) -> None:
    dash.memory.keys.create(admin=True)
    page = _shown(context_of(dash.url), dash.memory.keys.create(space="new").key, "/")
    expect(page.get_by_text("erstwhile import")).to_be_visible()
    assert dash.database not in page.content()


def test_the_log_tells_where_something_failed_and_not_what_was_said(caplog: pytest.LogCaptureFixture) -> None:
    shell.take_over()
    with caplog.at_level(logging.DEBUG):
        try:
            raise KeyError("what alice said")
        except KeyError as error:
            logging.getLogger("nicegui").exception(error)
            logging.getLogger("nicegui").error(error)
    assert "alice" not in caplog.text
    assert "KeyError" in caplog.text
    assert "test_attacks.py" in caplog.text


def test_long_messages_do_not_make_a_long_page(dash: Dash, page: Page) -> None:
    chat = dash.memory.channel("talk")
    for number in range(20):
        chat.add("user", f"begin{number} " + "word " * 40_000 + "the end", person="alice")
    answer = page.goto("/people/person?person=alice")
    assert answer is not None
    assert len(answer.body()) < 500_000
    page.get_by_role("button", name="Show all").first.click()
    expect(page.get_by_text(re.compile("the end$"))).to_have_count(1)


def test_pages_that_are_fetched_and_dropped_do_not_pile_up(dash: Dash, context: BrowserContext) -> None:
    """Whoever has a page open keeps it, whatever else is fetched with the same session."""
    dash.memory.channel("talk").add("user", "Hello", person="alice")
    key = dash.memory.keys.create(admin=True).key
    page = _shown(context, key, "/conversations/channel?channel=talk")
    cookies = {each["name"]: each["value"] for each in context.cookies()}
    with httpx2.Client(base_url=dash.url, cookies=cookies, timeout=120) as client:
        first = _named(client.get("/people").text)
        for _ in range(30):
            assert client.get("/people").status_code == 200
        last = _named(client.get("/people").text)
        hello = {"implicit_handshake": "true", "tab_id": "x", "document_id": "x", "next_message_id": "0"}
        assert Wire(client, client_id=first, **hello).said.startswith("44")
        assert Wire(client, client_id=last, **hello).said.startswith("40")
    dash.memory.channel("talk").add("user", "Still here?", person="alice")
    expect(page.get_by_text("Still here?")).to_be_visible()


def _named(page: str) -> str:
    found = re.search(r"'client_id': '([^']+)'", page)
    assert found is not None
    return found[1]
