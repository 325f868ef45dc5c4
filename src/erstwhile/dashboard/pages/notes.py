"""Notes."""

from __future__ import annotations

from erstwhile.dashboard import parts
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer


@page("/notes")
async def notes(viewer: Viewer) -> None:
    await viewer.reading()
    parts.title("Notes")
