"""Wherever a conversation is named, it is by its title: nobody knows it by an id as of an import."""

from __future__ import annotations

import pytest
from dashing import Dash
from playwright.sync_api import Page, expect

CHANNEL, TITLE = "chatgpt:8f14e45f-ceea-467f-9575", "Plan a trip to Porto"
PAGES = {
    "people/person?person=ann": "Latest messages",
    "search?q=Porto": "best first",
    f"search?q=Porto&channel={CHANNEL}": "best first",
    "notes": "1 note on 1 day",
    f"recall?channel={CHANNEL}&query=Porto": "Every candidate",
    "recall?channel=yard&query=Porto": "Withheld",
    "recall": "Past requests",
    "settings?part=privacy&channels=all": "Who can read what",
    "settings?part=prompts": "Try on this summary",
}


@pytest.mark.parametrize("address", PAGES)
def test_a_conversation_is_named_by_its_title(dash: Dash, page: Page, address: str) -> None:
    chat = dash.memory.channel(CHANNEL)
    imported = {"title": TITLE, "source": "import:talk.zip"}
    chat.add("user", "Plan three days in Porto for me. I live in Valencia.", person="ann", meta=imported)
    chat.add("user", "We go from 8 to 11 May. My father Tom lives in Porto.", person="ann", at="2026-04-01T09:00:00Z")
    dash.memory.channel("yard").add("user", "hello", person="bob")
    request = chat.context("Porto", person="ann").request
    dash.memory.settle()
    dash.memory.requests.explain(request)  # it is on record
    page.goto(f"/{address}")
    content = page.locator("#content")
    expect(content).to_contain_text(PAGES[address])
    expect(content).to_contain_text(TITLE)
    assert CHANNEL not in content.inner_text()
