"""Recall lab."""

from __future__ import annotations

from erstwhile.dashboard import parts
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer


@page("/recall")
async def recall(viewer: Viewer) -> None:
    await viewer.reading()
    parts.title("Recall lab")
