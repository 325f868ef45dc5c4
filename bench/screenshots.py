"""Pictures of the dashboard: `python -m bench.screenshots [--to docs/screenshots] [--database FILE] [--all]`.

Of every page that the documentation shows; with `--all` of every page, light and dark, on a desk and on a phone, full and empty. Without a
database, one is made (bench.world, small). Prints how long each page took to be there, and what is wider than its screen.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from bench import world
from support.chromium import OPTIONS, executable
from support.serving import Served

DESK, PHONE = (1280, 900), (390, 844)
PAGES = {
    "overview": "/",
    "conversations": "/conversations",
    "channel": "/conversations/channel?channel=kitchen-table&seq=35",
    "people": "/people",
    "person": "/people/person?person=p00",
    "recall": "/recall?channel=kitchen-table&query=Where+does+Robin+live%3F",
    "search": "/search?q=jazz",
    "notes": "/notes",
    "report": "/report?days=30",
    "review": "/review",
    "settings": "/settings",
    "import": "/import",
}
# What the documentation shows: page, theme, size.
SHOWN = (
    *((name, "light", "desk") for name in PAGES if name != "import"),
    ("import", "light", "desk", "fresh"),
    ("person", "light", "phone"),
    ("channel", "dark", "desk"),
    ("channel", "light", "phone"),
    ("recall", "dark", "desk"),
)


@dataclass(frozen=True, slots=True)
class Shot:
    name: str
    theme: str
    size: str
    where: str = "full"

    @property
    def file(self) -> str:
        marks = [
            self.name,
            *([self.theme] if self.theme == "dark" else []),
            *([self.size] if self.size == "phone" else []),
        ]
        return "-".join([*marks, *(["empty"] if self.where == "empty" else [])]) + ".png"


def shots(every: bool) -> Iterator[Shot]:
    if not every:
        yield from (Shot(*each) for each in SHOWN)
        return
    for where in ("full", "empty"):
        for theme in ("light", "dark"):
            for size in ("desk", "phone"):
                yield from (Shot(name, theme, size, where) for name in PAGES)


def take(browser: Browser, url: str, shot: Shot, folder: Path) -> str:
    width, height = DESK if shot.size == "desk" else PHONE
    context = browser.new_context(
        base_url=url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if shot.theme == "dark" else "light",
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(
        "/login"
    )  # what all pages share is in the browser's cache then, as it is for whoever comes from another page
    page.goto("/settings" if shot.name != "settings" else "/")
    began = time.perf_counter()
    page.goto(PAGES[shot.name])
    page.locator("main h1, main .problem").first.wait_for()
    took = time.perf_counter() - began
    if shot.where == "fresh":  # the demo is uploaded, and memories are being made
        page.locator("[data-upload]").set_input_files(str(files("erstwhile.demo").joinpath("conversation.jsonl")))
        page.locator("[data-import=done]").wait_for()
        page.locator("[data-forming] .memory").nth(4).wait_for()
    if shot.name == "channel" and shot.where == "full" and shot.size == "desk":
        page.get_by_role("tab", name="Facts").click()
        page.locator(".memory.fact[data-sources] .text:visible").first.click()  # and the messages it was read from
    settled(page)
    page.screenshot(path=folder / shot.file)
    wide = page.evaluate("document.documentElement.scrollWidth") - width
    context.close()
    return f"| {shot.file} | {took:.2f} |{f' {wide} px too wide' if wide > 0 else ''} |"


def settled(page: Page) -> None:
    """Charts have been drawn, and what is fetched after the page is there."""
    page.wait_for_load_state("load")
    page.locator(".lab-wait").wait_for(state="detached")
    page.wait_for_timeout(1500)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", default="docs/screenshots")
    parser.add_argument("--database")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", help="pages, with commas between")
    given = parser.parse_args()
    folder = Path(given.to)
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = given.database or str(scratch / "world.db")
        if not given.database:
            asyncio.run(world.fill(database, 4000, 20, datetime.now(UTC)))
        quiet = ("--no-worker", "--log-level", "warning")
        full = stack.enter_context(Served(database, *quiet))
        empty = stack.enter_context(Served(str(scratch / "empty.db"), *quiet))
        fresh = stack.enter_context(Served(str(scratch / "fresh.db"), "--log-level", "warning"))
        ports = {"full": full.port, "empty": empty.port, "fresh": fresh.port}
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=executable(), args=OPTIONS)
        print("| page | seconds | |\n|---|---|---|")
        for shot in shots(given.all):
            if given.only is None or shot.name in given.only.split(","):
                print(take(browser, f"http://127.0.0.1:{ports[shot.where]}", shot, folder), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
