"""Overview: how the memory is doing right now."""

from __future__ import annotations

from erstwhile.dashboard import parts
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer


@page("/")
async def overview(viewer: Viewer) -> None:
    memory = await viewer.reading()
    parts.title("Overview")
    channels = await memory.channels(space=viewer.space)
    with parts.card("Messages"):
        parts.text(f"{sum(each.size for each in channels):,}", "figure")
