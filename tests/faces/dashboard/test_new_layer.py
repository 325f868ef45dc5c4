"""A layer that the dashboard knows nothing of shows up in it."""

from __future__ import annotations

import re
import time
from pathlib import Path

from dashing import Contexts
from playwright.sync_api import expect

from support.serving import Served

LAYERS = Path(__file__).parents[2] / "layers"
PROGRAM = f"""
import sys
sys.path.insert(0, {str(LAYERS)!r})
from open_questions import OpenQuestions
from erstwhile import layers
from erstwhile.cli import main
layers.register(OpenQuestions)
main()
"""


class Extended(Served):
    """A server with one more layer."""

    program = ("-c", PROGRAM)


def test_a_new_layer_is_found_and_named(database_url: str, context_of: Contexts) -> None:
    with Extended(database_url, "--log-level", "warning") as server:
        url = f"http://127.0.0.1:{server.port}"
        page = context_of(url).new_page()
        said = {"role": "user", "person": "mina", "text": "Who has the tickets?"}
        page.request.post(f"{url}/v1/spaces/default/channels/trip/messages", data=said)
        listed = f"{url}/v1/spaces/default/memories?kinds=question"
        until = time.monotonic() + 60
        while not page.request.get(listed).json()["memories"] and time.monotonic() < until:
            time.sleep(0.05)
        page.goto("/search?q=tickets")
        expect(page.locator(".facet", has_text="Kind").get_by_role("link", name="open question")).to_be_visible()
        page.locator(".facet", has_text="Kind").get_by_role("link", name="open question").click()
        expect(page.locator(".result")).to_have_count(1)
        expect(page.locator(".result .snippet")).to_have_text("mina asked: Who has the tickets?")
        page.locator(".result a").first.click()
        expect(page).to_have_url(re.compile("/conversations/trip|/channels/trip|trip"))
