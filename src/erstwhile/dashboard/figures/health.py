"""The findings of a quick doctor run, repeated on demand."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.api.doctor import Finding
from erstwhile.api.memory import Memory
from erstwhile.dashboard import parts
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.viewer import Viewer

_FRESH: Final = 15.0  # seconds that what was found holds, for everyone who looks
_PATIENCE: Final = 0.25  # seconds that a page waits for it
_KINDS: Final = {"problem": "bad", "note": "warn", "ok": "good"}
_ORDER: Final = ("problem", "note", "ok")


class HealthChecks:
    """One check at a time, however many pages are open."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, list[Finding]]] = {}
        self._lock = asyncio.Lock()

    async def look(self, memory: Memory, space: str, *, anew: bool = False) -> list[Finding]:
        async with self._lock:
            at, found = self._found.get(space, (0.0, []))
            if anew or not found or time.monotonic() - at > _FRESH:
                found = await memory.doctor(space=space, quick=True)
                self._found[space] = (time.monotonic(), found)
            return sorted(found, key=lambda each: _ORDER.index(each.level))


checks = HealthChecks()


async def shown(viewer: Viewer, memory: Memory) -> Callable[[Memory], Awaitable[None]]:
    """Show findings with the page if they are quick, else afterwards.

    Returns a function that refreshes.
    """
    looking = asyncio.create_task(checks.look(memory, viewer.space))
    done, _ = await asyncio.wait([looking], timeout=_PATIENCE)
    with parts.card("Health"):
        inside: Element = html.div().classes("stack findings").props("aria-live=polite data-health")
        panel = Panel[list[Finding]](findings, box=inside)

        async def later() -> None:
            panel.show(await looking)

        async def again() -> None:
            panel.show(await checks.look(await viewer.reading(), viewer.space, anew=True))

        with html.div().classes("row"):
            parts.button("Look again", again, kind="quiet", name="Look for problems again")
        if done:
            panel.show(looking.result())
        else:
            with inside:
                parts.quiet("Looking …")
            ui.timer(0.05, later, once=True)

    async def refresh(memory: Memory) -> None:
        panel.show(await checks.look(memory, viewer.space))

    return refresh


def findings(found: Sequence[Finding]) -> None:
    for each in found:
        with html.div().classes("finding"):
            parts.badge(each.level, _KINDS[each.level])
            with html.div():
                parts.advice(each.what)
                if each.advice:
                    parts.advice(each.advice, "reason")
