"""The dashboard in a real browser. Tests here are blocking: Playwright's loop and a test's own can't share a thread.

`dash` is a server in a process of its own, on SQLite; `dash_on_each` on both databases. Its `memory` writes from this process, beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dashing import Contexts, Dash
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

import erstwhile
from support.chromium import OPTIONS, executable
from support.serving import Nursery, Served

expect.set_options(timeout=60_000)  # what is waited for may take long on a busy machine


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    with Nursery() as opened:
        yield opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable(), args=OPTIONS)
        yield opened
        opened.close()


def _served(database: str, nursery: Nursery) -> Iterator[Dash]:
    with (
        erstwhile.open_sync(database, worker=False) as memory,
        Served(database, "--no-worker", "--log-level", "warning", nursery=nursery) as server,
    ):
        opened = Dash(f"http://127.0.0.1:{server.port}", database, memory)
        yield opened
        assert not opened.seen, opened.seen


@pytest.fixture
def dash(tmp_path: Path, nursery: Nursery) -> Iterator[Dash]:
    yield from _served(str(tmp_path / "test.db"), nursery)


@pytest.fixture
def dash_on_each(database_url: str, nursery: Nursery) -> Iterator[Dash]:
    yield from _served(database_url, nursery)


def served(request: pytest.FixtureRequest) -> Dash:
    """The dashboard that the test asked for."""
    found: Dash = request.getfixturevalue("dash_on_each" if "dash_on_each" in request.fixturenames else "dash")
    return found


@pytest.fixture
def context_of(browser: Browser) -> Iterator[Contexts]:
    """Fresh profiles, in which addresses are those of a server."""
    opened: list[BrowserContext] = []

    def fresh(url: str) -> BrowserContext:
        made = browser.new_context(
            base_url=url, viewport={"width": 1280, "height": 900}, locale="en-GB", timezone_id="UTC"
        )
        made.set_default_timeout(60_000)
        opened.append(made)
        return made

    yield fresh
    for each in opened:
        each.close()


@pytest.fixture
def context(context_of: Contexts, request: pytest.FixtureRequest) -> BrowserContext:
    return context_of(served(request).url)


@pytest.fixture
def page(context: BrowserContext, request: pytest.FixtureRequest) -> Page:
    return served(request).watch(context.new_page())
