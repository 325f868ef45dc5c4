"""Report."""

from __future__ import annotations

from erstwhile.dashboard import parts
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer


@page("/report")
async def report(viewer: Viewer) -> None:
    await viewer.reading()
    parts.title("Report")
