"""The dashboard in a real browser. Tests here are blocking: Playwright's loop and a test's own can't share a thread.

`dash` is a server in a process of its own, on SQLite; `dash_on_each` in `make soak` also on Postgres, on which every page is opened once
anyway. Its `memory` writes from this process, beside it.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from dashing import Contexts, Dash
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

import databases
import erstwhile
from support.chromium import OPTIONS, executable
from support.serving import Served

expect.set_options(timeout=60_000)  # what is waited for may take long on a busy machine


class OpenBrowser:
    """Chromium, and in it the profile whose empty page keeps the process that has compiled the scripts.

    Both stay for all tests of this folder that come one after the other. They are closed before any other test: while
    Playwright runs, no loop of a test's own can.
    """

    now: OpenBrowser | None = None

    def __init__(self) -> None:
        self._playwright = sync_playwright().start()
        self.browser = self._playwright.chromium.launch(executable_path=executable(), args=OPTIONS)
        self._profile: BrowserContext | None = None

    @classmethod
    def get(cls) -> OpenBrowser:
        cls.now = cls.now or cls()
        return cls.now

    def profile(self, url: str) -> BrowserContext:
        if self._profile is None:
            self._profile = _profile(self.browser, url)
            self._profile.new_page()
        return self._profile

    def close(self) -> None:
        OpenBrowser.now = None
        self.browser.close()
        self._playwright.stop()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    if OpenBrowser.now and (nextitem is None or nextitem.path.parent != Path(__file__).parent):
        OpenBrowser.now.close()


@pytest.fixture(scope="module")
def browser() -> Browser:
    return OpenBrowser.get().browser


@pytest.fixture(scope="session")
def port() -> int:
    """Where the servers of this process are, one after the other: to the browser they are one, whose scripts it has."""
    for number in range(20_000, 32_000):  # below those that clients are given
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", number + (os.getpid() * 37) % 700))
            return int(probe.getsockname()[1])
    raise RuntimeError("there is no free port")


def _served(database: str, port: int) -> Iterator[Dash]:
    with (
        erstwhile.open_sync(database, worker=False) as memory,
        Served(database, "--no-worker", "--log-level", "warning", port=port) as server,
    ):
        opened = Dash(f"http://127.0.0.1:{server.port}", database, memory)
        yield opened
        assert not opened.seen, opened.seen


@pytest.fixture
def dash(tmp_path: Path, sqlite_template: Path, port: int) -> Iterator[Dash]:
    yield from _served(str(shutil.copy(sqlite_template, tmp_path / "test.db")), port)


@pytest.fixture(params=["sqlite", "postgres"] if os.environ.get("ERSTWHILE_SOAK") else ["sqlite"])
def dash_on_each(request: pytest.FixtureRequest, port: int) -> Iterator[Dash]:
    for database in databases.empty(request.param, request):
        yield from _served(database, port)


def served(request: pytest.FixtureRequest) -> Dash:
    """The dashboard that the test asked for."""
    found: Dash = request.getfixturevalue("dash_on_each" if "dash_on_each" in request.fixturenames else "dash")
    return found


def _profile(browser: Browser, url: str) -> BrowserContext:
    made = browser.new_context(base_url=url, viewport={"width": 1280, "height": 900}, locale="en-GB", timezone_id="UTC")
    made.set_default_timeout(60_000)
    return made


@pytest.fixture
def context_of(browser: Browser) -> Iterator[Contexts]:
    """Fresh profiles, in which addresses are those of a server."""
    opened: list[BrowserContext] = []

    def fresh(url: str) -> BrowserContext:
        opened.append(_profile(browser, url))
        return opened[-1]

    yield fresh
    for each in opened:
        each.close()


@pytest.fixture(scope="module")
def profile(port: int) -> BrowserContext:
    """The profile of most tests."""
    return OpenBrowser.get().profile(f"http://127.0.0.1:{port}")


@pytest.fixture
def context(profile: BrowserContext, port: int, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """The profile, as if it were fresh but for the scripts that it has."""
    assert served(request).url == f"http://127.0.0.1:{port}"
    yield profile
    empty, *others = profile.pages
    for each in others:
        each.close()
    profile.clear_cookies()
    storage = {"origin": f"http://127.0.0.1:{port}", "storageTypes": "local_storage,indexeddb,cache_storage"}
    session = profile.new_cdp_session(empty)
    session.send("Storage.clearDataForOrigin", storage)
    session.detach()


@pytest.fixture
def page(context: BrowserContext, request: pytest.FixtureRequest) -> Page:
    return served(request).watch(context.new_page())
