"""A dashboard under test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from erstwhile.api.blocking import SyncMemory

Contexts = Callable[[str], BrowserContext]

# What a finger misses.
SMALL = """() => [...document.querySelectorAll('button, a[href], input:not([type=hidden]), textarea, select, summary')]
  .filter(each => each.offsetParent !== null && !each.matches('.skip, label *') && !each.closest('.q-field'))
  .filter(each => each.getBoundingClientRect().height < 39.5)
  .map(each => each.outerHTML.slice(0, 120))"""


@dataclass
class Dash:
    """A server with a dashboard, and the same memory opened here."""

    url: str
    database: str
    memory: SyncMemory
    seen: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> Page:
        """Whatever the browser complains of, a violated policy too, fails the test at its end."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.seen.append(str(error)))
        return page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.seen.append(message.text)
